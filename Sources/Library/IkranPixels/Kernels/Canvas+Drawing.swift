import CIkranKernels

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

extension Canvas {
  /// Draws a picture unscaled over what is there, its top left pixel at (`x`, `y`); what lies
  /// outside the canvas is cropped.
  ///
  /// Its transparent pixels show what is below them. In a format without alpha that is black at
  /// first.
  ///
  /// Cost: one pass over what is drawn; formats of less than four bytes are converted row by row.
  public mutating func draw(_ picture: Bitmap, x: Int, y: Int) {
    // Within these bounds no sum overflows.
    let left = min(max(x, -picture.width), size.width)
    let top = min(max(y, -picture.height), size.height)
    guard picture.format.hasAlpha else { return draw(picture, left: left, top: top) }
    let across = (left..<left + picture.width).clamped(to: 0..<size.width)
    let down = (top..<top + picture.height).clamped(to: 0..<size.height)
    guard !across.isEmpty else { return }
    let (stride, format) = (bytesPerRow, format)
    var wide = [UInt8](repeating: 0, count: format.bytesPerPixel == 4 ? 0 : across.count * 4)
    withUnsafeMutableBytes { target in
      picture.withUnsafeBytes { source in
        guard let from = source.baseAddress, let to = target.baseAddress else { return }
        for y in down {
          let row = to + y * stride + across.lowerBound * format.bytesPerPixel
          let pixels = from + (y - top) * picture.bytesPerRow + (across.lowerBound - left) * 4
          if format.bytesPerPixel == 4 {
            Self.drawOver(row, pixels, across.count)
          } else {
            wide.withUnsafeMutableBytes { wide in
              guard let below = wide.baseAddress else { return }
              convertRow(row, format, below, .bgrx, across.count)
              Self.drawOver(below, pixels, across.count)
              convertRow(below, .bgrx, row, format, across.count)
            }
          }
        }
      }
    }
  }

  private static func drawOver(
    _ row: UnsafeMutableRawPointer,
    _ pixels: UnsafeRawPointer,
    _ width: Int
  ) {
    ikran_draw_over(
      pixels.assumingMemoryBound(to: UInt8.self),
      row.assumingMemoryBound(to: UInt8.self),
      width
    )
  }

  /// Draws a picture unscaled with its top left pixel at (`left`, `top`); what lies outside the
  /// canvas or the given area is cropped.
  ///
  /// Its pixels replace those of the canvas without blending. Offsets may be negative.
  package mutating func draw(
    _ picture: Bitmap,
    left: Int,
    top: Int,
    columns: Range<Int>? = nil,
    rows: Range<Int>? = nil
  ) {
    let across = (left..<left + picture.width).clamped(to: columns ?? 0..<size.width)
      .clamped(to: 0..<size.width)
    let down = (top..<top + picture.height).clamped(to: rows ?? 0..<size.height)
      .clamped(to: 0..<size.height)
    guard !across.isEmpty else { return }
    let (stride, format) = (bytesPerRow, format)
    let skipped = (across.lowerBound - left) * picture.format.bytesPerPixel
    withUnsafeMutableBytes { target in
      picture.withUnsafeBytes { source in
        guard let from = source.baseAddress, let to = target.baseAddress else { return }
        for y in down {
          let row = to + y * stride + across.lowerBound * format.bytesPerPixel
          let pixels = from + (y - top) * picture.bytesPerRow + skipped
          convertRow(pixels, picture.format, row, format, across.count)
        }
      }
    }
  }

  /// Fills the canvas with a linear mix of two pictures of its size and format: all of the first at
  /// the weight 0, all of the second at 256.
  ///
  /// Each byte is rounded to the nearest; premultiplied pixels stay premultiplied. Cost: one pass.
  package mutating func mix(_ first: Bitmap, _ second: Bitmap, weight: Int) {
    precondition(
      first.size == size && second.size == size && first.format == format
        && second.format == format && format != .bgr555 && (0...256).contains(weight),
      "Pictures that are mixed have the canvas's size and format."
    )
    let (stride, height, rowBytes) = (bytesPerRow, size.height, size.width * format.bytesPerPixel)
    withUnsafeMutableBytes { target in
      first.withUnsafeBytes { firstBytes in
        second.withUnsafeBytes { secondBytes in
          for y in 0..<height {
            guard let to = target.baseAddress, let one = firstBytes.baseAddress,
              let other = secondBytes.baseAddress
            else { return }
            ikran_mix(
              (one + y * first.bytesPerRow).assumingMemoryBound(to: UInt8.self),
              (other + y * second.bytesPerRow).assumingMemoryBound(to: UInt8.self),
              (to + y * stride).assumingMemoryBound(to: UInt8.self),
              rowBytes,
              UInt16(weight)
            )
          }
        }
      }
    }
  }
}
