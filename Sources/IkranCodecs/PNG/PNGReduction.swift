import IkranPixels

/// How far an interlaced picture is reduced while its passes arrive, and what is left to do then.
///
/// Its rows are complete only at the end, so that a small file can ask for the memory of all its
/// pixels: a large one that is shown much smaller is kept as the means of squares instead.
struct PNGReduction {
  /// 0 to 3: squares of 2 to this power pixels a side become one.
  let shift: Int
  /// The size of the reduced picture; the last squares may hang over the edge.
  let rows: PixelSize
  /// How those rows are cropped and scaled.
  let plan: RenderPlan

  /// The reduction for `plan`; pictures of up to `bytesInFull` bytes, four a pixel, are kept whole.
  ///
  /// At least two and a half pixels a side are left for each of the result's.
  init(_ plan: RenderPlan, _ size: PixelSize, bytesInFull: Int) {
    let ratio = min(
      plan.crop.width / Double(plan.output.width),
      plan.crop.height / Double(plan.output.height)
    )
    let isLarge = size.pixelCount ?? .max > bytesInFull / 4
    let shift = isLarge ? [3, 2, 1].first { ratio >= 2.5 * Double(1 << $0) } ?? 0 : 0
    let side = 1 << shift
    self.shift = shift
    rows = PixelSize(
      width: (size.width + side - 1) >> shift,
      height: (size.height + side - 1) >> shift
    )
    self.plan = shift == 0 ? plan : plan.scaled(to: rows, numerator: 1, denominator: side)
  }
}
