import IkranPixels

/// How a still picture is reduced while libwebp decodes it.
///
/// Only opaque ones are. Of those without loss libwebp holds every pixel all the same, and of
/// others their alpha.
struct WebPReduction {
  /// How many pixels of a side of the planes become one; 0 where rows of pixels are decoded.
  let block: Int
  /// The size that libwebp scales rows of pixels to, the stored one where it does not.
  let size: PixelSize
  /// The pixels that have as much memory as it takes.
  let heldPixels: Int

  /// Pictures of more pixels are scaled by libwebp row by row: all of their planes would take too
  /// much memory.
  private static let mostPlanar = 32_000_000

  /// The reduction for `plan`.
  ///
  /// A box filter blurs, so four times the target's pixels are left per side for the Lanczos filter
  /// (measured ≥ 45 dB); a target of more than a quarter is not reduced. No fewer than the target's
  /// are left of a picture that would hold more than `mostPixels` otherwise.
  ///
  /// `isWhole` is false for a file that is cut off: its planes are not decoded.
  init(_ plan: RenderPlan, _ header: WebPHeader, mostPixels: Int, isWhole: Bool = true) {
    let stored = header.info.size
    let pixels = stored.pixelCount ?? .max
    let isReduced = !header.info.hasAlpha && !header.isAnimation
    // Without bound for a target without pixels.
    let box = plan.ratio.isFinite ? Int(plan.ratio / 4) : 0
    guard isReduced, box >= 2 || pixels > mostPixels else {
      (block, size, heldPixels) = (0, stored, pixels)
      return
    }
    let side = max(2, min(box, 256) & ~1)
    if isWhole, !header.isLossless, box >= 2, pixels <= min(Self.mostPlanar, mostPixels),
      plan.mayReduce(squaresOf: side)
    {
      (block, size, heldPixels) = (side, stored, pixels)
      return
    }
    // libwebp itself makes no squares of whole pixels.
    guard !plan.isIsolated else {
      (block, size, heldPixels) = (0, stored, pixels)
      return
    }
    let sizes = [box >= 2 ? Double(box) : 1, max(plan.ratio, 1)].map { Self.size(of: stored, $0) }
    block = 0
    size = sizes.first { $0.pixelCount ?? .max <= mostPixels } ?? sizes[1]
    heldPixels = header.isLossless ? pixels : size.pixelCount ?? .max
  }

  private static func size(of stored: PixelSize, _ factor: Double) -> PixelSize {
    // Sides have 14 bits.
    PixelSize(
      width: max(1, Int((Double(stored.width) / factor).rounded(.up))),
      height: max(1, Int((Double(stored.height) / factor).rounded(.up)))
    )
  }
}
