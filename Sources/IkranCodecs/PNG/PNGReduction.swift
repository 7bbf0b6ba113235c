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
  /// How it is cropped and scaled.
  let plan: RenderPlan

  /// The reduction for `plan`; pictures of up to `bytesInFull` bytes, four per pixel, are not
  /// reduced.
  ///
  /// The reduced picture has at least two and a half times the pixels of the result per side.
  init(_ plan: RenderPlan, _ size: PixelSize, bytesInFull: Int) {
    let isLarge = size.pixelCount ?? .max > bytesInFull / 4
    let shifts = isLarge ? [3, 2, 1].filter { plan.mayReduce(squaresOf: 1 << $0) } : []
    let shift = shifts.first { plan.ratio >= 2.5 * Double(1 << $0) } ?? 0
    let side = 1 << shift
    self.shift = shift
    decodedSize = PixelSize(
      width: (size.width + side - 1) >> shift,
      height: (size.height + side - 1) >> shift
    )
    self.plan = shift == 0 ? plan : plan.scaled(to: decodedSize, numerator: 1, denominator: side)
  }
}
