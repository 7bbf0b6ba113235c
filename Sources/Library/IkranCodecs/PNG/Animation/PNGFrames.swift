import IkranPixels

/// The frames of an animated PNG.
struct PNGFrames: FrameSource {
  let info: AnimationInfo
  private let bytes: [UInt8]
  private let list: PNGFrameList
  private let composition: FrameComposition
  private let colors: AnimationColors

  /// Parses the chunks of a file with more than one frame; nil when none of them is complete, and
  /// in a build that cannot draw them, where the file is a still.
  ///
  /// - Throws: ``DecodeError``.
  init?(
    _ bytes: [UInt8],
    _ canvas: ImageInfo,
    isPrefix: Bool,
    rules: DecodeRules
  ) throws(DecodeError) {
    list = PNGFrameList(bytes.span, canvas, isPrefix: isPrefix)
    guard PNGPainter.isAvailable, !list.frames.isEmpty else { return nil }
    composition = try FrameComposition(
      list.frames.map(\.layout),
      on: canvas.size,
      limits: rules.limits
    )
    var fault = list.fault
    if !list.isComplete, !isPrefix { fault = fault ?? .truncated(.png, offset: bytes.count) }
    info = AnimationInfo(canvas, composition, plays: list.plays, list.isComplete, fault)
    colors = AnimationColors(PNGColors.read(bytes.span), rules)
    self.bytes = bytes
  }

  /// Parses the chunks of a file with one frame that hides its default picture; nil for other
  /// files, and when the frame is not complete.
  ///
  /// - Throws: ``DecodeError``.
  init?(
    onlyFrameOf bytes: Span<UInt8>,
    _ canvas: ImageInfo,
    rules: DecodeRules
  ) throws(DecodeError) {
    guard PNGFrameList.onlyFrame(bytes, canvas) != nil else { return nil }
    try self.init([UInt8](copying: bytes), canvas, isPrefix: false, rules: rules)
  }

  /// The first frame; nil when it is damaged or cut off, where the default picture stands for it.
  func onlyFrame(_ fitting: Fitting, workspace: Workspace) throws(DecodeError) -> DecodedPicture? {
    let composer = makeComposer()
    do throws(DecodeError) {
      let frame = try composer.compose(0, from: nil, fitting: fitting, workspace: workspace)
      return DecodedPicture(bitmap: frame, notes: composer.notes)
    } catch .truncated {
      return nil
    } catch .malformed {
      return nil
    }
  }

  func makeComposer() -> sending any FrameComposer {
    CanvasComposer(info, composition, PNGPainter(bytes, list), colors: colors)
  }
}
