#if CLibraries
package import IkranPixels

/// Decodes WebP: lossy, lossless, with alpha; the first frame of an animation on a clear canvas.
///
/// Large opaque pictures are scaled down while they are decoded when enough pixels are left for the
/// target.
package struct WebPDecoder: PrefixCodec {
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
    let plan = try info.plan(fitting)
    let reduction = WebPReduction(plan, header, mostPixels: rules.limits.maximumPixels)
    try rules.limits.check(info, byteCount: bytes.count, holding: reduction.heldPixels)
    try rules.limits.check(plan)
    let stored =
      header.isAnimation
      ? try WebPFirstFrame.render(bytes, plan, info, workspace: workspace)
      : try WebPHandle.render(bytes, plan, header, reduction, workspace: workspace)
    let colors = ColorPlan(header.colors(bytes), handling: rules.colors, workspace: workspace)
    return try colors.finish(stored, info.orientation, workspace: workspace)
  }

  /// Rows of a still; nil while that is not known.
  package func order(of prefix: Span<UInt8>) -> PixelOrder? {
    guard let header = try? WebPHeader(prefix) else { return nil }
    return header.isAnimation ? .unknown : .rows
  }

  /// Decodes what is there of a still to the pixels that `fitting` describes, upright.
  ///
  /// Rows that are missing are clear. Nil for animations.
  package func decodePrefix(
    _ bytes: Span<UInt8>,
    fitting: Fitting,
    rules: DecodeRules,
    workspace: Workspace
  ) throws(DecodeError) -> DecodedPicture? {
    guard recognizes(bytes) else { return nil }
    let header = try WebPHeader(bytes)
    let info = header.info
    guard !header.isAnimation else { return nil }
    let plan = try info.plan(fitting)
    let limits = rules.limits
    let reduction = WebPReduction(
      plan,
      header,
      mostPixels: limits.maximumPixels,
      isWhole: false
    )
    try limits.check(info, byteCount: bytes.count, holding: reduction.heldPixels)
    try limits.check(plan)
    let beginning = try WebPPrefix.render(
      bytes,
      plan: plan,
      info: info,
      reduction: reduction,
      workspace: workspace
    )
    guard let (picture, rows) = beginning else { return nil }
    let colors = ColorPlan(header.colors(bytes), handling: rules.colors, workspace: workspace)
    let cut = DecodeNote.cut(rows: rows, height: info.size.height)
    return try colors.finish(picture, info.orientation, cut, workspace: workspace)
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
    return try WebPFrames(bytes, header, isPrefix: isPrefix, rules: rules)
  }
}
#endif
