package import IkranPixels

/// Decodes PNG: all colour types and depths, interlaced or not; the default image of an animation.
///
/// Sixteen bits become eight by rounding. Gamma, chromaticities and profiles are not applied. An
/// interlaced picture of over 16 megapixels with a much smaller target is box-filtered while read.
package struct PNGDecoder: Codec {
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
    // Rows that are interlaced are complete only at the end.
    let streamed = bytes.byte(at: 28) == 0 ? fitting : nil
    try rules.limits.check(info, byteCount: bytes.count, streamed: streamed)
    let stored =
      if let fast = PNGRowDecoder.render(bytes, plan, info, workspace: workspace, index: &index) {
        fast
      } else {
        try PNGHandle.render(bytes, plan, info, workspace: workspace)
      }
    return DecodedPicture(bitmap: try stored.upright(info.orientation))
  }

  /// Whether a file that begins like this is interlaced; nil while that is not known.
  func isInterlaced(_ prefix: Span<UInt8>) -> Bool? { prefix.byte(at: 28).map { $0 == 1 } }

  /// Decodes what is there of an interlaced still to the pixels that `fitting` describes, upright:
  /// blocks where pixels are missing.
  func decodePrefix(
    _ bytes: Span<UInt8>,
    fitting: Fitting,
    rules: DecodeRules,
    workspace: Workspace
  ) throws(DecodeError) -> DecodedPicture? {
    let info = try probe(bytes)
    try rules.limits.check(info, byteCount: bytes.count)
    guard !info.isAnimated else { return nil }
    let plan = try info.plan(fitting)
    let picture = try PNGHandle.renderPasses(bytes, plan, info, workspace: workspace)
    guard let picture else { return nil }
    return DecodedPicture(bitmap: try picture.upright(info.orientation))
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
