package import IkranCodecs
package import IkranPixels

/// What is asked of ImageIO for a picture, and what is left to do with the pixels that come.
package struct PicturePlan: Sendable, Hashable {
  /// The upright picture's crop and size.
  package let plan: RenderPlan
  /// The longer side of the pixels that ImageIO is asked for.
  package let longestSide: Int

  /// Plans a picture, after its header has been held against the limits.
  ///
  /// ImageIO holds all pixels of a picture: its documentation does not say otherwise.
  ///
  /// - Parameters:
  ///   - info: The header.
  ///   - fitting: The pixels that are wanted.
  ///   - limits: Over which the picture is refused.
  ///   - byteCount: The bytes of the file.
  /// - Throws: ``/IkranCodecs/DecodeError``.
  package init(
    _ info: ImageInfo,
    fitting: Fitting,
    limits: DecodeLimits,
    byteCount: Int
  ) throws(DecodeError) {
    let upright = info.uprightSize
    do throws(BitmapError) { try fitting.check(in: upright) } catch { throw .bitmap(error) }
    try limits.check(byteCount: byteCount)
    try limits.check(info, byteCount: byteCount)
    plan = RenderPlan(stored: upright, orientation: .up, fitting: fitting)
    try limits.check(plan)
    let longer = max(upright.width, upright.height)
    // An isolated part is cut out before it is resized, which takes all pixels.
    let ratio = plan.isIsolated ? 1 : max(1, plan.ratio)
    // Rounded up, so that no pixel of the result is made of less than one.
    longestSide = min(longer, Int((Double(longer) / ratio).rounded(.up)))
  }

  /// The plan for the pixels that have come; nil where they are the result.
  ///
  /// - Parameter size: The size of those pixels, which ImageIO rounds in its own way.
  /// - Returns: What is left to do.
  package func rest(for size: PixelSize) -> RenderPlan? {
    if plan.crop == PixelArea(plan.rows), plan.output == size { return nil }
    return size == plan.rows ? plan : plan.scaled(to: size, from: plan.rows)
  }

  /// Makes the result of the pixels that have come.
  ///
  /// - Throws: ``/IkranPixels/BitmapError`` when memory runs out.
  package func finish(_ bitmap: Bitmap, workspace: Workspace) throws(BitmapError) -> Bitmap {
    guard let left = rest(for: bitmap.size) else { return bitmap }
    if let cut = left.cut { return try bitmap.cropped(cut) }
    guard left.isIsolated else { return try bitmap.resampled(left, workspace: workspace) }
    let part = try bitmap.cropped(left.isolatedPart)
    return try part.stretched(to: left.output, workspace: workspace)
  }
}

extension Bitmap {
  fileprivate func cropped(_ part: PixelRectangle) throws(BitmapError) -> Bitmap {
    try cropped(
      columns: part.x..<part.x + part.size.width,
      rows: part.y..<part.y + part.size.height
    )
  }
}
