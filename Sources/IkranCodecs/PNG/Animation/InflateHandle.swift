import CDeflate

// Decision 40: frames are inflated whole.
/// libdeflate, which inflates a whole stream of known length in a third of zlib's time.
final class InflateHandle {
  private let decompressor: OpaquePointer?

  init() { decompressor = libdeflate_alloc_decompressor() }

  deinit { if let decompressor { libdeflate_free_decompressor(decompressor) } }

  /// Inflates a zlib stream into exactly so many bytes; false when it does not hold as many, is
  /// damaged, or libdeflate is out of memory.
  func inflate(_ stream: [UInt8], into bytes: inout [UInt8], count: Int) -> Bool {
    guard let decompressor else { return false }
    if bytes.count != count { bytes = [UInt8](repeating: 0, count: count) }
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
    return result == LIBDEFLATE_SUCCESS
  }

  /// Inflates a zlib stream of unknown length; nil when it is damaged, holds more than `limit`
  /// bytes, or libdeflate is out of memory.
  ///
  /// Cost: begins again with eight times the memory until the stream fits.
  static func inflated(_ stream: [UInt8], atMost limit: Int) -> [UInt8]? {
    guard let decompressor = libdeflate_alloc_decompressor() else { return nil }
    defer { libdeflate_free_decompressor(decompressor) }
    var room = min(limit, 8_192)
    while true {
      var (bytes, count) = ([UInt8](repeating: 0, count: room), 0)
      let result = stream.withUnsafeBytes { input in
        bytes.withUnsafeMutableBytes { output in
          libdeflate_zlib_decompress(
            decompressor,
            input.baseAddress,
            input.count,
            output.baseAddress,
            output.count,
            &count
          )
        }
      }
      if result == LIBDEFLATE_SUCCESS { return Array(bytes.prefix(count)) }
      guard result == LIBDEFLATE_INSUFFICIENT_SPACE, room < limit else { return nil }
      room = min(limit, room * 8)
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
