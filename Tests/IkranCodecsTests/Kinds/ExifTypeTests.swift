import IkranCodecs
import IkranPixels
import TestBasics
import Testing

/// Orientations as writers store them: in all integer types, with and without JPEG's preamble.
@Suite(.timeLimit(.minutes(10))) struct ExifTypeTests {
  private static let types = [1: 1, 3: 2, 4: 4, 6: 1, 8: 2, 9: 4]
  private static let preambles: [[UInt8]] = [
    [], Array("Exif\0\0".utf8), Array("Exif\0".utf8) + [255],
  ]

  /// A directory of one entry, in which a value of `bytes` bytes fills the place from its start.
  private func directory(
    _ value: Int,
    type: Int,
    bytes: Int,
    isBigEndian: Bool
  ) -> [UInt8] {
    func number(_ value: Int, _ count: Int) -> [UInt8] {
      let low = (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
      return isBigEndian ? low.reversed() : low
    }
    var block = Array((isBigEndian ? "MM" : "II").utf8)
    block += number(42, 2) + number(8, 4) + number(1, 2)
    block += number(0x0112, 2) + number(type, 2) + number(1, 4)
    block += number(value, bytes) + [UInt8](repeating: 0, count: 4 - bytes)
    return block + number(0, 4)
  }

  private func files(_ exif: [UInt8]) throws -> [[UInt8]] {
    let jpeg = try Fixtures.bytes("areas-420.jpg")
    let length = [UInt8((exif.count + 2) >> 8), UInt8((exif.count + 2) & 255)]
    let png = try Fixtures.bytes("gradient-8b-rgb.png")
    let chunk = PNGSample.chunk("eXIf", exif)
    let webp = try Fixtures.bytes("areas-lossless.webp")
    func word(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(value >> ($0 * 8) & 255) } }
    var body = Array("WEBPVP8X".utf8) + word(10) + [8, 0, 0, 0, 47, 0, 0, 31, 0, 0]
    body += webp[12...] + Array("EXIF".utf8) + word(exif.count) + exif
    if !exif.count.isMultiple(of: 2) { body.append(0) }
    let segment: [UInt8] = [0xFF, 0xE1] + length + exif
    let early: [UInt8] = png[..<33] + chunk + png[33...]
    let late: [UInt8] = png.dropLast(12) + chunk + png.suffix(12)
    let riff: [UInt8] = Array("RIFF".utf8) + word(body.count) + body
    return [jpeg[..<2] + segment + jpeg[2...], early, late, riff]
  }

  @Test(arguments: [1, 3, 4, 6, 8, 9], [true, false])
  func everyIntegerTypeCounts(_ type: Int, _ isBigEndian: Bool) throws {
    let bytes = Self.types[type] ?? 0
    for value in 1...8 {
      let exif = directory(value, type: type, bytes: bytes, isBigEndian: isBigEndian)
      for preamble in Self.preambles {
        for (index, file) in try files(preamble + exif).enumerated() {
          let info = try probe(file).get()
          #expect(Int(info.orientation.rawValue) == value, "file \(index), \(preamble.count) bytes")
          #expect(try outcome(of: file).get().size == info.uprightSize)
        }
      }
    }
  }

  @Test(arguments: [true, false])
  func valuesThatAreNoOrientationMeanUpright(_ isBigEndian: Bool) throws {
    let values = [
      (6, 1, -1), (8, 2, -6), (9, 4, -6), (9, 4, 0x0106), (8, 2, 0), (3, 2, 9), (2, 1, 6),
    ]
    for (type, bytes, value) in values {
      let exif = directory(value, type: type, bytes: bytes, isBigEndian: isBigEndian)
      for file in try files(exif) { #expect(try probe(file).get().orientation == .up) }
    }
  }

  @Test func cutBlocksMeanUpright() throws {
    let exif = directory(6, type: 9, bytes: 4, isBigEndian: true)
    for preamble in Self.preambles {
      let block = preamble + exif
      for count in 0..<preamble.count + 20 {
        for file in try files(Array(block[..<count])) {
          #expect(try probe(file).get().orientation == .up, "\(count) bytes")
        }
      }
    }
  }
}
