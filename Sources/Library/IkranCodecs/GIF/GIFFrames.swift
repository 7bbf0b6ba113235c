import IkranPixels

/// The frames of an animated GIF.
struct GIFFrames: FrameSource {
  let info: AnimationInfo
  private let bytes: [UInt8]
  private let headers: [GIFFrameHeader]
  private let composition: FrameComposition
  private let colors: AnimationColors

  /// Parses the blocks; nil when there is only one frame, or none that is complete.
  ///
  /// - Throws: ``DecodeError``.
  init?(_ bytes: [UInt8], isPrefix: Bool, rules: DecodeRules) throws(DecodeError) {
    let header = try GIFHeader(bytes.span, keepsFrames: true)
    headers = header.completeFrames
    let isTruncated = !header.hasEnded && header.isTruncated
    guard !headers.isEmpty, headers.count > 1 || isTruncated || isPrefix && !header.hasEnded
    else { return nil }
    // A still is not composed on a screen.
    try rules.limits.check(header.info, byteCount: bytes.count)
    let screen = header.info.size
    composition = try FrameComposition(
      headers.map { $0.layout(on: screen) },
      on: screen,
      limits: rules.limits
    )
    let isArriving = isPrefix && !header.hasEnded
    let fault: DecodeError? =
      isTruncated && !isArriving ? .truncated(.gif, offset: bytes.count) : nil
    info = AnimationInfo(header.info, composition, plays: header.plays, !isArriving, fault)
    colors = AnimationColors(header.colors(bytes.span), rules)
    self.bytes = bytes
  }

  func makeComposer() -> sending any FrameComposer {
    CanvasComposer(
      info,
      composition,
      GIFPainter(bytes, headers, composition.layouts),
      colors: colors
    )
  }
}
