public import IkranStores

// How much the pipeline holds in memory.

extension ImagePipeline {
  /// Whether nobody looks at the program just now: memory then holds a quarter of its limit.
  ///
  /// Nothing sets it by itself. Setting it evicts at once what is too much.
  public var isInBackground: Bool {
    get { images.isInBackground }
    set {
      images.isInBackground = newValue
      bodies.isInBackground = newValue
      decodes.isInBackground = newValue
    }
  }

  /// Evicts what was unused for longest until no more than so many bytes are held, the files and
  /// decodes lately used first.
  public func trimMemory(toBytes bytes: Int) {
    let bytes = max(0, bytes)
    bodies.trim(toBytes: bytes / 10)
    decodes.trim(toBytes: bytes / 10)
    images.trim(toBytes: bytes - bytes / 10 * 2)
  }

  /// Lets go of memory: the files and decodes lately used and half of the images, or at critical
  /// pressure everything; what views hold stays valid.
  ///
  /// ```swift
  /// let watch = PressureWatch { [weak pipeline] in pipeline?.relieveMemory($0) }
  /// ```
  public func relieveMemory(_ pressure: MemoryPressure) {
    bodies.trim(toBytes: 0)
    decodes.trim(toBytes: 0)
    images.trim(toBytes: pressure == .critical ? 0 : images.statistics.bytes / 2)
  }
}

extension CachedImage: WeaklyHeld {
  func weakened() -> @Sendable () -> CachedImage? {
    let (image, frames, encodedBytes) = (image.weakened(), frames, encodedBytes)
    return { image().map { CachedImage($0, frames: frames, encodedBytes: encodedBytes) } }
  }
}
