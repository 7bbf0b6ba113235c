import IkranPixels

/// The scale that a picture is decoded at, and what is left to do with its rows.
struct JPEGReduction {
  /// 1, 2, 4 or 8: the scale is an eighth of it.
  let eighths: Int
  /// The size of the reduced picture; the last block may hang over the edge.
  let rows: PixelSize
  /// How those rows are cropped and scaled.
  let plan: RenderPlan

  /// The reduction that serves `plan` best.
  init(_ plan: RenderPlan, _ header: JPEGHeader) {
    let eighths = Self.eighths(for: plan, header)
    let stored = header.info.size
    let rows = PixelSize(
      width: (stored.width * eighths + 7) / 8,
      height: (stored.height * eighths + 7) / 8
    )
    self.init(
      eighths: eighths,
      rows: rows,
      plan: eighths == 8 ? plan : plan.scaled(to: rows, numerator: eighths, denominator: 8)
    )
  }

  init(eighths: Int, rows: PixelSize, plan: RenderPlan) {
    (self.eighths, self.rows, self.plan) = (eighths, rows, plan)
  }

  /// The smallest scale that loses nothing visible: measured ≥ 45 dB against a whole decode.
  ///
  /// The reduced picture keeps at least twice the target's pixels a side; two and a half times at a
  /// quarter and an eighth, where blocks cut more off. Halved chroma is kept at full resolution
  /// while the picture is reduced, but only when both axes are halved or none. The last block may
  /// hang over the edge, which shows in pictures of few pixels: they are decoded at a larger scale.
  private static func eighths(for plan: RenderPlan, _ header: JPEGHeader) -> Int {
    let ratio = min(
      plan.crop.width / Double(plan.output.width),
      plan.crop.height / Double(plan.output.height)
    )
    let spare = header.reducesEvenly ? ratio : ratio / 2.5
    let side = min(plan.output.width, plan.output.height)
    if Double(side) * ratio < 256 { return 8 }
    if spare >= 24, side >= 48 { return 1 }
    if spare >= 10, side >= 24 { return 2 }
    return spare >= 4.16 ? 4 : 8
  }
}
