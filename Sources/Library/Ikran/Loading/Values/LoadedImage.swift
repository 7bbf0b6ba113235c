import IkranPixels
import IkranStores

/// An image that was found or made, and where.
struct LoadedImage: Sendable {
  let cached: CachedImage
  let source: ImageSource
  /// The file it was made from, when it was made just now.
  let body: [UInt8]?
  /// The times of making it, when it was made just now.
  let times: RenderTimes?
  /// Names it, when it came from another URL than the request's own.
  var key: TableID?
  /// Whether filters have made it; nil for as the request says.
  var isFiltered: Bool?
  /// The response that brought the file, when it was made just now.
  var origin: ResponseHead?

  init(
    _ cached: CachedImage,
    from source: ImageSource,
    body: [UInt8]? = nil,
    times: RenderTimes? = nil
  ) {
    self.cached = cached
    self.source = source
    self.body = body
    self.times = times
  }

  /// An image that the program's hook shows in place of a source's: its name is its own.
  init(shownByHook image: Bitmap) {
    self.init(CachedImage(image), from: .hook)
    isFiltered = false
    key = TableID("hook \(UInt64.random(in: 0...(.max)))")
  }

  private func name(_ key: StyledKey) -> ImageResponse.Name {
    guard cached.isScaledDown else { return self.key.map { .other($0) } ?? .styled(key) }
    let size = cached.image.size
    return .other(TableID("\(self.key ?? key.id)\u{0}\(size.width)x\(size.height)"))
  }

  /// The response to a request; `origin` is what the request's own source said, if it was asked.
  func response(
    _ key: StyledKey,
    _ metrics: RequestMetrics,
    origin: ResponseHead? = nil
  ) -> ImageResponse {
    let style = cached.animation == nil ? key.style : key.animationStyle
    return ImageResponse(
      image: cached.image,
      source: source,
      frames: cached.frames,
      encodedBytes: cached.encodedBytes,
      notes: cached.notes,
      animation: cached.animation,
      isFiltered: isFiltered ?? !style.filters.isEmpty,
      origin: origin ?? self.origin,
      metrics: metrics,
      file: cached.file,
      name: name(key)
    )
  }
}
