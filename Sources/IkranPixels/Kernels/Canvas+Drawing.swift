/// How a picture is placed in a canvas of another shape; its aspect is kept.
public enum CanvasFitting: Sendable, Hashable, CaseIterable {
  /// Covers the canvas; the rest of the picture is cropped equally on both ends.
  case fill
  /// Draws the whole picture in the middle; the rest of the canvas does not change.
  case fit
}

extension Canvas {
  /// Draws a picture, resized to the canvas.
  ///
  /// Its pixels replace those of the canvas without blending; in a canvas without alpha,
  /// transparent pixels become black. Pass a workspace to draw many pictures.
  ///
  /// - Throws: ``BitmapError`` when working memory runs out.
  public mutating func draw(
    _ picture: Bitmap,
    fitting: CanvasFitting = .fill,
    workspace: Workspace = Workspace()
  ) throws(BitmapError) {
    let box: Fitting =
      switch fitting {
      case .fill: .cover(size)
      case .fit: .inside(size)
      }
    let sized = try picture.resampled(box, workspace: workspace)
    let left = (size.width - sized.width) / 2 * format.bytesPerPixel
    let top = (size.height - sized.height) / 2
    let (stride, format) = (bytesPerRow, format)
    withUnsafeMutableBytes { target in
      sized.withUnsafeBytes { source in
        guard let from = source.baseAddress, let to = target.baseAddress else { return }
        for y in 0..<sized.height {
          let row = to + (top + y) * stride + left
          convertRow(from + y * sized.bytesPerRow, sized.format, row, format, sized.width)
        }
      }
    }
  }
}
