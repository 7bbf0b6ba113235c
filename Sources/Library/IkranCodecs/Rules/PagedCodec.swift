/// A codec of a format whose files may have several pictures, each of a size of its own, that do
/// not follow each other in time.
package protocol PagedCodec: Codec {
  /// Reads the headers of a page, from 0.
  ///
  /// - Throws: ``DecodeError``; ``DecodeError/noPage(_:_:count:)`` when there is no such page.
  func probe(_ bytes: Span<UInt8>, page: Int) throws(DecodeError) -> ImageInfo
}

extension Codec {
  /// Reads the headers of a page, which is the first but for a ``PagedCodec``.
  func info(_ bytes: Span<UInt8>, page: Int) throws(DecodeError) -> ImageInfo {
    if page == 0 { return try probe(bytes) }
    guard let codec = self as? any PagedCodec else { throw .noPage(format, page, count: 1) }
    return try codec.probe(bytes, page: page)
  }
}
