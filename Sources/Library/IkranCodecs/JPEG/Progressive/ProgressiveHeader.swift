import CIkranKernels
import IkranPixels

/// The headers and the scans of a progressive JPEG file: Huffman coding, 8 bits, gray or YCbCr
/// (ITU-T T.81, annexes B and G).
///
/// Each coefficient must arrive bit by bit, and in a whole file down to its last one, before the
/// end marker. The data of the scans is not read.
struct ProgressiveHeader {
  private(set) var tables = JPEGTables()
  /// In the order of the file.
  private(set) var scans: [ProgressiveScan] = []
  /// The lowest bit that each coefficient has so far, per component; nil before its first scan.
  private var lowBits: [[Int?]] = []
  private var work = 0

  /// Reads the headers; nil when anything is unusual, damaged, missing or ambiguous, or when
  /// decoding all scans would take longer than ``JPEGHandle/workLimit(of:)``.
  ///
  /// Of a prefix, everything after the last whole scan may be missing.
  init?(_ bytes: UnsafeBufferPointer<UInt8>, isPrefix: Bool = false) {
    guard let start = bytes.baseAddress else { return nil }
    let span = bytes.span
    var offset = 2
    while !Self.isEnd(span, offset) {
      guard let (marker, payload) = JPEGTables.nextSegment(span, &offset) else {
        guard isPrefix, !scans.isEmpty else { return nil }
        return
      }
      let segment = span.extracting(payload)
      let isRead: Bool
      switch marker {
      case 0xC2: isRead = tables.readFrame(segment)
      case 0xDA:
        let length = ikran_jpeg_next_marker(start + offset, bytes.count - offset, false)
        if isPrefix, offset + length == bytes.count {
          guard !scans.isEmpty else { return nil }
          return
        }
        isRead = readScan(segment, data: offset..<offset + length)
        offset += length
      // A table that changes later is a case for libjpeg.
      case 0xDB: isRead = scans.isEmpty && tables.read(segment, marker: marker)
      default: isRead = tables.read(segment, marker: marker)
      }
      guard isRead else { return nil }
    }
    guard !scans.isEmpty, lowBits.allSatisfy({ $0.allSatisfy { $0 == 0 } }) else { return nil }
  }

  /// Reads the headers of a prefix.
  init?(prefix: Span<UInt8>) {
    let header = prefix.withUnsafeBufferPointer { ProgressiveHeader($0, isPrefix: true) }
    guard let header else { return nil }
    self = header
  }

  private static func isEnd(_ bytes: Span<UInt8>, _ offset: Int) -> Bool {
    bytes.byte(at: offset) == 0xFF && bytes.byte(at: offset + 1) == 0xD9
  }

  private mutating func readScan(_ segment: Span<UInt8>, data: Range<Int>) -> Bool {
    if scans.isEmpty {
      guard !tables.components.isEmpty, tables.isComplete else { return false }
      lowBits = tables.components.map { _ in [Int?](repeating: nil, count: 64) }
    }
    guard let scan = ProgressiveScan(segment, tables, data: data), advance(scan) else {
      return false
    }
    scans.append(scan)
    work += scan.blockCount(tables) * (scan.isRefinement ? 20 + scan.band.count : 20)
    return scans.count == 1
      || (scans.count <= 500 && work <= JPEGHandle.workLimit(of: tables.size))
  }

  /// Records what a scan brings; false when that is not the next bit of each coefficient.
  private mutating func advance(_ scan: ProgressiveScan) -> Bool {
    for component in scan.components {
      // DC comes first.
      if scan.band.lowerBound > 0, lowBits[component][0] == nil { return false }
      for coefficient in scan.band {
        guard lowBits[component][coefficient] == scan.highBit else { return false }
        lowBits[component][coefficient] = scan.lowBit
      }
    }
    return true
  }
}
