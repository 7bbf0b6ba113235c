package import IkranPixels

/// Decodes the largest JPEG preview in a camera's raw file: Canon CR2, Nikon NEF, DNG, Sony ARW and
/// Fujifilm RAF.
///
/// The sensor's own pixels are not decoded. The raw file says how the preview is turned.
package struct RawDecoder: PrefixCodec {
  /// The raw formats that are decoded.
  static let formats: [ImageFormat] = [.cr2, .nef, .dng, .arw, .raf]

  /// One of ``formats``.
  package let format: ImageFormat

  /// Creates the decoder of one format.
  package init(_ format: ImageFormat) { self.format = format }

  /// Whether `prefix` starts as a raw file of this format does.
  package func recognizes(_ prefix: Span<UInt8>) -> Bool {
    Sniffer.format(of: prefix) == format
  }

  /// Reads the directories, and the headers of the preview, whose size is that of the picture.
  ///
  /// - Throws: ``DecodeError``; ``DecodeError/unsupported(_:feature:)`` without a preview.
  package func probe(_ bytes: Span<UInt8>) throws(DecodeError) -> ImageInfo {
    try withPreview(of: bytes) { (codec, preview) throws(DecodeError) in
      var info = try codec.probe(preview)
      info.format = format
      return info
    }
  }

  /// Decodes to the pixels that `fitting` describes, upright.
  ///
  /// - Throws: ``DecodeError``; ``DecodeError/unsupported(_:feature:)`` without a preview.
  package func decode(
    _ bytes: Span<UInt8>,
    fitting: Fitting,
    rules: DecodeRules,
    workspace: Workspace
  ) throws(DecodeError) -> DecodedPicture {
    try rules.limits.check(byteCount: bytes.count)
    return try withPreview(of: bytes) { (codec, preview) throws(DecodeError) in
      try codec.decode(preview, fitting: fitting, rules: rules, workspace: workspace)
    }
  }

  /// Unknown: the preview may be anywhere.
  package func order(of prefix: Span<UInt8>) -> PixelOrder? { .unknown }

  /// Decodes what is there of the preview; rows that are missing are clear.
  package func decodePrefix(
    _ bytes: Span<UInt8>,
    fitting: Fitting,
    rules: DecodeRules,
    workspace: Workspace
  ) throws(DecodeError) -> DecodedPicture? {
    try rules.limits.check(byteCount: bytes.count)
    return try withPreview(of: bytes) { (codec, preview) throws(DecodeError) in
      try codec.decodePrefix(preview, fitting: fitting, rules: rules, workspace: workspace)
    }
  }

  /// Calls `body` with the preview and what decodes it.
  private func withPreview<R>(
    of bytes: Span<UInt8>,
    _ body: (JPEGDecoder, Span<UInt8>) throws(DecodeError) -> R
  ) throws(DecodeError) -> R {
    guard recognizes(bytes) else { throw .unknownFormat(hint: nil) }
    let preview = try RawPreview(bytes, format)
    let codec = JPEGDecoder(orientation: preview.orientation)
    do throws(DecodeError) {
      return try body(codec, bytes.extracting(preview.range))
    } catch { throw error.embedded(in: format, at: preview.range.lowerBound) }
  }
}
