#if !CLibraries
import CIkranZlib
import CZlib

/// zlib, which inflates the small streams of a file's metadata where there is no libdeflate.
final class InflateHandle {
  /// Inflates a zlib stream of unknown length; nil when it holds more than `limit` bytes, is
  /// damaged, or memory is short.
  func inflate(_ stream: Span<UInt8>, atMost limit: Int) -> [UInt8]? {
    guard let inflater = ikran_inflate_open(0) else { return nil }
    defer { ikran_inflate_close(inflater) }
    var result: [UInt8] = []
    return stream.withUnsafeBufferPointer { input in
      var buffers = ikran_inflate_buffers()
      (buffers.in, buffers.in_count) = (input.baseAddress, input.count)
      while true {
        // One byte more than may be there tells a stream that ends from one that goes on.
        let room = min(limit + 1 - result.count, max(4096, result.count))
        guard room > 0 else { return nil }
        var state = IKRAN_INFLATE_MORE
        let piece = [UInt8](unsafeUninitializedCapacity: room) { output, count in
          (buffers.out, buffers.out_count) = (output.baseAddress, output.count)
          state = ikran_inflate(inflater, &buffers)
          count = output.count - buffers.out_count
        }
        result += piece
        if state == IKRAN_INFLATE_END { return result.count <= limit ? result : nil }
        guard state == IKRAN_INFLATE_MORE, piece.count == room else { return nil }
      }
    }
  }

  /// The checksum of a chunk, over its type and its data.
  static func crc32(_ bytes: Span<UInt8>) -> Int {
    bytes.withUnsafeBufferPointer { Int(crc32_z(0, $0.baseAddress, $0.count)) }
  }
}
#endif
