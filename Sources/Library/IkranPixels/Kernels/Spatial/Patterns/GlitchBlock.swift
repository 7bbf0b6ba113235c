import CIkranKernels

/// A block that a bad signal moves sideways, in parts of the picture.
struct GlitchBlock: Sendable {
  private static let count = 24

  private let left, top, width, height: Double
  /// −1…1; times the strongest shift.
  private let shift: Double

  /// The blocks of a seed, the same on every machine.
  static func all(seed: UInt64) -> [GlitchBlock] {
    var dice = SplitMix(state: seed)
    return (0..<count).map { _ in
      GlitchBlock(
        left: dice.part() * 1.2 - 0.2,
        top: dice.part(),
        width: 0.1 + dice.part() * 0.4,
        height: 0.01 + dice.part() * 0.07,
        shift: dice.part() * 2 - 1
      )
    }
  }

  /// The block in pixels of a picture, for shifts up to `reach` of its width.
  fileprivate func placed(in size: PixelSize, reach: Double) -> ikran_moved_block {
    func place(_ part: Double, _ length: Int) -> Int {
      min(max(Int((part * Double(length)).rounded()), 0), length)
    }
    let (first, last) = (place(left, size.width), place(left + width, size.width))
    let (above, below) = (place(top, size.height), place(top + height, size.height))
    let distance = Int((shift * reach * Double(size.width)).rounded()) % size.width
    return ikran_moved_block(
      left: first,
      top: above,
      width: last - first,
      height: below - above,
      shift: distance < 0 ? distance + size.width : distance
    )
  }
}

extension Bitmap {
  /// Moves blocks sideways; what leaves the picture on one side comes in on the other.
  ///
  /// - Parameters:
  ///   - blocks: The last is above the others; all show the picture as it was.
  ///   - reach: The strongest shift, 1 for the picture's width.
  ///   - workspace: Working memory.
  /// - Returns: A picture of the same size and format.
  /// - Throws: ``BitmapError`` when memory runs out.
  func moving(
    _ blocks: [GlitchBlock],
    reach: Double,
    workspace: Workspace
  ) throws(BitmapError) -> Bitmap {
    let placed = blocks.map { $0.placed(in: size, reach: reach) }
    return try filtered(workspace) { picture, _, _ in
      placed.withPointer { ikran_move_blocks(picture, $0, placed.count) }
    }
  }
}

/// SplitMix64 (Steele and others 2014).
private struct SplitMix {
  var state: UInt64

  /// The next number from 0 up to 1.
  mutating func part() -> Double {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    bits ^= bits >> 31
    return Double(bits >> 11) / Double(1 << 53 as UInt64)
  }
}
