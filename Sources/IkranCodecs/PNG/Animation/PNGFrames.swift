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
    limits: DecodeLimits
  ) throws(DecodeError) {
    list = PNGFrameList(bytes.span, canvas, isPrefix: isPrefix)
    guard !list.frames.isEmpty else { return nil }
    composition = try FrameComposition(list.frames.map(\.layout), on: canvas.size, limits: limits)
    var fault = list.fault
    if !list.isComplete, !isPrefix { fault = fault ?? .truncated(.png, offset: bytes.count) }
    info = AnimationInfo(canvas, composition, plays: list.plays, list.isComplete, fault)
    self.bytes = bytes
  }

  /// Parses the chunks of a file with one frame that hides its default picture; nil for other files,
  /// and when the frame is not complete.
  ///
  /// - Throws: ``DecodeError``.
  init?(
    onlyFrameOf bytes: Span<UInt8>,
    _ canvas: ImageInfo,
    limits: DecodeLimits
  ) throws(DecodeError) {
    guard PNGFrameList.onlyFrame(bytes, canvas) != nil else { return nil }
    var copy: [UInt8] = []
    copy.reserveCapacity(bytes.count)
    for offset in bytes.indices { copy.append(bytes[offset]) }
    try self.init(copy, canvas, isPrefix: false, limits: limits)
  }

  /// The first frame; nil when it is damaged or cut off, where the default picture stands for it.
  func onlyFrame(_ fitting: Fitting, workspace: Workspace) throws(DecodeError) -> Bitmap? {
    do throws(DecodeError) {
      return try makeComposer().compose(0, from: nil, fitting: fitting, workspace: workspace)
    } catch .truncated {
      return nil
    } catch .malformed {
      return nil
    }
  }

  func makeComposer() -> sending any FrameComposer {
    CanvasComposer(info, composition, PNGPainter(bytes, list))
  }
}
