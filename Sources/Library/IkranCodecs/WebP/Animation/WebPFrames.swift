#if CLibraries
import IkranPixels

/// The frames of an animated WebP.
struct WebPFrames: FrameSource {
  let info: AnimationInfo
  private let bytes: [UInt8]
  private let headers: [WebPFrameHeader]
  private let composition: FrameComposition
  private let colors: AnimationColors

  /// Parses the chunks of an animation; nil when there is only one frame, or none that is complete.
  ///
  /// - Throws: ``DecodeError``.
  init?(
    _ bytes: [UInt8],
    _ header: WebPHeader,
    isPrefix: Bool,
    rules: DecodeRules
  ) throws(DecodeError) {
    let canvas = header.info
    let list = WebPFrameList(bytes.span, on: canvas.size)
    headers = list.frames
    let isBroken = list.fault != nil || !list.isComplete
    guard !headers.isEmpty, headers.count > 1 || isBroken else { return nil }
    composition = try FrameComposition(
      headers.map(\.layout),
      on: canvas.size,
      limits: rules.limits
    )
    var fault = list.fault
    if !list.isComplete, !isPrefix { fault = fault ?? .truncated(.webp, offset: bytes.count) }
    info = AnimationInfo(canvas, composition, plays: list.plays, list.isComplete, fault)
    colors = AnimationColors(header.colors(bytes.span), rules)
    self.bytes = bytes
  }

  func makeComposer() -> sending any FrameComposer {
    CanvasComposer(info, composition, WebPPainter(bytes, headers), colors: colors)
  }
}
#endif
