#if CLibraries
import CDeflate

/// Whole zlib streams, written by libdeflate.
enum Deflate {
  /// A zlib stream of bytes at a level of 1, the quickest, to 12; nil without memory.
  static func compressed(_ bytes: [UInt8], level: CInt) -> [UInt8]? {
    guard let compressor = libdeflate_alloc_compressor(level) else { return nil }
    defer { libdeflate_free_compressor(compressor) }
    let room = libdeflate_zlib_compress_bound(compressor, bytes.count)
    return bytes.compressed(room: room) { from, count, to, room in
      libdeflate_zlib_compress(compressor, from, count, to, room)
    }
  }
}
#endif
