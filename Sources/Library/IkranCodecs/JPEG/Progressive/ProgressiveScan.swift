import IkranPixels

/// One scan of a progressive picture.
struct ProgressiveScan {
  /// The components, one unless the scan is of DC; none twice.
  let components: [Int]
  /// The coefficients, in zigzag order.
  let band: ClosedRange<Int>
  /// The lowest bit that the coefficients had before; nil in their first scan.
  let highBit: Int?
  /// The lowest bit that they have afterwards.
  let lowBit: Int
  /// One for each component; none where bits of DC are refined.
  let codes: [HuffmanCode]
  /// The restart interval in MCUs; 0 when there are no restart markers.
  let restartInterval: Int
  /// The offsets of the entropy-coded bytes.
  let data: Range<Int>

  /// Whether bits are added to coefficients of earlier scans.
  var isRefinement: Bool { highBit != nil }
  /// Whether the coefficients are the blocks' means.
  var isDC: Bool { band.lowerBound == 0 }
  /// A bit for each coefficient of the band: the highest is the first in zigzag order.
  var bandMask: UInt64 { .max >> UInt64(band.lowerBound) & .max << UInt64(63 - band.upperBound) }

  /// Reads a scan's header; nil when it is unusual or damaged.
  init?(_ segment: Span<UInt8>, _ tables: JPEGTables, data: Range<Int>) {
    guard let count = segment.byte(at: 0), (1...3).contains(count),
      segment.count == 4 + Int(count) * 2
    else { return nil }
    let parameters = 1 + Int(count) * 2
    let (first, last) = (Int(segment[parameters]), Int(segment[parameters + 1]))
    let (high, low) = (Int(segment[parameters + 2] >> 4), Int(segment[parameters + 2] & 15))
    guard first <= last, last < 64, first > 0 || last == 0, first == 0 || count == 1,
      low <= 13, high == 0 || high == low + 1
    else { return nil }
    var components: [Int] = []
    var codes: [HuffmanCode] = []
    for index in 0..<Int(count) {
      // In the frame's order, as everyone writes them.
      let identifier = segment[1 + index * 2]
      guard let component = tables.components.firstIndex(where: { $0.identifier == identifier }),
        component > components.last ?? -1
      else { return nil }
      components.append(component)
      if first == 0, high > 0 { continue }
      let numbers = segment[2 + index * 2]
      let code = first == 0 ? tables.dcCode(numbers >> 4) : tables.acCode(numbers & 15)
      guard let code, code.isValid(forDC: first == 0) else { return nil }
      codes.append(code)
    }
    (self.components, self.codes, self.data) = (components, codes, data)
    (band, highBit, lowBit) = (first...last, high == 0 ? nil : high, low)
    restartInterval = tables.restartInterval
  }

  /// The blocks that the scan visits.
  func blockCount(_ tables: JPEGTables) -> Int {
    let scale = JPEGScale(tables, eighths: 8)
    let planes = components.map { scale.planes[$0] }
    guard planes.count > 1 else { return planes.reduce(0) { $0 + $1.blocksAcross * $1.blocksDown } }
    return scale.mcusAcross * scale.mcusDown * planes.reduce(0) { $0 + $1.across * $1.down }
  }
}
