#if TIFF
/// Colours of CIE L*a*b* under D50, as samples of 16 bits or of 8, which are widened to 16.
struct TIFFLab: Sendable {
  /// Whether a* and b* are signed, as CIELab has them; ICCLab adds 128.
  let isSigned: Bool
  /// Whether the samples have 8 bits.
  let isNarrow: Bool

  /// The colour in sRGB, eight bits each; what sRGB does not have is cut off.
  func color(
    lightness: UInt16,
    _ redness: UInt16,
    _ yellowness: UInt16
  ) -> (red: UInt8, green: UInt8, blue: UInt8) {
    // 16 bits of ICCLab have the scale of ICC's version 2.
    let white = isSigned || isNarrow ? 65_535.0 : 65_280
    let level = (min(Double(lightness) / white, 1) * 100 + 16) / 116
    let x = Self.light(level + offset(redness) / 500) * 0.9642
    let y = Self.light(level)
    let z = Self.light(level - offset(yellowness) / 200) * 0.8251
    // From D50 to the light of sRGB, adapted by Bradford's matrix.
    return (
      SRGBLevels.nearByte(of: 3.1338561 * x - 1.6168667 * y - 0.4906146 * z),
      SRGBLevels.nearByte(of: -0.9787684 * x + 1.9161415 * y + 0.0334540 * z),
      SRGBLevels.nearByte(of: 0.0719453 * x - 0.2289914 * y + 1.4052427 * z)
    )
  }

  /// a* or b*.
  private func offset(_ sample: UInt16) -> Double {
    if isNarrow {
      let byte = UInt8(sample >> 8)
      return isSigned ? Double(Int8(bitPattern: byte)) : Double(byte) - 128
    }
    return isSigned ? Double(Int16(bitPattern: sample)) / 256 : Double(sample) / 256 - 128
  }

  /// The inverse of CIE's f.
  private static func light(_ value: Double) -> Double {
    value > 6.0 / 29 ? value * value * value : (value - 4.0 / 29) * 108 / 841
  }
}
#endif
