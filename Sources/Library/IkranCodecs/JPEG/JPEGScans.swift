/// Follows a progressive JPEG file while it arrives: which of its scans are whole.
///
/// Each byte is looked at once, however often ``read(_:)`` is called.
package struct JPEGScans: Sendable {
  /// How many scans are whole.
  package private(set) var count = 0
  /// Where the last of them ends.
  package private(set) var end = 0
  /// Whether the file can be shown before all of it is there; nil until that is known.
  package private(set) var isProgressive: Bool?
  /// The next byte that matters.
  private var offset = 2
  /// Whether what is there ends in the data of a scan.
  package private(set) var isInScan = false

  /// Begins with a file of which nothing has arrived.
  package init() {}

  /// Takes note of the beginning of the file that is there now, at least as long as before.
  package mutating func read(_ bytes: Span<UInt8>) {
    guard isProgressive != false, bytes.count >= 2 else { return }
    guard bytes[0] == 0xFF, bytes[1] == 0xD8 else {
      isProgressive = false
      return
    }
    while isProgressive != false, isInScan ? endScan(bytes) : readSegment(bytes) {}
  }

  /// A file of the scans that are whole; nil while there is none.
  package func file(_ bytes: Span<UInt8>) -> [UInt8]? {
    guard count > 0, end <= bytes.count else { return nil }
    var file: [UInt8] = []
    file.reserveCapacity(end + 2)
    for offset in 0..<end { file.append(bytes[offset]) }
    return file + [0xFF, 0xD9]
  }

  /// Finds the marker after the data of a scan; false when it has not arrived.
  private mutating func endScan(_ bytes: Span<UInt8>) -> Bool {
    while offset + 1 < bytes.count {
      guard bytes[offset] == 0xFF else {
        offset += 1
        continue
      }
      switch bytes[offset + 1] {
      case 0, 0xD0...0xD7: offset += 2
      case 0xFF: offset += 1
      default:
        (count, end, isInScan) = (count + 1, offset, false)
        return true
      }
    }
    return false
  }

  /// Passes a segment; false when its head has not arrived.
  private mutating func readSegment(_ bytes: Span<UInt8>) -> Bool {
    guard let first = bytes.byte(at: offset), let marker = bytes.byte(at: offset + 1) else {
      return false
    }
    if first == 0xFF, marker == 0xFF {
      offset += 1
      return true
    }
    guard first == 0xFF, marker >= 0xC0, marker != 0xD9 else {
      // Its end, or no JPEG.
      if count == 0 { isProgressive = false }
      return false
    }
    guard let length = bytes.bigEndian16(at: offset + 2) else { return false }
    switch marker {
    case 0xC2: isProgressive = true
    case 0xC4, 0xC8, 0xCC: break
    case 0xC0...0xCF: isProgressive = false
    case 0xDA: isInScan = true
    default: break
    }
    offset += 2 + max(2, length)
    return true
  }
}
