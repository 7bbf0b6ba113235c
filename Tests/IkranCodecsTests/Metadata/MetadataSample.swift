import IkranCodecs
import IkranPixels
import TestBasics

/// Metadata blocks, and files of each format that carry them.
struct MetadataSample: Sendable {
  static let xmp = """
    <?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF>
    <rdf:Description tiff:Orientation="6" xmlns:dc="http://purl.org/dc/elements/1.1/">
    <dc:creator><rdf:Seq><rdf:li>Ana &amp; Bob</rdf:li><rdf:li>C&#233;line</rdf:li></rdf:Seq></dc:creator>
    <dc:rights><rdf:Alt><rdf:li xml:lang="x-default">© 2026 Ana &lt;a@b.test&gt;</rdf:li></rdf:Alt></dc:rights>
    <xmp:Thumbnails><rdf:Alt><rdf:li>AAAASMALLPICTURE</rdf:li></rdf:Alt></xmp:Thumbnails>
    </rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>
    """

  /// A byte order and an EXIF block with everything that is read of it.
  static func exif(isBigEndian: Bool = false, orientation: Int = 6) -> [UInt8] {
    var block = ExifBlock(isBigEndian: isBigEndian)
    let rules = block.directory([.text(0x0001, "R03")])
    let photo = block.directory([
      .fraction(0x829A, 1, 250), .fraction(0x829D, 28, 10), .short(0x8827, 400),
      .text(0x9003, "2026:11:25 13:45:00"), .text(0x9011, "+01:00"), .short(0x9209, 0x19),
      .fraction(0x920A, 35, 1), .short(0xA001, 0xFFFF), .text(0xA434, "35mm F2.8"),
      .undefined(0x927C, Array("MAKERNOTE".utf8)), .long(0xA002, 4_000), .long(0xA005, rules),
    ])
    let place = block.directory([
      .text(0x0001, "N"), .fractions(0x0002, [(52, 1), (31, 1), (0, 1)]), .text(0x0003, "E"),
      .fractions(0x0004, [(13, 1), (24, 1), (0, 1)]),
    ])
    let small = block.append(Array("THUMBNAILBYTES".utf8))
    let second = block.directory([.long(0x0201, small), .long(0x0202, 14)])
    let first = block.directory(
      [
        .long(0x0100, 4_000), .text(0x010E, "A cat"), .text(0x010F, "ACME"),
        .text(0x0110, "Model 1"), .short(0x0112, orientation), .text(0x0131, "Firmware 2"),
        .text(0x0132, "2026:11:26 09:00:00"), .text(0x013B, "Ana"),
        .text(0x8298, "(c) 2026 Ana"), .long(0x8769, photo), .long(0x8825, place),
      ],
      next: second
    )
    block.setFirst(first)
    return block.bytes
  }

  /// A profile with a description of version 2 or 4.
  static func profile(version: UInt8 = 4, name: String = "Test RGB", padding: Int = 0) -> [UInt8] {
    var profile = [UInt8](repeating: 0, count: 128)
    func put(_ text: String, at offset: Int) {
      profile.replaceSubrange(offset..<offset + text.utf8.count, with: Array(text.utf8))
    }
    (profile[8], profile[9]) = (version, 0x30)
    put("mntr", at: 12)
    put("RGB ", at: 16)
    put("XYZ ", at: 20)
    put("acsp", at: 36)
    let text: [UInt8]
    if version < 4 {
      text = Array("desc\0\0\0\0".utf8) + four(name.utf8.count + 1) + Array(name.utf8) + [0]
    } else {
      let units = name.utf16.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
      let other: [UInt8] = [0, 0x58]
      let records =
        Array("deDE".utf8) + four(2) + four(40) + Array("enUS".utf8) + four(units.count) + four(42)
      text = Array("mluc\0\0\0\0".utf8) + four(2) + four(12) + records + other + units
    }
    profile += four(1) + Array("desc".utf8) + four(144) + four(text.count) + text
    profile += [UInt8](repeating: 7, count: padding)
    return profile
  }

  static func four(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  static func picture(_ encoding: ImageEncoding) throws -> [UInt8] {
    try gradient(width: 24, height: 16).encoded(as: encoding)
  }

  // MARK: - Files

  /// A JPEG whose profile is in parts of a few bytes, the last part first.
  static func jpeg(exif: [UInt8]?, xmp: [UInt8]?, profile: [UInt8]?) throws -> [UInt8] {
    func segment(_ marker: UInt8, _ name: String, _ body: [UInt8]) -> [UInt8] {
      let length = name.utf8.count + body.count + 2
      return [0xFF, marker, UInt8(length >> 8), UInt8(length & 255)] + Array(name.utf8) + body
    }
    var segments: [UInt8] = []
    if let exif { segments += segment(0xE1, "Exif\0\0", exif) }
    if let xmp { segments += segment(0xE1, "http://ns.adobe.com/xap/1.0/\0", xmp) }
    if let profile {
      let parts = stride(from: 0, to: profile.count, by: 100).map {
        Array(profile[$0..<min($0 + 100, profile.count)])
      }
      for (index, part) in parts.enumerated().reversed() {
        let number = [UInt8(index + 1), UInt8(parts.count)]
        segments += segment(0xE2, "ICC_PROFILE\0", number + part)
      }
    }
    let plain = try picture(.jpeg())
    return plain[..<2] + segments + plain[2...]
  }
}

/// Writes an EXIF block piece by piece.
struct ExifBlock {
  enum Field {
    case text(Int, String), short(Int, Int), long(Int, Int), fraction(Int, Int, Int)
    case fractions(Int, [(Int, Int)]), undefined(Int, [UInt8])
  }

  let isBigEndian: Bool
  private(set) var bytes: [UInt8]

  init(isBigEndian: Bool) {
    self.isBigEndian = isBigEndian
    bytes = isBigEndian ? [0x4D, 0x4D, 0, 42, 0, 0, 0, 8] : [0x49, 0x49, 42, 0, 8, 0, 0, 0]
  }

  mutating func append(_ more: [UInt8]) -> Int {
    bytes += more
    return bytes.count - more.count
  }

  mutating func setFirst(_ offset: Int) { bytes.replaceSubrange(4..<8, with: number(offset, 4)) }

  mutating func directory(_ fields: [Field], next: Int = 0) -> Int {
    var entries: [UInt8] = []
    for field in fields {
      let (tag, type, count, value) = parts(field)
      entries += number(tag, 2) + number(type, 2) + number(count, 4)
      if value.count <= 4 {
        entries += value + [UInt8](repeating: 0, count: 4 - value.count)
      } else {
        entries += number(append(value), 4)
      }
    }
    return append(number(fields.count, 2) + entries + number(next, 4))
  }

  private func parts(_ field: Field) -> (tag: Int, type: Int, count: Int, value: [UInt8]) {
    switch field {
    case .text(let tag, let text): (tag, 2, text.utf8.count + 1, Array(text.utf8) + [0])
    case .short(let tag, let value): (tag, 3, 1, number(value, 2))
    case .long(let tag, let value): (tag, 4, 1, number(value, 4))
    case .fraction(let tag, let upper, let lower):
      (tag, 5, 1, number(upper, 4) + number(lower, 4))
    case .fractions(let tag, let list):
      (tag, 5, list.count, list.flatMap { number($0.0, 4) + number($0.1, 4) })
    case .undefined(let tag, let value): (tag, 7, value.count, value)
    }
  }

  private func number(_ value: Int, _ count: Int) -> [UInt8] {
    let little = (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    return isBigEndian ? little.reversed() : little
  }
}
