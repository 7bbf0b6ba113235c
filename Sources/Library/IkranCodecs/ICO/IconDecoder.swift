package import IkranPixels

/// Decodes icons and cursors of Windows: the picture that suits the wanted size best.
///
/// That is the smallest with as many pixels as the result, and of several of its size the one with
/// the most bits; the largest where all are smaller, and for ``Fitting/original``. Each is a PNG
/// file, or a BMP file without its first header and with a mask. Pixels that a cursor inverts are
/// clear.
package struct IconDecoder: PrefixCodec {
  /// ``ImageFormat/ico`` or ``ImageFormat/cur``.
  package let format: ImageFormat

  /// Creates the decoder of icons or that of cursors.
  package init(_ format: ImageFormat) { self.format = format }

  /// Whether `prefix` starts with a directory of icons or cursors.
  package func recognizes(_ prefix: Span<UInt8>) -> Bool { Sniffer.matches(format, prefix) }

  /// Reads the directory and the header of the largest picture.
  ///
  /// - Throws: ``DecodeError``.
  package func probe(_ bytes: Span<UInt8>) throws(DecodeError) -> ImageInfo {
    try withPicture(of: bytes, for: .original) { (picture) throws(DecodeError) in
      let isPNG = PNGDecoder().recognizes(picture)
      var info = isPNG ? try PNGDecoder().probe(picture) : try IconReader(picture).info
      info.format = format
      (info.frames, info.durations, info.loops) = (1, [], nil)
      return info
    }
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
    try rules.limits.check(byteCount: bytes.count)
    return try withPicture(of: bytes, for: fitting) { (picture) throws(DecodeError) in
      let codec = PNGDecoder()
      if codec.recognizes(picture) {
        return try codec.decode(picture, fitting: fitting, rules: rules, workspace: workspace)
      }
      var rows = try IconReader(picture)
      return try rows.decode(picture, fitting: fitting, rules: rules, workspace: workspace)
    }
  }

  /// Unknown: which picture is shown depends on the size.
  package func order(of prefix: Span<UInt8>) -> PixelOrder? { .unknown }

  /// Decodes what is there of the picture that suits best; rows that are missing are clear.
  package func decodePrefix(
    _ bytes: Span<UInt8>,
    fitting: Fitting,
    rules: DecodeRules,
    workspace: Workspace
  ) throws(DecodeError) -> DecodedPicture? {
    try rules.limits.check(byteCount: bytes.count)
    return try withPicture(of: bytes, for: fitting) { (picture) throws(DecodeError) in
      let codec = PNGDecoder()
      if codec.recognizes(picture) {
        return try codec.decodePrefix(
          picture,
          fitting: fitting,
          rules: rules,
          workspace: workspace
        )
      }
      var rows = try IconReader(picture)
      return try rows.decodePrefix(picture, fitting: fitting, rules: rules, workspace: workspace)
    }
  }

  /// Calls `body` with the file from the beginning of the best picture on.
  ///
  /// The length in the directory does not matter: the picture knows its end.
  private func withPicture<R>(
    of bytes: Span<UInt8>,
    for fitting: Fitting,
    _ body: (Span<UInt8>) throws(DecodeError) -> R
  ) throws(DecodeError) -> R {
    guard recognizes(bytes) else { throw .unknownFormat(hint: nil) }
    guard let entry = try IconDirectory(bytes, format).best(for: fitting) else {
      throw .malformed(format, offset: 4, reason: "it has no pictures")
    }
    // Before its signature is there, what kind it is cannot be told.
    guard entry.offset + FormatSignature.png.bytes.count <= bytes.count else {
      throw .truncated(format, offset: bytes.count)
    }
    do throws(DecodeError) {
      return try body(bytes.extracting(entry.offset..<bytes.count))
    } catch { throw error.embedded(in: format, at: entry.offset) }
  }
}
