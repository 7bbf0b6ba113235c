import IkranPixels

/// How far an interlaced picture is reduced while its passes are read, and the crop and resampling
/// that follow.
///
/// Its rows are complete only after the last pass, so a full decode needs memory for all pixels,
/// even for a small file. A large picture with a much smaller target is stored as means of squares
/// instead.
struct PNGReduction {
  /// 0 to 3: squares of 2 to this power pixels per side become one.
  let shift: Int
  /// The size of the reduced picture, rounded up.
  let decodedSize: PixelSize
  /// The pixels that have as much memory as it takes.
  let heldPixels: Int
  /// How it is cropped and scaled.
  let plan: RenderPlan

  /// The reduction for `plan`; pictures of up to `bytesInFull` bytes, four per pixel, are not
  /// reduced.
  ///
  /// The reduced picture has at least two and a half times the pixels of the result per side; no
  /// fewer than the result where it would hold more than `mostPixels` otherwise.
  init(_ plan: RenderPlan, _ size: PixelSize, bytesInFull: Int, mostPixels: Int = .max) {
    let isLarge = size.pixelCount ?? .max > bytesInFull / 4
    let shifts = [3, 2, 1].filter { plan.mayReduce(squaresOf: 1 << $0) }
    let best = isLarge ? shifts.first { plan.ratio >= 2.5 * Double(1 << $0) } ?? 0 : 0
    let fitting = ([best] + shifts.reversed()).first { shift in
      (shift == best || plan.ratio >= Double(1 << shift))
        && Self.heldPixels(size, shift) <= mostPixels
    }
    let shift = fitting ?? best
    self.shift = shift
    heldPixels = Self.heldPixels(size, shift)
    decodedSize = Self.size(of: size, shift)
    self.plan =
      shift == 0 ? plan : plan.scaled(to: decodedSize, numerator: 1, denominator: 1 << shift)
  }

  private static func size(of stored: PixelSize, _ shift: Int) -> PixelSize {
    let side = 1 << shift
    return PixelSize(
      width: (stored.width + side - 1) >> shift,
      height: (stored.height + side - 1) >> shift
    )
  }

  /// A square takes the memory of two pixels.
  private static func heldPixels(_ stored: PixelSize, _ shift: Int) -> Int {
    guard shift > 0 else { return stored.pixelCount ?? .max }
    // A quarter of what there is, and less: it does not overflow.
    return size(of: stored, shift).pixelCount.map { $0 * 2 } ?? .max
  }
}
