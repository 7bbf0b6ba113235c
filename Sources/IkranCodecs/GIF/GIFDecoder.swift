package import IkranPixels

/// Decodes GIF: the first frame, composed on the logical screen.
///
/// Pixels outside the frame and those of its transparent colour are clear; the background colour is
/// ignored, as in browsers. A picture without a palette is gray. When the data ends properly before
/// the last pixel, the rest is clear; a truncated file is an error.
package struct GIFDecoder: Codec {
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
    try rules.limits.check(info, byteCount: bytes.count)
    guard let first = header.firstFrame else { throw .truncated(.gif, offset: bytes.count) }
    let frame = try GIFFrame(bytes, first, limits: rules.limits)
    let plan = try info.plan(fitting)
    let hasAlpha = info.hasAlpha || frame.isIncomplete
    return DecodedPicture(
      bitmap: try frame.render(on: info.size, plan, hasAlpha: hasAlpha, workspace: workspace)
    )
  }

  /// Whether the first picture of a file that begins like this is interlaced; nil while that is not
  /// known.
  func isInterlaced(_ prefix: Span<UInt8>) -> Bool? {
    // A header that is broken shows nothing early.
    guard prefix.count >= 10 else { return nil }
    guard let header = try? GIFHeader(prefix) else { return false }
    return header.firstFrame?.isInterlaced
  }

  /// Decodes what is there of an interlaced first picture to the pixels that `fitting` describes;
  /// nil when all of it is there.
  func decodePrefix(
    _ bytes: Span<UInt8>,
    fitting: Fitting,
    rules: DecodeRules,
    workspace: Workspace
  ) throws(DecodeError) -> DecodedPicture? {
    let header = try GIFHeader(bytes, keepsFrames: true)
    try rules.limits.check(header.info, byteCount: bytes.count)
    guard header.completeFrames.isEmpty, let first = header.firstFrame,
      let frame = try GIFFrame(beginning: bytes, first, limits: rules.limits)
    else { return nil }
    let info = header.info
    let plan = try info.plan(fitting)
    return DecodedPicture(
      bitmap: try frame.render(on: info.size, plan, hasAlpha: info.hasAlpha, workspace: workspace)
    )
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
