/// How a picture of another shape is laid into a canvas; its aspect is kept.
public enum CanvasFitting: Sendable, Hashable, CaseIterable {
  /// Covers the canvas; what is left over is cut equally from both ends.
  case fill
  /// Shows the whole picture in the middle; the rest of the canvas stays as it is.
  case fit
}

extension Canvas {
  /// Draws a picture, resized to the canvas, over what is there.
  ///
  /// Its pixels replace those of the canvas: nothing shines through, and a canvas without alpha
  /// shows black where the picture is transparent. Give a workspace when you draw many.
  ///
  /// - Throws: ``BitmapError`` when working memory is refused.
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
