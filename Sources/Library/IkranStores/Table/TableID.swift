import IkranSystem

/// 128 bits that name an entity, or a version of what it shows.
///
/// Any text or bytes hash to one, the same on every machine and in every run, so ids may be made
/// from URLs, keys of a database or UUIDs alike.
public struct TableID: Hashable, Sendable, CustomStringConvertible {
  /// The first eight bytes, the first of them highest.
  public let high: UInt64
  /// The last eight bytes.
  public let low: UInt64

  /// Takes 128 bits as they are, such as those of a UUID.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Hashes the UTF-8 bytes of a text.
  public init(_ text: some StringProtocol) {
    var text = String(text)
    self = text.withUTF8 { SipHash.hash(UnsafeRawBufferPointer($0), key: (0, 0)) }
  }

  /// Hashes bytes.
  public init(bytes: [UInt8]) {
    self = bytes.withUnsafeBytes { SipHash.hash($0, key: (0, 0)) }
  }

  /// Reads 32 hexadecimal digits of either case, as in ``description`` and in UUIDs; dashes are
  /// skipped, any other character gives nil.
  public init?(hexadecimal text: some StringProtocol) {
    var words: [UInt64] = [0, 0]
    var digits = 0
    for character in text.utf8 where character != UInt8(ascii: "-") {
      guard digits < 32, let digit = Self.value(character) else { return nil }
      words[digits / 16] = words[digits / 16] << 4 | digit
      digits += 1
    }
    guard digits == 32 else { return nil }
    self.init(high: words[0], low: words[1])
  }

  /// 32 hexadecimal digits in lower case.
  public var description: String { String(hexadecimal: high, low) }

  private static func value(_ character: UInt8) -> UInt64? {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(character - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(character - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(character - UInt8(ascii: "A") + 10)
    default: nil
    }
  }
}

/// SipHash-2-4 with 128 bits of output.
///
/// Source: Aumasson and Bernstein, “SipHash: a fast short-input PRF”, and its reference code for
/// 128 bits. The output is wide because two texts with one id would show each other's pictures.
package enum SipHash {
  private struct State {
    var v0, v1, v2, v3: UInt64

    mutating func round() {
      v0 = v0 &+ v1
      v1 = (v1 &<< 13 | v1 &>> 51) ^ v0
      v0 = v0 &<< 32 | v0 &>> 32
      v2 = v2 &+ v3
      v3 = (v3 &<< 16 | v3 &>> 48) ^ v2
      v0 = v0 &+ v3
      v3 = (v3 &<< 21 | v3 &>> 43) ^ v0
      v2 = v2 &+ v1
      v1 = (v1 &<< 17 | v1 &>> 47) ^ v2
      v2 = v2 &<< 32 | v2 &>> 32
    }

    mutating func take(_ word: UInt64) {
      v3 ^= word
      round()
      round()
      v0 ^= word
    }

    mutating func finish() -> UInt64 {
      for _ in 0..<4 { round() }
      return v0 ^ v1 ^ v2 ^ v3
    }
  }

  /// Hashes bytes; the id's bytes are the reference's output, in order.
  package static func hash(
    _ bytes: UnsafeRawBufferPointer,
    key: (UInt64, UInt64)
  ) -> TableID {
    var state = State(
      v0: 0x736F_6D65_7073_6575 ^ key.0,
      v1: 0x646F_7261_6E64_6F6D ^ key.1 ^ 0xEE,
      v2: 0x6C79_6765_6E65_7261 ^ key.0,
      v3: 0x7465_6462_7974_6573 ^ key.1
    )
    var offset = 0
    while offset &+ 8 <= bytes.count {
      let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      state.take(UInt64(littleEndian: word))
      offset &+= 8
    }
    var last = UInt64(truncatingIfNeeded: bytes.count) &<< 56
    for index in offset..<bytes.count {
      last |= UInt64(bytes[index]) &<< UInt64(8 &* (index &- offset))
    }
    state.take(last)
    state.v2 ^= 0xEE
    let first = state.finish()
    state.v1 ^= 0xDD
    let second = state.finish()
    return TableID(high: first.byteSwapped, low: second.byteSwapped)
  }
}

extension Checksum {
  /// 128 bits of a body in one pass: its checksum in `low`, and another 64 bits.
  package static func wide(_ bytes: [UInt8]) -> TableID {
    let (low, high) = pair(of: bytes)
    return TableID(high: high, low: low)
  }
}

extension Files {
  /// Names what an ordinary file holds without reading it: another id when its size, its inode or
  /// the time of its last change is another; nil when there is none.
  package static func version(of path: String) -> TableID? {
    versionPair(of: path).map { TableID(high: $0.high, low: $0.low) }
  }
}
