/// A channel in a pixel of 16 or 32 bits.
struct BitField: Sendable {
  private let mask: UInt32
  private let shift: UInt32
  /// The byte of each value, of its highest 16 bits at most.
  private let levels: [UInt8]

  /// A channel of the bits that are set in `mask`; where none are, its byte is `missing`.
  init(_ mask: UInt32, missing: UInt8 = 0) {
    guard mask != 0 else {
      (self.mask, shift, levels) = (0, 0, [missing])
      return
    }
    let low = UInt32(mask.trailingZeroBitCount)
    let length = UInt32(32 - mask.leadingZeroBitCount) - low
    let shift = length > 16 ? low + length - 16 : low
    let maximum = Int(mask >> shift)
    (self.mask, self.shift) = (mask, shift)
    levels = (0...maximum).map { UInt8(($0 * 255 + maximum / 2) / maximum) }
  }

  /// Its byte in a pixel.
  func level(in pixel: UInt32) -> UInt8 { levels[Int((pixel & mask) >> shift)] }
}
