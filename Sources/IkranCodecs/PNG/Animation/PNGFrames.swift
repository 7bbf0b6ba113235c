import IkranPixels

/// The frames of an animated PNG.
struct PNGFrames: FrameSource {
  let info: AnimationInfo
  private let bytes: [UInt8]
  private let list: PNGFrameList
  private let timeline: FrameTimeline

  /// Parses the chunks of a file with more than one frame; nil when none of them is complete.
  ///
  /// - Throws: ``DecodeError``.
  init?(
    _ bytes: [UInt8],
    _ canvas: ImageInfo,
    isBeginning: Bool,
    limits: DecodeLimits
  ) throws(DecodeError) {
    list = PNGFrameList(bytes.span, canvas, isBeginning: isBeginning)
    guard !list.frames.isEmpty else { return nil }
    timeline = try FrameTimeline(list.frames.map(\.layout), on: canvas.size, limits: limits)
    var info = AnimationInfo(
      format: .png,
      size: canvas.size,
      hasAlpha: timeline.hasAlpha,
      frames: timeline.frames,
      plays: list.plays == 0 ? nil : list.plays
    )
    info.orientation = canvas.orientation
    if let fault = list.fault {
      info.end = .broken(fault)
    } else if !list.isComplete {
      info.end = isBeginning ? .arriving : .broken(.truncated(.png, offset: bytes.count))
    }
    self.info = info
    self.bytes = bytes
  }

  func makeComposer() -> sending any FrameComposer {
    CanvasComposer(info, timeline, PNGPainter(bytes, list))
  }
}
