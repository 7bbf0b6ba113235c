#if AVIF
package import IkranPixels

/// Decodes AVIF: stills, grids and sequences of pictures, with alpha, of up to twelve bits.
///
/// EXIF does not turn a picture, as in browsers: only `irot` and `imir` do.
package struct AVIFDecoder: Codec {
  /// Creates the decoder.
  package init() {}

  /// AVIF.
  package var format: ImageFormat { .avif }

  /// Whether the brands at the start of `prefix` are those of AVIF.
  package func recognizes(_ prefix: Span<UInt8>) -> Bool { Sniffer.matches(.avif, prefix) }

  /// Reads the boxes.
  ///
  /// - Throws: ``DecodeError``.
  package func probe(_ bytes: Span<UInt8>) throws(DecodeError) -> ImageInfo {
    guard recognizes(bytes) else { throw .unknownFormat(hint: nil) }
    return try AVIFHeader(bytes).info
  }

  /// Decodes the still, or the first picture of a sequence, to the pixels that `fitting` describes,
  /// upright.
  ///
  /// - Throws: ``DecodeError``.
  package func decode(
    _ bytes: Span<UInt8>,
    fitting: Fitting,
    rules: DecodeRules,
    workspace: Workspace
  ) throws(DecodeError) -> DecodedPicture {
    guard recognizes(bytes) else { throw .unknownFormat(hint: nil) }
    let header = try AVIFHeader(bytes)
    let info = header.info
    try rules.limits.check(header.coded, byteCount: bytes.count)
    let plan = try info.plan(fitting)
    try rules.limits.check(plan)
    let (stored, colors) = try AVIFHandle.renderFirst(
      bytes,
      header,
      plan: plan,
      rules: rules,
      workspace: workspace
    )
    return try colors.finish(stored, info.orientation, workspace: workspace)
  }

  /// Reads the tables of a sequence.
  ///
  /// - Throws: ``DecodeError``.
  package func frames(
    of bytes: [UInt8],
    isPrefix: Bool,
    rules: DecodeRules
  ) throws(DecodeError) -> (any FrameSource)? {
    guard recognizes(bytes.span) else { throw .unknownFormat(hint: nil) }
    let header = try AVIFHeader(bytes.span)
    guard header.info.isAnimated else { return nil }
    try rules.limits.check(header.coded, byteCount: bytes.count)
    return try AVIFFrames(bytes, header, isPrefix: isPrefix, rules: rules)
  }
}
#endif
