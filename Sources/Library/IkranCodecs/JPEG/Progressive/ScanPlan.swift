import IkranPixels

// Decision 46: thumbnails come from the scans they need.
/// Which scans of a progressive picture are decoded, and what is left out.
struct ScanPlan {
  /// What one component needs and gets.
  struct Component {
    /// The coefficients that matter: the highest bit is the first in zigzag order.
    let needed: UInt64
    /// The lowest bit of each coefficient that is decoded.
    fileprivate(set) var lowBits = [Int](repeating: 0, count: 64)
    /// The coefficients that are decoded.
    fileprivate(set) var decoded: UInt64 = 0
    /// Whether refinement of AC is decoded, which depends on what is known of each block.
    fileprivate(set) var hasHistory = false
  }

  /// The scans to decode, in the order of the file.
  private(set) var scans: [ProgressiveScan] = []
  private(set) var components: [Component]
  /// Whether later scans would bring nothing visible; true of a whole file.
  private(set) var isSufficient = false

  /// The offset of the end of the last scan that is decoded.
  var end: Int { scans.last?.data.upperBound ?? 0 }

  /// Plans a picture of `scale`.
  ///
  /// A refinement that is decoded has a bit for each coefficient that was not zero before, so all
  /// earlier scans of its band are decoded, too, needed or not. Hence the order: from the last scan
  /// to the first.
  init(_ header: ProgressiveHeader, _ scale: JPEGScale, eighths: Int) {
    components = scale.planes.map { Component(needed: Self.needed($0)) }
    var required = [UInt64](repeating: 0, count: components.count)
    for scan in header.scans.reversed() {
      let isWanted = scan.components.contains { component in
        let tables = header.tables
        let quantization = tables.quantization[tables.components[component].quantizationTable]
        return required[component] & scan.bandMask != 0
          || Self.matters(scan, components[component].needed, quantization, eighths: eighths)
      }
      guard isWanted else { continue }
      scans.append(scan)
      for component in scan.components where scan.isRefinement {
        required[component] |= scan.bandMask
        if !scan.isDC { components[component].hasHistory = true }
      }
    }
    scans.reverse()
    for scan in scans {
      for component in scan.components {
        for coefficient in scan.band { components[component].lowBits[coefficient] = scan.lowBit }
        components[component].decoded |= scan.bandMask
      }
    }
    isSufficient = zip(components, header.tables.components).allSatisfy { component, frame in
      component.needed & ~component.decoded == 0
        && (0..<64).allSatisfy {
          component.needed & 1 << UInt64(63 - $0) == 0
            || !Self.isVisible(
              component.lowBits[$0],
              $0,
              header.tables.quantization[frame.quantizationTable],
              eighths: eighths
            )
        }
    }
  }

  /// The coefficients that matter to the blocks of a component.
  private static func needed(_ plane: JPEGScale.Plane) -> UInt64 {
    switch plane.side {
    case 8: .max
    case 4: .max << 39
    case 2 where !plane.isInterpolated: 0b11101 << 59
    default: 1 << 63
    }
  }

  /// Whether `scan` brings bits that are visible.
  private static func matters(
    _ scan: ProgressiveScan,
    _ needed: UInt64,
    _ quantization: [UInt16],
    eighths: Int
  ) -> Bool {
    scan.band.contains { coefficient in
      guard needed & 1 << UInt64(63 - coefficient) != 0 else { return false }
      guard let highBit = scan.highBit else { return true }
      return isVisible(highBit, coefficient, quantization, eighths: eighths)
    }
  }

  /// Whether the bits of a coefficient below `lowBit` are visible.
  private static func isVisible(
    _ lowBit: Int,
    _ coefficient: Int,
    _ quantization: [UInt16],
    eighths: Int
  ) -> Bool {
    lowBit > 0
      && Int(quantization[coefficient]) << lowBit > largestStep(coefficient, eighths: eighths)
  }

  /// The largest step between values of a coefficient that is not visible; measured ≥ 45 dB.
  private static func largestStep(_ coefficient: Int, eighths: Int) -> Int {
    switch eighths {
    case 1: 12
    case 2: coefficient == 0 ? 12 : 16
    default: 0
    }
  }
}
