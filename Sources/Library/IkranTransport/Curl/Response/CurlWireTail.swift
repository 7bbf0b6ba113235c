#if CLibraries
/// The last bytes of an encoded body as they came over the wire, to tell whether its encoding
/// ended.
///
/// libcurl removes encodings, but takes a part for the whole when the wire's bytes stop early.
/// gzip and zlib streams end with a sum of the body, which a stream that was cut does not have.
struct CurlWireTail {
  /// Where the next byte belongs: chunks still have their framing here.
  private enum Position {
    case size(Int)
    case extensions(Int)
    case data(Int)
    case lineEnd
    case end
  }

  /// The two bytes that tell zlib's header from a bare deflate stream.
  private var start: [UInt8] = []
  /// At most as many bytes as the longest trailer has; the newest last.
  private var last: [UInt8] = []
  private var position: Position
  private let isChunked: Bool

  /// Makes a tail of nothing.
  ///
  /// - Parameters:
  ///   - isChunked: Whether the body comes in the chunks of HTTP/1.1.
  ///   - length: How many bytes belong to a body without chunks; nil when the connection ends it.
  init(isChunked: Bool, length: Int?) {
    self.isChunked = isChunked
    position = isChunked ? .size(0) : .data(length ?? .max)
  }

  /// Takes bytes as they came; libcurl itself refuses chunks that are malformed.
  mutating func take(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes[...]
    while let byte = rest.first {
      if case .end = position { return }
      if case .data(let count) = position {
        let data = rest.prefix(count)
        keep(data)
        rest = rest.dropFirst(data.count)
        position = data.count < count ? .data(count - data.count) : isChunked ? .lineEnd : .end
      } else {
        position = Self.position(after: byte, at: position)
        rest = rest.dropFirst()
      }
    }
  }

  private static func position(after byte: UInt8, at current: Position) -> Position {
    let isEnd = byte == UInt8(ascii: "\n")
    switch current {
    case .size(let size), .extensions(let size):
      if isEnd { return size == 0 ? .end : .data(size) }
      guard case .size = current, let digit = Character(Unicode.Scalar(byte)).hexDigitValue,
        size <= Int.max >> 4
      else { return .extensions(size) }
      return .size(size << 4 | digit)
    case .lineEnd: return isEnd ? .size(0) : .lineEnd
    case .data, .end: return current
    }
  }

  private mutating func keep(_ bytes: Slice<UnsafeRawBufferPointer>) {
    start += bytes.prefix(2 - start.count)
    last = (last + bytes.suffix(4)).suffix(4)
  }

  /// Whether the trailer of the encoding is that of the body; true as well for nothing at all, and
  /// for encodings without a sum in their trailer.
  func ends(_ encoding: String, of body: [UInt8]) -> Bool {
    guard !start.isEmpty else { return true }
    switch encoding {
    case "gzip", "x-gzip":
      // RFC 1952, section 2.3.1: the length of the body, lowest byte first.
      return number(last.reversed()) == UInt32(truncatingIfNeeded: body.count)
    case "deflate" where isZlib:
      // RFC 1950, section 2.2: the Adler-32 of the body, highest byte first.
      return number(last) == Self.adler32(body)
    default: return true
    }
  }

  /// Whether the stream begins with the header of RFC 1950; some servers send none.
  private var isZlib: Bool {
    start.count < 2 || (start[0] & 15 == 8 && (Int(start[0]) << 8 | Int(start[1])) % 31 == 0)
  }

  private func number(_ bytes: some Collection<UInt8>) -> UInt32? {
    bytes.count < 4 ? nil : bytes.reduce(0) { $0 << 8 | UInt32($1) }
  }

  private static func adler32(_ bytes: [UInt8]) -> UInt32 {
    var (low, high) = (UInt32(1), UInt32(0))
    var position = 0
    while position < bytes.count {
      // The sums of so many bytes still fit.
      let end = min(position + 5552, bytes.count)
      for byte in bytes[position..<end] {
        low &+= UInt32(byte)
        high &+= low
      }
      (low, high, position) = (low % 65_521, high % 65_521, end)
    }
    return high << 16 | low
  }
}
#endif
