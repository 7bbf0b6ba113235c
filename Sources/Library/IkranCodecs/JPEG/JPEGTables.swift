import IkranPixels

/// The frame and the tables of a JPEG file of 8 bits, Huffman-coded, gray or YCbCr (ITU-T T.81,
/// annex B).
struct JPEGTables {
  /// One colour component.
  struct Component {
    let identifier: UInt8
    /// Blocks of one MCU, across and down.
    let across, down: Int
    let quantizationTable: Int
  }

  private(set) var size = PixelSize(width: 0, height: 0)
  private(set) var components: [Component] = []
  /// Quantisation steps in zigzag order, 64 per table.
  private(set) var quantization = [[UInt16]](repeating: [], count: 4)
  private var dcCodes = [HuffmanCode?](repeating: nil, count: 4)
  private var acCodes = [HuffmanCode?](repeating: nil, count: 4)
  /// The restart interval in MCUs; 0 when there are no restart markers.
  private(set) var restartInterval = 0
  private var isJFIF = false
  private var adobeTransform: UInt8?

  /// The segment at `offset`, which is moved past it; nil when there is none, or only part of it.
  static func nextSegment(
    _ bytes: Span<UInt8>,
    _ offset: inout Int
  ) -> (marker: UInt8, payload: Range<Int>)? {
    guard bytes.byte(at: offset) == 0xFF, let marker = bytes.byte(at: offset + 1),
      let length = bytes.bigEndian16(at: offset + 2), length >= 2,
      offset + 2 + length <= bytes.count
    else { return nil }
    defer { offset += 2 + length }
    return (marker, offset + 4..<offset + 2 + length)
  }

  /// Whether the file defines the component's quantisation, and the colours are luma and chroma.
  var isComplete: Bool {
    components.allSatisfy { !quantization[$0.quantizationTable].isEmpty }
      && (components.count == 1 || isLumaAndChroma)
  }

  /// The unambiguous cases of libjpeg's rules for the colour space.
  private var isLumaAndChroma: Bool {
    if isJFIF { return true }
    if let adobeTransform { return adobeTransform == 1 }
    return components.indices.allSatisfy { components[$0].identifier == $0 + 1 }
  }

  /// The Huffman code of DC with a number; nil when the file has not defined it.
  func dcCode(_ number: UInt8) -> HuffmanCode? { number < 4 ? dcCodes[Int(number)] : nil }

  /// The Huffman code of AC with a number; nil when the file has not defined it.
  func acCode(_ number: UInt8) -> HuffmanCode? { number < 4 ? acCodes[Int(number)] : nil }

  /// Reads a segment other than a frame or a scan; false when anything is unusual or damaged.
  mutating func read(_ segment: Span<UInt8>, marker: UInt8) -> Bool {
    switch marker {
    case 0xC4: readCodes(segment)
    case 0xDB: readSteps(segment)
    case 0xDD: readRestartInterval(segment)
    case 0xE0...0xEF, 0xFE: readApplication(segment, marker)
    default: false
    }
  }

  /// Reads the frame's header; false when it is unusual or damaged.
  mutating func readFrame(_ segment: Span<UInt8>) -> Bool {
    guard components.isEmpty, segment.byte(at: 0) == 8, let height = segment.bigEndian16(at: 1),
      let width = segment.bigEndian16(at: 3), let count = segment.byte(at: 5),
      count == 1 || count == 3, segment.count == 6 + Int(count) * 3, width > 0, height > 0
    else { return false }
    size = PixelSize(width: width, height: height)
    components.reserveCapacity(Int(count))
    for start in stride(from: 6, to: segment.count, by: 3) {
      // A single component is not interleaved, whatever its factors say.
      let factors = count == 1 ? 0x11 : segment[start + 1]
      guard segment[start + 2] < 4, (1...4).contains(segment[start + 1] >> 4),
        (1...4).contains(segment[start + 1] & 15)
      else { return false }
      components.append(
        Component(
          identifier: segment[start],
          across: Int(factors >> 4),
          down: Int(factors & 15),
          quantizationTable: Int(segment[start + 2])
        )
      )
    }
    guard count == 3 else { return true }
    return components[0].across <= 2 && components[0].down <= 2
      && components.dropFirst().allSatisfy { $0.across == 1 && $0.down == 1 }
      && components[0].identifier != components[1].identifier
      && components[1].identifier != components[2].identifier
      && components[2].identifier != components[0].identifier
  }

  private mutating func readSteps(_ segment: Span<UInt8>) -> Bool {
    guard !segment.isEmpty, segment.count % 65 == 0 else { return false }
    for start in stride(from: 0, to: segment.count, by: 65) {
      // The high half is the precision: 0 for 8 bits.
      let table = Int(segment[start])
      guard table < 4 else { return false }
      quantization[table] = (1...64).map { UInt16(segment[start + $0]) }
    }
    return true
  }

  private mutating func readCodes(_ segment: Span<UInt8>) -> Bool {
    var start = 0
    while start < segment.count {
      guard start + 17 <= segment.count, segment[start] & 0x0F < 4, segment[start] >> 4 < 2 else {
        return false
      }
      let counts = (1...16).map { segment[start + $0] }
      let end = start + 17 + counts.reduce(0) { $0 + Int($1) }
      guard end <= min(segment.count, start + 17 + 256) else { return false }
      let code = HuffmanCode(counts: counts, symbols: (start + 17..<end).map { segment[$0] })
      let table = Int(segment[start] & 0x0F)
      if segment[start] < 0x10 { dcCodes[table] = code } else { acCodes[table] = code }
      start = end
    }
    return start > 0
  }

  private mutating func readRestartInterval(_ segment: Span<UInt8>) -> Bool {
    guard segment.count == 2, let interval = segment.bigEndian16(at: 0) else { return false }
    restartInterval = interval
    return true
  }

  private mutating func readApplication(_ segment: Span<UInt8>, _ marker: UInt8) -> Bool {
    if marker == 0xE0, segment.count >= 14, segment.has("JFIF\0", at: 0) { isJFIF = true }
    if marker == 0xEE, segment.count >= 12, segment.has("Adobe", at: 0) {
      adobeTransform = segment[11]
    }
    return true
  }
}
