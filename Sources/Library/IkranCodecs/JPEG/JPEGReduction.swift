import IkranPixels

/// The scale at which a picture is decoded, and the crop and resampling that follow.
struct JPEGReduction {
  /// 1, 2, 4 or 8 eighths of the stored size.
  let eighths: Int
  /// The size of the reduced picture, rounded up.
  let decodedSize: PixelSize
  /// How it is cropped and scaled.
  let plan: RenderPlan
  /// The most bytes that the coefficients of a progressive picture may take.
  let coefficientBytes: Int
  /// Whether a reduction that loses more is better than none, as the picture is over a limit.
  private let isOverLimit: Bool

  /// The strongest reduction that loses nothing visible for `plan`.
  ///
  /// A picture over the limit of pixels gets as many bytes for coefficients.
  init(_ plan: RenderPlan, _ header: JPEGHeader, limits: DecodeLimits = DecodeLimits()) {
    let eighths = Self.eighths(for: plan, header)
    let stored = header.info.size
    let decodedSize = Self.size(of: stored, eighths: eighths)
    self.init(
      eighths: eighths,
      decodedSize: decodedSize,
      plan: eighths == 8 ? plan : plan.scaled(to: decodedSize, numerator: eighths, denominator: 8),
      coefficientBytes: limits.coefficientBytes(of: stored),
      isOverLimit: limits.isOver(stored)
    )
  }

  init(
    eighths: Int,
    decodedSize: PixelSize,
    plan: RenderPlan,
    coefficientBytes: Int = JPEGHandle.memoryLimit,
    isOverLimit: Bool = false
  ) {
    (self.eighths, self.decodedSize, self.plan) = (eighths, decodedSize, plan)
    (self.coefficientBytes, self.isOverLimit) = (coefficientBytes, isOverLimit)
  }

  private static func size(of stored: PixelSize, eighths: Int) -> PixelSize {
    PixelSize(
      width: (stored.width * eighths + 7) / 8,
      height: (stored.height * eighths + 7) / 8
    )
  }

  /// Those that take less memory, for a picture that is over a limit, as far as the result need not
  /// be enlarged.
  func stronger(_ stored: PixelSize) -> [JPEGReduction] {
    guard isOverLimit else { return [] }
    let choices = [4, 2, 1].filter { choice in
      choice < eighths && plan.ratio * Double(choice) >= Double(eighths)
    }
    return choices.map { choice in
      let size = Self.size(of: stored, eighths: choice)
      return JPEGReduction(
        eighths: choice,
        decodedSize: size,
        plan: plan.scaled(to: size, numerator: choice, denominator: eighths),
        coefficientBytes: coefficientBytes
      )
    }
  }

  /// The smallest scale that loses nothing visible: measured ≥ 45 dB against a full decode.
  ///
  /// The reduced picture has at least twice the target's pixels per side; two and a half times at a
  /// quarter and an eighth, where more high frequencies are cut off. Halved chroma keeps its full
  /// resolution in a reduced picture, but only when both axes are halved or none. The last blocks
  /// may reach past the edge, which is visible in small pictures: they are decoded at a larger
  /// scale.
  private static func eighths(for plan: RenderPlan, _ header: JPEGHeader) -> Int {
    let ratio = plan.ratio
    let spare = header.reducesEvenly ? ratio : ratio / 2.5
    // A smaller result of the same file never needs more of it.
    let source = Double(min(plan.output.width, plan.output.height)) * ratio
    // No MCU is wider or taller than 32 pixels: a reduced pixel depends on no other one.
    if source < 256 || !plan.mayReduce(squaresOf: 32) { return 8 }
    if spare >= 24, source >= 1_152 { return 1 }
    if spare >= 10 { return 2 }
    return spare >= 4.16 ? 4 : 8
  }
}
