import CIkranZlib

/// The first member of a gzip file (RFC 1952), inflated with zlib.
enum Gzip {
  /// How far the bytes went.
  enum End: Sendable {
    /// The member has ended, and its checksum is right.
    case complete
    /// The file is cut off.
    case cut
    /// There is more than was asked for.
    case more
    case damaged
    case outOfMemory
  }

  /// Whether a file begins as gzip with the only method there is.
  static func recognizes(_ prefix: Span<UInt8>) -> Bool { prefix.has([0x1F, 0x8B, 8], at: 0) }

  /// Inflates at most `limit` bytes of a file or of its beginning.
  ///
  /// - Returns: What there is, also of a file that is cut off or damaged, and how it ends.
  static func inflate(_ file: Span<UInt8>, atMost limit: Int) -> (bytes: [UInt8], end: End) {
    guard let inflater = ikran_gunzip_open() else { return ([], .outOfMemory) }
    defer { ikran_inflate_close(inflater) }
    var room = min(limit, max(4096, file.count * 4))
    var result: [UInt8] = []
    return file.withUnsafeBufferPointer { input in
      var buffers = ikran_inflate_buffers()
      (buffers.in, buffers.in_count) = (input.baseAddress, input.count)
      while true {
        var state = IKRAN_INFLATE_MORE
        let piece = [UInt8](unsafeUninitializedCapacity: room) { output, count in
          (buffers.out, buffers.out_count) = (output.baseAddress, output.count)
          state = ikran_inflate(inflater, &buffers)
          count = output.count - buffers.out_count
        }
        result += piece
        if state == IKRAN_INFLATE_END { return (result, .complete) }
        if state == IKRAN_INFLATE_DAMAGED { return (result, .damaged) }
        if piece.count < room { return (result, buffers.in_count == 0 ? .cut : .damaged) }
        room = min(limit - result.count, result.count)
        if room == 0 { return (result, .more) }
      }
    }
  }
}
