#if SVG
/// Counts the numbers in an attribute, as an upper bound of what librsvg reads of it.
enum SVGNumbers {
  /// How many numbers a list has.
  static func count(_ text: [UInt8]) -> Int {
    var counter = Counter()
    for byte in text { counter.read(byte) }
    return counter.count
  }

  /// Finds where numbers begin.
  private struct Counter {
    private(set) var count = 0
    private var (isInside, hasPoint, isAfterExponent) = (false, false, false)

    mutating func read(_ byte: UInt8) {
      switch byte {
      case 0x30...0x39: begin()
      case 0x2E:
        if isInside, hasPoint { isInside = false }
        begin()
        hasPoint = true
      case 0x65, 0x45:
        // Another point would begin another number.
        if isInside { (isAfterExponent, hasPoint) = (true, true) }
        return
      case 0x2B, 0x2D: if !isAfterExponent { end() }
      default: end()
      }
      isAfterExponent = false
    }

    private mutating func begin() {
      if !isInside { count += 1 }
      isInside = true
    }

    private mutating func end() { (isInside, hasPoint) = (false, false) }
  }
}
#endif
