#if !CLibraries
import CZlib

/// Whole zlib streams, written by zlib.
enum Deflate {
  /// A zlib stream of bytes at a level of 1, the quickest, to 9; nil without memory.
  static func compressed(_ bytes: [UInt8], level: CInt) -> [UInt8]? {
    guard let most = uLong(exactly: bytes.count) else { return nil }
    return bytes.compressed(room: Int(compressBound(most))) { from, count, to, room in
      var written = uLongf(room)
      return compress2(to, &written, from, uLong(count), level) == Z_OK ? Int(written) : 0
    }
  }
}
#endif
