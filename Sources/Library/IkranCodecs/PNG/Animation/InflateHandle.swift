#if CLibraries
import CDeflate

// Decision 40: frames are inflated whole.
/// libdeflate, which inflates a whole stream of known length in a third of zlib's time.
final class InflateHandle {
  private let decompressor: OpaquePointer?
  /// Whether the checksum after the stream that was inflated last is wrong.
  private(set) var hasWrongChecksum = false

  init() { decompressor = libdeflate_alloc_decompressor() }

  deinit { if let decompressor { libdeflate_free_decompressor(decompressor) } }

  /// Inflates a zlib stream into exactly so many bytes; false when it does not hold as many, is
  /// damaged, or libdeflate is out of memory.
  ///
  /// A wrong checksum of the bytes is no damage, and costs as much time again.
  func inflate(_ stream: [UInt8], into bytes: inout [UInt8], count: Int) -> Bool {
    guard let decompressor else { return false }
    if bytes.count != count { bytes = [UInt8](repeating: 0, count: count) }
    hasWrongChecksum = false
    let result = stream.withUnsafeBytes { input in
      bytes.withUnsafeMutableBytes { output in
        libdeflate_zlib_decompress(
          decompressor,
          input.baseAddress,
          input.count,
          output.baseAddress,
          output.count,
          // None wanted: then any other length is an error.
          nil
        )
      }
    }
    guard result == LIBDEFLATE_BAD_DATA, hasHeader(stream) else {
      return result == LIBDEFLATE_SUCCESS
    }
    // What lies between header and checksum.
    let data = stream.count - 6
    var used = 0
    let second = stream.withUnsafeBytes { input in
      bytes.withUnsafeMutableBytes { output in
        libdeflate_deflate_decompress_ex(
          decompressor,
          input.baseAddress.map { $0 + 2 },
          data,
          output.baseAddress,
          output.count,
          &used,
          nil
        )
      }
    }
    hasWrongChecksum = second == LIBDEFLATE_SUCCESS && used == data
    return hasWrongChecksum
  }

  /// Whether a stream begins as RFC 1950 says, without a dictionary, and is long enough.
  private func hasHeader(_ stream: [UInt8]) -> Bool {
    guard stream.count > 6 else { return false }
    let header = Int(stream[0]) << 8 | Int(stream[1])
    return stream[0] & 15 == 8 && stream[0] >> 4 <= 7 && stream[1] & 0x20 == 0 && header % 31 == 0
  }

  /// Inflates a zlib stream of unknown length; nil when it holds more than `limit` bytes, is
  /// damaged, or libdeflate is out of memory.
  ///
  /// Cost: that of the whole stream, up to twice.
  func inflate(_ stream: Span<UInt8>, atMost limit: Int) -> [UInt8]? {
    guard let decompressor else { return nil }
    var room = min(limit, 4096)
    while true {
      var result = LIBDEFLATE_SUCCESS
      let bytes = [UInt8](unsafeUninitializedCapacity: room) { output, count in
        result = stream.withUnsafeBytes { input in
          libdeflate_zlib_decompress(
            decompressor,
            input.baseAddress,
            input.count,
            output.baseAddress,
            room,
            &count
          )
        }
        if result != LIBDEFLATE_SUCCESS { count = 0 }
      }
      if result == LIBDEFLATE_SUCCESS { return bytes }
      guard result == LIBDEFLATE_INSUFFICIENT_SPACE, room < limit else { return nil }
      room = min(room * 16, limit)
    }
  }

  /// The checksum at the end of a zlib stream.
  static func adler32(_ bytes: [UInt8]) -> Int {
    bytes.withUnsafeBytes { Int(libdeflate_adler32(1, $0.baseAddress, $0.count)) }
  }

  /// The checksum of a chunk, over its type and its data.
  static func crc32(_ bytes: Span<UInt8>) -> Int {
    bytes.withUnsafeBufferPointer { Int(libdeflate_crc32(0, $0.baseAddress, $0.count)) }
  }
}
#endif
