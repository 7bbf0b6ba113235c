import IkranPixels

/// The headers of a plain JPEG file: sequential Huffman coding, 8 bits, gray or YCbCr,
/// everything in one scan (ITU-T T.81, annex B).
struct BaselineHeader {
  /// The Huffman codes of one colour component.
  struct Codes { let dc, ac: HuffmanCode }

  private(set) var tables = JPEGTables()
  /// One for each component.
  private(set) var codes: [Codes] = []
  /// The offset of the entropy-coded bytes.
  private(set) var scanStart = 0

  /// Reads the headers; nil when anything is unusual, damaged or ambiguous.
  init?(_ bytes: Span<UInt8>) {
    var offset = 2
    while scanStart == 0 {
      guard let (marker, payload) = JPEGTables.nextSegment(bytes, &offset) else { return nil }
      let segment = bytes.extracting(payload)
      let isRead: Bool
      switch marker {
      case 0xC0, 0xC1: isRead = tables.readFrame(segment)
      case 0xDA:
        isRead = readScan(segment)
        scanStart = offset
      default: isRead = tables.read(segment, marker: marker)
      }
      guard isRead else { return nil }
    }
    guard tables.isComplete else { return nil }
  }

  /// One scan of all components in the frame's order, all coefficients at once.
  private mutating func readScan(_ segment: Span<UInt8>) -> Bool {
    let components = tables.components
    guard !components.isEmpty, segment.count == 4 + components.count * 2,
      Int(segment[0]) == components.count,
      segment.has([0, 63, 0], at: segment.count - 3)
    else { return false }
    codes.reserveCapacity(components.count)
    for index in components.indices {
      let numbers = segment[2 + index * 2]
      guard segment[1 + index * 2] == components[index].identifier,
        let dc = tables.dcCode(numbers >> 4), dc.isValid(forDC: true),
        let ac = tables.acCode(numbers & 15), ac.isValid(forDC: false)
      else { return false }
      codes.append(Codes(dc: dc, ac: ac))
    }
    return true
  }
}
