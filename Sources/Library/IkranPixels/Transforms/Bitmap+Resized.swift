/// How a picture takes another size.
public enum ResizeMode: String, Sendable, CaseIterable {
  /// It does not: the picture is returned unchanged, whatever the size.
  case original
  /// Exactly the size; the aspect may change.
  case stretch
  /// The whole picture with its aspect, as large as fits inside the size: one side may be shorter.
  case fit
  /// Exactly the size, covered by the picture; the rest is cropped equally on both ends.
  case fill
  /// Exactly the size, covered by the picture; the rest is cropped on the right or at the bottom.
  case fillTopLeft
  /// Exactly the size, covered by the picture; the rest is cropped on the left or at the top.
  case fillBottomRight
}

extension Bitmap {
  /// The picture at another size, in the same pixel format, with a Lanczos filter.
  ///
  /// Cost: two passes through the pixels that are not cropped. Pass a workspace to resize many
  /// pictures.
  ///
  /// - Parameters:
  ///   - size: The size in pixels.
  ///   - mode: What happens to a picture of another aspect.
  ///   - workspace: Working memory; only one thread may use it at a time.
  /// - Returns: The resized picture, or the same bitmap when nothing changes.
  /// - Throws: ``BitmapError`` when the size is impossible or memory runs out.
  public func resized(
    to size: PixelSize,
    mode: ResizeMode = .fill,
    workspace: Workspace = Workspace()
  ) throws(BitmapError) -> Bitmap {
    switch mode {
    case .original: return self
    case .stretch: return try stretched(to: size, workspace: workspace)
    case .fit: return try resampled(.inside(size), workspace: workspace)
    case .fill: return try resampled(.cover(size), workspace: workspace)
    case .fillTopLeft: return try covering(size, croppingBefore: 0, workspace: workspace)
    case .fillBottomRight: return try covering(size, croppingBefore: 1, workspace: workspace)
    }
  }

  private func covering(
    _ size: PixelSize,
    croppingBefore share: Double,
    workspace: Workspace
  ) throws(BitmapError) -> Bitmap {
    let plan = RenderPlan(covering: size, by: self.size, croppingBefore: share)
    return plan.isIdentity ? self : try resampled(plan, workspace: workspace)
  }
}
