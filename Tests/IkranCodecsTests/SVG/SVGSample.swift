#if SVG
import IkranCodecs
import IkranPixels

/// Small documents.
enum SVGSample {
  /// The bytes of a document with such attributes of its root, and such elements.
  static func document(_ attributes: String, _ elements: String = "", prolog: String = "")
    -> [UInt8]
  {
    let names =
      "xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink'"
    return Array("\(prolog)<svg \(names) \(attributes)>\(elements)</svg>".utf8)
  }

  /// A document whose left half is red, and whose right half is blue.
  static func halves(_ attributes: String) -> [UInt8] {
    document(
      attributes,
      "<path fill='red' d='M0 0h5v10h-5z'/><path fill='blue' d='M5 0h5v10h-5z'/>"
    )
  }

  static let red = Pixel(255, 0, 0)
  static let blue = Pixel(0, 0, 255)
  static let clear = Pixel(0, 0, 0, 0)

  /// A gzip file with the bytes as they are, in one block.
  static func stored(_ bytes: [UInt8]) -> [UInt8] {
    func little(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
    var sum: UInt32 = .max
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
    return [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255, 1] + little(bytes.count, 2)
      + little(~bytes.count, 2) + bytes + little(Int(~sum), 4) + little(bytes.count, 4)
  }
}
#endif
