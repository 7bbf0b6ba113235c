import IkranPixels

/// The 64-bit checksum of everything the stores write: XXH64, and XXH3 for bodies.
///
/// Format: the xxHash specification, version 0.2.0. Little-endian, so equal bytes have equal
/// checksums on every machine. XXH3 is two to three times as fast, and needs 241 bytes.
@usableFromInline
package enum Checksum {
  private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
  private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
  private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
  private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
  private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

  /// The checksum of bytes.
  package static func of(_ bytes: [UInt8], seed: UInt64 = 0) -> UInt64 {
    bytes.withUnsafeBytes { hash($0, seed) }
  }

  /// The checksum of a text's UTF-8 bytes.
  package static func of(_ text: String, seed: UInt64 = 0) -> UInt64 {
    var text = text
    return text.withUTF8 { hash(UnsafeRawBufferPointer($0), seed) }
  }

  /// The checksum of a part of memory.
  package static func of(_ bytes: Slice<UnsafeRawBufferPointer>, seed: UInt64 = 0) -> UInt64 {
    hash(UnsafeRawBufferPointer(rebasing: bytes), seed)
  }

  /// The checksum of words, each as its eight bytes with the lowest first.
  package static func of(_ words: [UInt64]) -> UInt64 {
    words.map(\.littleEndian).withUnsafeBytes { hash($0, 0) }
  }

  /// The same of a tuple of 64-bit words, each with its lowest byte first, without an allocation.
  @inlinable
  package static func ofTuple(_ words: some BitwiseCopyable) -> UInt64 {
    withUnsafeBytes(of: words) { hash($0, 0) }
  }

  /// XXH3 of bytes; nil for fewer than 241.
  package static func ofBody(_ bytes: [UInt8], seed: UInt64) -> UInt64? {
    guard bytes.count >= Bitmap.fewestCheckedBytes else { return nil }
    return bytes.withUnsafeBytes { Bitmap.checksum(of: $0, seed: seed) }
  }

  /// 128 bits of a body in one pass: ``of(_:seed:)-swift.method`` in `low`, and another 64 bits.
  package static func pair(of bytes: [UInt8]) -> (low: UInt64, high: UInt64) {
    bytes.withUnsafeBytes { bytes in
      let (sums, count) = (addStripes(of: bytes, 0), UInt64(bytes.count))
      return (
        low: tail(bytes, sums.offset, sums.low &+ count),
        high: tail(bytes, sums.offset, sums.high ^ count)
      )
    }
  }

  @usableFromInline
  package static func hash(_ bytes: UnsafeRawBufferPointer, _ seed: UInt64) -> UInt64 {
    let sums = addStripes(of: bytes, seed)
    return tail(bytes, sums.offset, sums.low &+ UInt64(bytes.count))
  }

  /// Hashes the stripes of 32 bytes, for the checksum and for other 64 bits; the rest begins at
  /// `offset`.
  private static func addStripes(
    of bytes: UnsafeRawBufferPointer,
    _ seed: UInt64
  ) -> (low: UInt64, high: UInt64, offset: Int) {
    guard bytes.count >= 32 else { return (seed &+ prime5, seed ^ prime3, 0) }
    var offset = 0
    var accumulator1 = seed &+ prime1 &+ prime2
    var accumulator2 = seed &+ prime2
    var accumulator3 = seed
    var accumulator4 = seed &- prime1
    while offset &+ 32 <= bytes.count {
      accumulator1 = round(accumulator1, word(bytes, offset))
      accumulator2 = round(accumulator2, word(bytes, offset &+ 8))
      accumulator3 = round(accumulator3, word(bytes, offset &+ 16))
      accumulator4 = round(accumulator4, word(bytes, offset &+ 24))
      offset &+= 32
    }
    var low = rotate(accumulator1, 1) &+ rotate(accumulator2, 7)
    low = low &+ rotate(accumulator3, 12) &+ rotate(accumulator4, 18)
    low = merge(merge(low, accumulator1), accumulator2)
    low = merge(merge(low, accumulator3), accumulator4)
    var high = merge(merge(prime5, accumulator4), accumulator2)
    high = merge(merge(high, accumulator1), accumulator3)
    return (low, high, offset)
  }

  /// Hashes the last bytes, fewer than 32, and mixes the result.
  private static func tail(
    _ bytes: UnsafeRawBufferPointer,
    _ start: Int,
    _ value: UInt64
  ) -> UInt64 {
    var result = value
    var offset = start
    while offset &+ 8 <= bytes.count {
      result = rotate(result ^ round(0, word(bytes, offset)), 27) &* prime1 &+ prime4
      offset &+= 8
    }
    if offset &+ 4 <= bytes.count {
      let half = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
      result = rotate(result ^ UInt64(UInt32(littleEndian: half)) &* prime1, 23)
      result = result &* prime2 &+ prime3
      offset &+= 4
    }
    while offset < bytes.count {
      result = rotate(result ^ UInt64(bytes[offset]) &* prime5, 11) &* prime1
      offset &+= 1
    }
    result = (result ^ result >> 33) &* prime2
    result = (result ^ result >> 29) &* prime3
    return result ^ result >> 32
  }

  private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  private static func rotate(_ value: UInt64, _ bits: UInt64) -> UInt64 {
    value &<< bits | value &>> (64 &- bits)
  }

  private static func round(_ accumulator: UInt64, _ input: UInt64) -> UInt64 {
    rotate(accumulator &+ input &* prime2, 31) &* prime1
  }

  private static func merge(_ value: UInt64, _ accumulator: UInt64) -> UInt64 {
    (value ^ round(0, accumulator)) &* prime1 &+ prime4
  }
}
