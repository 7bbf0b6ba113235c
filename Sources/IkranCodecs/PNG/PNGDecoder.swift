package import IkranPixels

/// Decodes PNG: all colour types and depths, interlaced or not; the default image of an animation.
///
/// Sixteen bits become eight by rounding. Gamma, chromaticities and profiles are not applied. An
/// interlaced picture of over 16 megapixels with a much smaller target is box-filtered while read.
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
    return try PNGHeader.read(bytes)
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
    try rules.limits.check(info, byteCount: bytes.count, holding: held)
    try rules.limits.check(plan)
    let stored =
      if let fast = PNGRowDecoder.render(bytes, plan, info, workspace: workspace, index: &index) {
        fast
      } else {
        try PNGHandle.render(bytes, plan, info, workspace: workspace, reduction: reduction)
      }
    return DecodedPicture(bitmap: try stored.upright(info.orientation))
  }

  /// Passes of an interlaced file, or rows; nil while that is not known.
  func order(of prefix: Span<UInt8>) -> PixelOrder? {
    prefix.byte(at: 28).map { $0 == 1 ? .passes : .rows }
  }

  /// Decodes what is there of a still to the pixels that `fitting` describes, upright: blocks where
  /// pixels of an interlaced one are missing, and clear where rows of another are.
  func decodePrefix(
    _ bytes: Span<UInt8>,
    fitting: Fitting,
    rules: DecodeRules,
    workspace: Workspace
  ) throws(DecodeError) -> DecodedPicture? {
    let info = try probe(bytes)
    let isInterlaced = bytes.byte(at: 28) != 0
    try rules.limits.check(info, byteCount: bytes.count, holding: isInterlaced ? nil : 0)
    guard !info.isAnimated else { return nil }
    let plan = try info.plan(fitting)
    try rules.limits.check(plan)
    let (picture, rows): (Bitmap, Int)
    if isInterlaced {
      let passes = try PNGHandle.renderPasses(bytes, plan, info, workspace: workspace)
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
    return DecodedPicture(
      bitmap: try picture.upright(info.orientation),
      notes: [.cut(rows: rows, height: info.size.height)]
    )
  }

  /// Parses the chunks of all frames.
  ///
  /// - Throws: ``DecodeError``.
  package func frames(
    of bytes: [UInt8],
    isPrefix: Bool,
    rules: DecodeRules
  ) throws(DecodeError) -> (any FrameSource)? {
    let info = try probe(bytes.span)
    guard info.isAnimated else { return nil }
    try rules.limits.check(info, byteCount: bytes.count)
    return try PNGFrames(bytes, info, isPrefix: isPrefix, rules: rules)
  }
}
