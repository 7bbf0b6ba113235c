#if CLibraries
import CZlib

/// Decompression of whole gzip and zlib streams with zlib.
enum Inflation {
  /// What became of a stream.
  enum Outcome: Sendable, Hashable {
    case whole([UInt8])
    /// It stands for more bytes than the limit.
    case tooLarge
    /// It is no such stream, or its end is missing.
    case damaged
  }

  /// Decompresses one stream.
  ///
  /// C functions: `inflateInit2_`, which recognises gzip and zlib, and `inflate`, which checks the
  /// sum at the end.
  ///
  /// - Parameters:
  ///   - stream: The whole stream; what follows its end is an error.
  ///   - limit: The most bytes to return.
  /// - Returns: The bytes, or why there are none.
  static func inflated(_ stream: [UInt8], limit: Int) -> Outcome {
    guard stream.count < Int(UInt32.max), limit > 0 else { return .damaged }
    var state = z_stream()
    let size = CInt(MemoryLayout<z_stream>.size)
    guard inflateInit2_(&state, MAX_WBITS + 32, ZLIB_VERSION, size) == Z_OK else { return .damaged }
    defer { inflateEnd(&state) }
    var (input, bytes) = (stream, [UInt8]())
    return input.withUnsafeMutableBufferPointer { input in
      state.next_in = input.baseAddress
      state.avail_in = UInt32(input.count)
      while true {
        let code = append(to: &bytes, from: &state, limit: limit)
        if bytes.count > limit { return .tooLarge }
        if code == Z_STREAM_END { return state.avail_in == 0 ? .whole(bytes) : .damaged }
        // Without room left to fill, the input has ended before the stream.
        guard code == Z_OK, state.avail_out == 0 else { return .damaged }
      }
    }
  }

  /// Appends the next bytes: at most 256 KB, and one byte over the limit.
  private static func append(
    to bytes: inout [UInt8],
    from state: inout z_stream,
    limit: Int
  ) -> CInt {
    var code = Z_OK
    bytes += [UInt8](unsafeUninitializedCapacity: min(1 << 18, limit - bytes.count + 1)) {
      state.next_out = $0.baseAddress
      state.avail_out = UInt32($0.count)
      code = inflate(&state, Z_NO_FLUSH)
      $1 = $0.count - Int(state.avail_out)
    }
    return code
  }
}
#endif
