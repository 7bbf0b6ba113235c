/// The content codings of HTTP, written by hand with blocks that hold their bytes as they are.
enum ContentCoding: String, CaseIterable, Sendable {
  case gzip
  case deflate
  case brotli = "br"
  case zstd

  /// The bytes in this coding.
  func encoded(_ bytes: [UInt8]) -> [UInt8] {
    switch self {
    case .gzip:
      Self.gzipHead + Self.stored(bytes) + Self.little(Self.crc32(bytes), 4)
        + Self.little(UInt32(bytes.count), 4)
    case .deflate:
      [0x78, 0x01] + Self.stored(bytes) + Self.little(Self.adler32(bytes), 4).reversed()
    case .brotli: Self.brotli(bytes)
    case .zstd: Self.zstdHead + Self.zstd(bytes)
    }
  }

  /// RFC 1952, section 2.3.
  static let gzipHead: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]
  /// RFC 8878, section 3.1.1: a window of 128 KiB, no checksum.
  static let zstdHead: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x38]

  /// A gzip body that never ends: a beginning, and 13 bytes to be repeated that stand for 2,064.
  ///
  /// RFC 1951, section 3.2.6: a zero, then copies of 258 bytes from one byte before, of 13 bits each.
  static var gzipBomb: (start: [UInt8], repeated: [UInt8]) {
    let copy: [UInt8] = [1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0]
    let start: [UInt8] = [0, 1, 0] + [0, 0, 1, 1, 0, 0, 0, 0] + copy
    let repeated = Array(repeatElement(copy, count: 8).joined())
    return (gzipHead + packed(start), packed(repeated))
  }

  /// A Zstandard body that never ends: a beginning, and four bytes to be repeated that stand for
  /// 131,072.
  static var zstdBomb: (start: [UInt8], repeated: [UInt8]) {
    (zstdHead, little(131_072 << 3 | 1 << 1, 3) + [0])
  }

  /// A gzip body that never ends and stands for nothing: empty blocks.
  static var hollowGzip: (start: [UInt8], repeated: [UInt8]) {
    (gzipHead, [0, 0, 0, 0xFF, 0xFF])
  }

  // MARK: - Formats

  /// RFC 1951, section 3.2.4.
  private static func stored(_ bytes: [UInt8]) -> [UInt8] {
    blocks(bytes, of: 65_535).flatMap { block, isLast in
      let count = UInt32(block.count)
      return [isLast ? 1 : 0] + little(count, 2) + little(~count, 2) + block
    }
  }

  /// RFC 7932, sections 9.1 and 9.2: a window of 64 KiB.
  private static func brotli(_ bytes: [UInt8]) -> [UInt8] {
    var (stream, headBits): ([UInt8], UInt32) = ([], 1)
    for (block, _) in blocks(bytes, of: 65_536) where !block.isEmpty {
      stream += little(UInt32(block.count - 1) << (3 + headBits) | 1 << (19 + headBits), 3) + block
      headBits = 0
    }
    return stream + [headBits == 1 ? 6 : 3]
  }

  private static func zstd(_ bytes: [UInt8]) -> [UInt8] {
    blocks(bytes, of: 131_072).flatMap { block, isLast in
      little(UInt32(block.count) << 3 | (isLast ? 1 : 0), 3) + block
    }
  }

  /// The bytes in pieces, at least one.
  private static func blocks(_ bytes: [UInt8], of count: Int) -> [([UInt8], isLast: Bool)] {
    stride(from: 0, to: max(1, bytes.count), by: count).map { start in
      let end = min(start + count, bytes.count)
      return (Array(bytes[start..<end]), end == bytes.count)
    }
  }

  private static func little(_ number: UInt32, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * UInt32($0))) }
  }

  /// Bits in bytes, the first bit lowest.
  private static func packed(_ bits: [UInt8]) -> [UInt8] {
    stride(from: 0, to: bits.count, by: 8).map { start in
      (0..<8).reduce(0) { $0 | bits[start + $1] << UInt8($1) }
    }
  }

  private static func crc32(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(~0) { sum, byte in
      (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in sum >> 1 ^ (sum & 1) * 0xEDB8_8320 }
    }
  }

  private static func adler32(_ bytes: [UInt8]) -> UInt32 {
    let (low, high) = bytes.reduce((UInt32(1), UInt32(0))) { sums, byte in
      let low = (sums.0 + UInt32(byte)) % 65_521
      return (low, (sums.1 + low) % 65_521)
    }
    return high << 16 | low
  }
}
