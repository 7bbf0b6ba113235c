package import IkranPixels

/// Decodes GIF: the first frame, composed on the logical screen.
///
/// Pixels outside the frame and those of its transparent colour are clear; the background colour is
/// ignored, as in browsers. A picture without a palette is gray. When the data ends properly before
/// the last pixel, the rest is clear; a truncated file is an error.
package struct GIFDecoder: PrefixCodec {
  /// Creates the decoder.
  package init() {}

  /// GIF.
  package var format: ImageFormat { .gif }

  /// Whether `prefix` starts as GIF 87a or 89a does.
  package func recognizes(_ prefix: Span<UInt8>) -> Bool { Sniffer.matches(.gif, prefix) }

  /// Parses the blocks; the count and delays of frames are those in `bytes`.
  ///
  /// - Throws: ``DecodeError``.
  package func probe(_ bytes: Span<UInt8>) throws(DecodeError) -> ImageInfo {
    guard recognizes(bytes) else { throw .unknownFormat(hint: nil) }
    return try GIFHeader(bytes).info
  }

  /// Decodes to the pixels that `fitting` describes.
  ///
  /// - Throws: ``DecodeError``.
  package func decode(
    _ bytes: Span<UInt8>,
    fitting: Fitting,
    rules: DecodeRules,
    workspace: Workspace
  ) throws(DecodeError) -> DecodedPicture {
    guard recognizes(bytes) else { throw .unknownFormat(hint: nil) }
    let header = try GIFHeader(bytes)
    let info = header.info
    // Of the screen one row.
    try rules.limits.check(info, byteCount: bytes.count, holding: 0)
    guard let first = header.firstFrame else { throw .truncated(.gif, offset: bytes.count) }
    let plan = try info.plan(fitting)
    try rules.limits.check(plan)
    let frame = try GIFFrame(bytes, first, limits: rules.limits)
    let hasAlpha = info.hasAlpha || frame.isIncomplete
    let picture = try frame.render(on: info.size, plan, hasAlpha: hasAlpha, workspace: workspace)
    let colors = ColorPlan(header.colors(bytes), handling: rules.colors, workspace: workspace)
    return try colors.finish(picture, .up, workspace: workspace)
  }

  /// Passes of an interlaced first picture; nil while that is not known.
  ///
  /// Others may be animations, whose frames are shown.
  package func order(of prefix: Span<UInt8>) -> PixelOrder? {
    do throws(DecodeError) {
      return try GIFHeader(prefix).firstFrame.map { $0.isInterlaced ? .passes : .unknown }
    } catch .truncated {
      return nil
    } catch {
      // A header that is broken shows nothing early.
      return .unknown
    }
  }

  /// Decodes what is there of the first picture to the pixels that `fitting` describes.
  ///
  /// Rows that are missing are clear; those of an interlaced picture show the nearest one. Nil when
  /// all of it is there.
  package func decodePrefix(
    _ bytes: Span<UInt8>,
    fitting: Fitting,
    rules: DecodeRules,
    workspace: Workspace
  ) throws(DecodeError) -> DecodedPicture? {
    let header = try GIFHeader(bytes, keepsFrames: true)
    try rules.limits.check(header.info, byteCount: bytes.count, holding: 0)
    guard header.completeFrames.isEmpty, let first = header.firstFrame,
      let frame = try GIFFrame(beginning: bytes, first, limits: rules.limits)
    else { return nil }
    let info = header.info
    let plan = try info.plan(fitting)
    try rules.limits.check(plan)
    let (size, hasAlpha) = (info.size, info.hasAlpha || frame.hasMissingRows)
    let picture = try frame.render(on: size, plan, hasAlpha: hasAlpha, workspace: workspace)
    let colors = ColorPlan(header.colors(bytes), handling: rules.colors, workspace: workspace)
    let cut = DecodeNote.cut(rows: frame.rowCount(of: size.height), height: size.height)
    return try colors.finish(picture, .up, cut, workspace: workspace)
  }

  /// Parses the blocks of all frames.
  ///
  /// - Throws: ``DecodeError``.
  package func frames(
    of bytes: [UInt8],
    isPrefix: Bool,
    rules: DecodeRules
  ) throws(DecodeError) -> (any FrameSource)? {
    guard recognizes(bytes.span) else { throw .unknownFormat(hint: nil) }
    return try GIFFrames(bytes, isPrefix: isPrefix, rules: rules)
  }
}
