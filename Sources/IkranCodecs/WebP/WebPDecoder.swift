package import IkranPixels

/// Decodes WebP: lossy, lossless, with alpha; the first frame of an animation on a clear canvas.
///
/// Large opaque pictures are scaled down while they are decoded when enough pixels are left for the
/// target. Profiles are not applied.
package struct WebPDecoder: Codec {
  /// Creates the decoder.
  package init() {}

  /// WebP.
  package var format: ImageFormat { .webp }

  /// Whether `prefix` starts with a RIFF header of type WEBP.
  package func recognizes(_ prefix: Span<UInt8>) -> Bool { Sniffer.matches(.webp, prefix) }

  /// Reads the chunks; the count and delays of frames are those in `bytes`.
  ///
  /// - Throws: ``DecodeError``.
  package func probe(_ bytes: Span<UInt8>) throws(DecodeError) -> ImageInfo {
    guard recognizes(bytes) else { throw .unknownFormat(hint: nil) }
    return try WebPHeader(bytes).info
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
    guard recognizes(bytes) else { throw .unknownFormat(hint: nil) }
    let header = try WebPHeader(bytes)
    let info = header.info
    try rules.limits.check(info, byteCount: bytes.count)
    let plan = try info.plan(fitting)
    let stored =
      header.isAnimation
      ? try WebPFirstFrame.render(bytes, plan, info, workspace: workspace)
      : try WebPHandle.render(bytes, plan, header, workspace: workspace)
    return DecodedPicture(bitmap: try stored.upright(info.orientation))
  }

  /// Parses the chunks of all frames.
  ///
  /// - Throws: ``DecodeError``.
  package func frames(
    of bytes: [UInt8],
    isPrefix: Bool,
    rules: DecodeRules
  ) throws(DecodeError) -> (any FrameSource)? {
    guard recognizes(bytes.span) else { throw .unknownFormat(hint: nil) }
    let header = try WebPHeader(bytes.span)
    guard header.isAnimation else { return nil }
    try rules.limits.check(header.info, byteCount: bytes.count)
    return try WebPFrames(bytes, header.info, isPrefix: isPrefix, rules: rules)
  }
}
