import IkranPixels
import IkranStores

// Stores for the disk and the tables, after the callers have been served.

extension PipelineContext {
  /// Stores a styled image in its table, else on the disk, where that is one of `stores`.
  ///
  /// - Parameters:
  ///   - image: The image; one of unknown bytes is not stored.
  ///   - renderTarget: What was drawn.
  ///   - stores: The caches that are to have it.
  ///   - isDownload: Whether its source is one: nothing else is stored.
  ///   - isCurrent: Whether it was not removed, or replaced, when its turn comes.
  func persist(
    _ image: CachedImage,
    as renderTarget: SourceLoad.RenderTarget,
    in stores: CacheStages,
    isDownload: Bool,
    if isCurrent: @escaping @Sendable () -> Bool
  ) {
    guard let id = image.body else { return }
    let isStill = image.frames == 1
    // Its key is that of the picture in full.
    guard !image.isScaledDown else { return }
    guard isStill || !options.decoding.animates, isDownload else { return }
    // A table has pixels only.
    if let tables, image.image.profile == nil, stores.contains(.tables),
      renderTarget.fitting.fixedSize == image.image.size,
      tables.store(
        image.image,
        for: renderTarget.key,
        version: isStill ? id : id.ofFirstFrame,
        if: isCurrent
      )
    {
      return
    }
    guard isStill, stores.contains(.disk), let contents = options.disk?.contents,
      contents.includesImage(in: renderTarget.key.style)
    else { return }
    let (bitmap, mark) = (image.image, Self.mark(of: id))
    disk.store(mark, for: Self.name(of: renderTarget.key), cost: bitmap.byteCount) {
      isCurrent() ? try contents.encoded(bitmap) : nil
    }
  }

  /// Puts something into memory, unless caches were emptied since a change, and takes it out again
  /// where they were in between.
  func keep(since change: ChangeNumber, _ store: () -> Void, orRemove remove: () -> Void) {
    guard !records.wereEmptied(since: change) else { return }
    store()
    if records.wereEmptied(since: change) { remove() }
  }

  /// The key of a styled image on the disk.
  static func name(of key: StyledKey) -> String { "styled \(key.id)" }

  /// The mark of a styled image on the disk: the id of the bytes that it was made from.
  static func mark(of id: BodyID) -> [UInt8] { Array("ikran-styled 2 \(id)".utf8) }

  /// Removes an undecodable body from the caches that it came from, unless they have others by now.
  func forget(_ body: Body, named id: BodyID, _ error: ImageError) {
    // Out of memory, or its decoder has ended, perhaps for another reason: it may be valid.
    switch error {
    case .decode(.bitmap, _, _), .decode(.isolated, _, _): return
    default: break
    }
    switch body.source {
    case .memory, .disk, .network:
      bodies.remove(body.sourceKey) { $0.id == id }
      disk.remove("\(body.sourceKey)", damaged: id)
    case .file: bodies.remove(body.sourceKey) { $0.id == id }
    case .table, .avatar, .data: break
    }
  }

  /// Remembers that what a source brought is no image.
  ///
  /// A page in its place is not remembered: a log-in page of the network is gone a moment later.
  func noteFailure(_ error: ImageError, of body: Body) {
    guard let arrival = body.arrival else { return }
    network.failures.remember(
      error,
      for: arrival.sentFor.failureKey,
      at: clock.now(),
      byDefault: codecs.mayBeImage(body.bytes.span) && !arrival.response.cacheControl.noStore
    )
  }
}
