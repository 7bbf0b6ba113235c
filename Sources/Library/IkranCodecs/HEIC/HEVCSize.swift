#if HEIC
import IkranPixels

/// The size of pictures that a sequence parameter set declares (ITU-T H.265, section 7.3.2.2).
struct HEVCSize {
  let pixels: Int

  /// Reads a unit of coded data, with its header of two bytes; nil for one of another kind.
  init?(_ unit: Span<UInt8>) {
    guard let first = unit.byte(at: 0), let second = unit.byte(at: 1), first >> 1 & 63 == 33,
      first & 1 == 0, second >> 3 == 0
    else { return nil }
    var bits = UnitBits(unit)
    bits.skip(20)
    let layers = bits.read(3)
    bits.skip(1 + 96)
    // What is said of each layer, in 88 and in 8 bits.
    var rest = 0
    for _ in 0..<layers { rest += bits.read(1) * 88 + bits.read(1) * 8 }
    if layers > 0 { bits.skip((8 - layers) * 2) }
    bits.skip(rest)
    _ = bits.readExponential()
    if bits.readExponential() == 3 { bits.skip(1) }
    let (width, height) = (bits.readExponential(), bits.readExponential())
    guard !bits.isAtEnd else { return nil }
    pixels = width * height
  }
}

/// The first bits of a unit, without the bytes that keep it apart from start codes.
private struct UnitBits {
  private var bytes: [UInt8] = []
  private var position = 0
  private(set) var isAtEnd = false

  init(_ unit: Span<UInt8>) {
    var zeros = 0
    for offset in 0..<min(unit.count, 256) {
      let byte = unit[offset]
      if zeros >= 2, byte == 3 {
        zeros = 0
        continue
      }
      zeros = byte == 0 ? zeros + 1 : 0
      bytes.append(byte)
    }
  }

  mutating func skip(_ count: Int) { position += count }

  mutating func read(_ count: Int) -> Int {
    var value = 0
    for _ in 0..<count {
      guard position < bytes.count * 8 else {
        isAtEnd = true
        return 0
      }
      value = value << 1 | Int(bytes[position / 8] >> (7 - UInt8(position % 8)) & 1)
      position += 1
    }
    return value
  }

  /// An Exp-Golomb code of up to 31 bits.
  mutating func readExponential() -> Int {
    var zeros = 0
    while !isAtEnd, zeros < 31, read(1) == 0 { zeros += 1 }
    return zeros < 31 ? (1 << zeros) - 1 + read(zeros) : Int(Int32.max)
  }
}

extension ItemTable {
  /// The most pixels of a coded picture among some parts of the file's picture.
  ///
  /// The coded data itself says it: boxes may declare fewer. It is `Int.max` for data of very many
  /// units, or that is read very often.
  func mostCodedPixels(of parts: Set<Int>, _ bytes: Span<UInt8>) -> Int {
    var most = 0
    for box in properties(ofAny: parts, bytes) where box.type == "hvcC" {
      most = max(most, Self.mostPixels(configuration: box, bytes))
    }
    var unitsLeft = 200_000
    // Items may share their data, and each is searched among all.
    var bytesLeft = 2 << 30
    for item in parts.sorted() {
      guard unitsLeft > 0, bytesLeft > 0 else { return .max }
      bytesLeft -= locations?.count ?? 0
      guard let coded = data(of: item, bytes, atMost: bytes.count) else { continue }
      bytesLeft -= coded.count
      let span = coded.span
      var offset = 0
      while unitsLeft > 0, let length = span.bigEndian32(at: offset) {
        let start = offset + 4
        guard length <= span.count - start else { break }
        if let size = HEVCSize(span.extracting(start..<start + length)) {
          most = max(most, size.pixels)
        }
        offset = start + length
        unitsLeft -= 1
      }
    }
    return unitsLeft > 0 ? most : .max
  }

  /// The sets in a box of the decoder's configuration (ISO/IEC 14496-15, section 8.3.3.1).
  private static func mostPixels(configuration box: Box, _ bytes: Span<UInt8>) -> Int {
    var offset = box.body.lowerBound + 22
    guard let arrays = bytes.byte(at: offset) else { return 0 }
    offset += 1
    var most = 0
    for _ in 0..<arrays {
      let count = bytes.bigEndian16(at: offset + 1) ?? 0
      offset += 3
      for _ in 0..<count {
        guard let length = bytes.bigEndian16(at: offset), offset + 2 + length <= box.body.upperBound
        else { return most }
        let unit = bytes.extracting(offset + 2..<offset + 2 + length)
        most = max(most, HEVCSize(unit)?.pixels ?? 0)
        offset += 2 + length
      }
    }
    return most
  }
}
#endif
