import IkranPixels

/// The frames of an animated PNG.
struct PNGFrames: FrameSource {
  let info: AnimationInfo
  private let bytes: [UInt8]
  private let list: PNGFrameList
  private let composition: FrameComposition

  /// Parses the chunks of a file with more than one frame; nil when none of them is complete.
  ///
  /// - Throws: ``DecodeError``.
  init?(
    _ bytes: [UInt8],
    _ canvas: ImageInfo,
    isPrefix: Bool,
    rules: DecodeRules
  ) throws(DecodeError) {
    list = PNGFrameList(bytes.span, canvas, isPrefix: isPrefix)
    guard !list.frames.isEmpty else { return nil }
    composition = try FrameComposition(
      list.frames.map(\.layout),
      on: canvas.size,
      limits: rules.limits
    )
    var fault = list.fault
    if !list.isComplete, !isPrefix { fault = fault ?? .truncated(.png, offset: bytes.count) }
    info = AnimationInfo(canvas, composition, plays: list.plays, list.isComplete, fault)
    self.bytes = bytes
  }

  func makeComposer() -> sending any FrameComposer {
    CanvasComposer(info, composition, PNGPainter(bytes, list))
  }
}
