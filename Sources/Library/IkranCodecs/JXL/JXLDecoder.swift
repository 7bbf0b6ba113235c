#if JXL
package import IkranPixels

/// Decodes JPEG XL with libjxl: bare and boxed, lossy and lossless, with alpha; the first frame of
/// an animation.
///
/// Samples of more than eight bits are rounded, but for high dynamic range. A picture is decoded
/// whole, and has memory for all of its pixels.
package struct JXLDecoder: PrefixCodec {
  /// Creates the decoder.
  package init() {}

  /// JPEG XL.
  package var format: ImageFormat { .jpegXL }

  /// Whether `prefix` starts with the signature of a codestream or of its box.
  package func recognizes(_ prefix: Span<UInt8>) -> Bool {
    Sniffer.format(of: prefix) == .jpegXL
  }

  /// Reads the headers; the count and durations of frames are those in `bytes`.
  ///
  /// - Throws: ``DecodeError``.
  package func probe(_ bytes: Span<UInt8>) throws(DecodeError) -> ImageInfo {
    guard recognizes(bytes) else { throw .unknownFormat(hint: nil) }
    return try JXLHeader(bytes).info
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
    let header = try JXLHeader(bytes, frames: false)
    let plan = try Self.check(header, fitting, limits: rules.limits, byteCount: bytes.count)
    let colors = Self.colors(of: header, rules, workspace)
    var handle = try JXLHandle(decodes: true)
    // Also for a thumbnail: libjxl draws means of squares at the whole size, which takes longer.
    let picture = try handle.picture(bytes, header, levels: colors.levels)
    guard let picture else { throw JXLHeader.nonsense }
    let bitmap = try PixelSink.render(picture, plan, workspace: workspace)
    return try colors.finish(bitmap, header.info.orientation, workspace: workspace)
  }

  /// Passes of a still; nil while that is not known.
  package func order(of prefix: Span<UInt8>) -> PixelOrder? {
    guard let header = try? JXLHeader(prefix, frames: false) else { return nil }
    return header.isAnimation ? .unknown : .passes
  }

  /// Decodes what is there of a still to the pixels that `fitting` describes, upright; nil for
  /// animations, before the means of a lossy picture are there, and without loss.
  package func decodePrefix(
    _ bytes: Span<UInt8>,
    fitting: Fitting,
    rules: DecodeRules,
    workspace: Workspace
  ) throws(DecodeError) -> DecodedPicture? {
    guard recognizes(bytes) else { return nil }
    let header = try JXLHeader(bytes, frames: false)
    guard !header.isAnimation else { return nil }
    let plan = try Self.check(header, fitting, limits: rules.limits, byteCount: bytes.count)
    let colors = Self.colors(of: header, rules, workspace)
    var handle = try JXLHandle(decodes: true, stopsAtMeans: true)
    let picture = try handle.picture(bytes, header, extent: .beginning, levels: colors.levels)
    guard let picture else { return nil }
    let bitmap = try PixelSink.render(picture, plan, workspace: workspace)
    let height = header.info.size.height
    let cut = DecodeNote.cut(rows: height, height: height)
    return try colors.finish(bitmap, header.info.orientation, cut, workspace: workspace)
  }

  /// Reads the headers of all frames.
  ///
  /// - Throws: ``DecodeError``.
  package func frames(
    of bytes: [UInt8],
    isPrefix: Bool,
    rules: DecodeRules
  ) throws(DecodeError) -> (any FrameSource)? {
    guard recognizes(bytes.span) else { throw .unknownFormat(hint: nil) }
    let header = try JXLHeader(bytes.span)
    guard header.isAnimation else { return nil }
    try rules.limits.check(header.info, byteCount: bytes.count)
    return try JXLFrames(bytes, header, isPrefix: isPrefix, rules: rules)
  }

  private static func colors(
    of header: JXLHeader,
    _ rules: DecodeRules,
    _ workspace: Workspace
  ) -> ColorPlan {
    ColorPlan(
      header.colors,
      handling: rules.colors,
      workspace: workspace,
      isDeep: header.isDeep
    )
  }

  private static func check(
    _ header: JXLHeader,
    _ fitting: Fitting,
    limits: DecodeLimits,
    byteCount: Int
  ) throws(DecodeError) -> RenderPlan {
    let plan = try header.info.plan(fitting)
    try limits.check(header.info, byteCount: byteCount)
    try limits.check(plan)
    return plan
  }
}
#endif
