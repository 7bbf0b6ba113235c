import IkranPixels

/// A codec whose pictures are read row by row.
protocol RowCodec: PrefixCodec {
  associatedtype Reader: RowReader

  /// Reads the headers in `bytes`, which the codec recognizes: a whole file or a prefix of it.
  ///
  /// - Throws: ``DecodeError`` when the prefix ends before the size or the headers are broken.
  func reader(of bytes: Span<UInt8>) throws(DecodeError) -> Reader
}

extension RowCodec {
  /// Reads the headers.
  ///
  /// - Throws: ``DecodeError``.
  package func probe(_ bytes: Span<UInt8>) throws(DecodeError) -> ImageInfo {
    guard recognizes(bytes) else { throw .unknownFormat(hint: nil) }
    return try reader(of: bytes).info
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
    var rows = try reader(of: bytes)
    return try rows.decode(bytes, fitting: fitting, rules: rules, workspace: workspace)
  }

  /// Rows from top to bottom; nil while that is not known.
  package func order(of prefix: Span<UInt8>) -> PixelOrder? {
    // Headers that are not there yet, or are broken, show nothing.
    guard let rows = try? reader(of: prefix) else { return nil }
    return rows.isBottomUp ? .unknown : .rows
  }

  /// Decodes what is there of a file to the pixels that `fitting` describes, upright; rows that are
  /// missing are clear.
  package func decodePrefix(
    _ bytes: Span<UInt8>,
    fitting: Fitting,
    rules: DecodeRules,
    workspace: Workspace
  ) throws(DecodeError) -> DecodedPicture? {
    guard recognizes(bytes) else { return nil }
    var rows = try reader(of: bytes)
    return try rows.decodePrefix(bytes, fitting: fitting, rules: rules, workspace: workspace)
  }
}
