package import IkranPixels

/// Decodes PNG: all colour types and depths, interlaced or not; the default image of an animation,
/// but the frame of one that has only one.
///
/// Sixteen bits become eight by rounding; where the picture is not interlaced they are converted to
/// sRGB's before. An interlaced picture of over 16 megapixels with a much smaller target is
/// box-filtered while read.
package struct PNGDecoder: PrefixCodec {
  /// Creates the decoder.
  package init() {}

  /// PNG.
  package var format: ImageFormat { .png }

  /// Whether `prefix` starts with PNG's eight signature bytes.
  package func recognizes(_ prefix: Span<UInt8>) -> Bool { Sniffer.matches(.png, prefix) }

  /// Reads the chunks; the count and delays of frames are those in `bytes`.
  ///
  /// - Throws: ``DecodeError``.
  package func probe(_ bytes: Span<UInt8>) throws(DecodeError) -> ImageInfo {
    guard recognizes(bytes) else { throw .unknownFormat(hint: nil) }
    var info = try PNGHeader.read(bytes)
    let frame = PNGFrameList.onlyFrame(bytes, info)
    if let frame, frame.size != info.size { info.hasAlpha = true }
    return info
  }

  /// Decodes to the pixels that `fitting` describes, upright.
  ///
  /// - Throws: ``DecodeError``.
  package func decode(
    _ bytes: Span<UInt8>,
    fitting: Fitting,
    rules: DecodeRules,
    workspace: Workspace
  ) throws(DecodeError) -> DecodedPicture {
    var index: PNGRowIndex?
    let info = try probe(bytes)
    return try decode(
      bytes,
      info,
      fitting: fitting,
      rules: rules,
      workspace: workspace,
      index: &index
    )
  }

  /// Does the same with an index, if there is one, which it completes; `info` is what the headers
  /// say.
  func decode(
    _ bytes: Span<UInt8>,
    _ info: ImageInfo,
    fitting: Fitting,
    rules: DecodeRules,
    workspace: Workspace,
    index: inout PNGRowIndex?
  ) throws(DecodeError) -> DecodedPicture {
    let plan = try info.plan(fitting)
    let reduction = PNGReduction(
      plan,
      info.size,
      bytesInFull: PNGHandle.bytesInFull,
      mostPixels: rules.limits.maximumPixels
    )
    // Rows that are interlaced are complete only at the end.
    let held = bytes.byte(at: 28) == 0 ? 0 : reduction.heldPixels
    try rules.limits.check(counted(info, in: bytes), byteCount: bytes.count, holding: held)
    try rules.limits.check(plan)
    let frames = try onlyFrame(of: bytes, info, rules: rules)
    if let frame = try frames?.onlyFrame(fitting, workspace: workspace) { return frame }
    let file = PNGColors.read(bytes)
    let isDeep = info.bitsPerChannel == 16
    let colors = ColorPlan(file, handling: rules.colors, workspace: workspace, isDeep: isDeep)
    var fast = PNGRowDecoder.render(
      bytes,
      plan,
      info,
      workspace: workspace,
      levels: colors.levels,
      index: &index
    )
    if let stored = fast.take() {
      return try colors.finish(stored, info.orientation, workspace: workspace)
    }
    let stored = try PNGHandle.picture(
      bytes,
      plan,
      of: info,
      workspace: workspace,
      reduction: reduction
    )
    // libpng has made bytes of its samples.
    let finished = try ColorPlan(file, handling: rules.colors, workspace: workspace)
      .finish(stored.bitmap, info.orientation, workspace: workspace)
    return DecodedPicture(bitmap: finished.bitmap, notes: stored.notes + finished.notes)
  }

  /// The frames of a file with one that hides its default picture, whose canvas is held; nil for
  /// other files.
  private func onlyFrame(
    of bytes: Span<UInt8>,
    _ info: ImageInfo,
    rules: DecodeRules
  ) throws(DecodeError) -> PNGFrames? {
    let frames = try PNGFrames(onlyFrameOf: bytes, info, rules: rules)
    if frames != nil { try rules.limits.checkPixels(of: info.size, holding: nil) }
    return frames
  }

  /// What limits count: a file that cannot hold the frames that it declares is a still.
  private func counted(_ info: ImageInfo, in bytes: Span<UInt8>) -> ImageInfo {
    guard PNGFrameList.cannotHold(info.frames, byteCount: bytes.count) else { return info }
    var still = info
    still.frames = 1
    return still
  }

  /// Passes of an interlaced file, or rows; nil while that is not known.
  package func order(of prefix: Span<UInt8>) -> PixelOrder? {
    prefix.byte(at: 28).map { $0 == 1 ? .passes : .rows }
  }

  /// Decodes what is there of a still to the pixels that `fitting` describes, upright: blocks where
  /// pixels of an interlaced one are missing, and clear where rows of another are.
  package func decodePrefix(
    _ bytes: Span<UInt8>,
    fitting: Fitting,
    rules: DecodeRules,
    workspace: Workspace
  ) throws(DecodeError) -> DecodedPicture? {
    let info = try probe(bytes)
    let isInterlaced = bytes.byte(at: 28) != 0
    try rules.limits.check(info, byteCount: bytes.count, holding: isInterlaced ? nil : 0)
    guard !info.isAnimated, !PNGHeader.hidesDefault(bytes) else { return nil }
    let plan = try info.plan(fitting)
    try rules.limits.check(plan)
    let (picture, rows): (Bitmap, Int)
    if isInterlaced {
      let passes = try PNGHandle.renderPasses(bytes, plan, of: info, workspace: workspace)
      guard let passes else { return nil }
      (picture, rows) = (passes, info.size.height)
    } else {
      let beginning = try PNGHandle.renderBeginning(
        bytes,
        plan: plan,
        info: info,
        workspace: workspace
      )
      guard let beginning else { return nil }
      (picture, rows) = beginning
    }
    let colors = ColorPlan(PNGColors.read(bytes), handling: rules.colors, workspace: workspace)
    let cut = DecodeNote.cut(rows: rows, height: info.size.height)
    return try colors.finish(picture, info.orientation, cut, workspace: workspace)
  }

  /// Parses the chunks of all frames; a whole file that promises more than the limits allow and
  /// than it has room for is a still.
  ///
  /// - Throws: ``DecodeError``.
  package func frames(
    of bytes: [UInt8],
    isPrefix: Bool,
    rules: DecodeRules
  ) throws(DecodeError) -> (any FrameSource)? {
    let info = try probe(bytes.span)
    guard info.isAnimated else { return nil }
    if !isPrefix, info.frames > rules.limits.maximumFrames,
      PNGFrameList.cannotHold(info.frames, byteCount: bytes.count)
    {
      return nil
    }
    try rules.limits.check(info, byteCount: bytes.count)
    return try PNGFrames(bytes, info, isPrefix: isPrefix, rules: rules)
  }
}
