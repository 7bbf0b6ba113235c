/// Bytes in sRGB and linear light (IEC 61966-2-1), without the C library: the same on every
/// machine.
enum LinearLight {
  private static let values = (0...255).map { value(ofPart: Double($0) / 255) }
  /// Where each byte begins, from 1.
  private static let bounds = (1...255).map { value(ofPart: (Double($0) - 0.5) / 255) }

  /// The light of a byte, 0…1.
  static func value(of byte: UInt8) -> Double { values[Int(byte)] }

  /// The byte that is nearest to a light, in steps of sRGB.
  static func byte(of value: Double) -> UInt8 {
    var (low, high) = (0, bounds.count)
    while low < high {
      let middle = (low + high) / 2
      if bounds[middle] <= value { low = middle + 1 } else { high = middle }
    }
    return UInt8(low)
  }

  private static func value(ofPart part: Double) -> Double {
    if part <= 0.04045 { return part / 12.92 }
    let base = (part + 0.055) / 1.055
    // base^2.4 is base² times the fifth root of base².
    return base * base * fifthRoot(base * base)
  }

  /// Newton's method, from above.
  private static func fifthRoot(_ value: Double) -> Double {
    var root = 1.0
    for _ in 0..<60 {
      let fourth = root * root * root * root
      root -= (root - value / fourth) / 5
    }
    return root
  }
}
