import CIkranKernels

extension Bitmap {
  /// The stored pixels turned upright; the same bitmap when they already are.
  ///
  /// - Throws: ``BitmapError`` when memory runs out.
  public func oriented(_ orientation: Orientation) throws(BitmapError) -> Bitmap {
    if orientation == .up { return self }
    let upright = orientation.uprightSize(of: size)
    var canvas = try Canvas(size: upright, format: format, zeroed: false)
    canvas.profile = profile
    let stride = canvas.bytesPerRow
    let walk = SourceWalk(orientation, over: self)
    withUnsafeBytes { source in
      canvas.withUnsafeMutableBytes { target in
        guard let from = source.baseAddress, let to = target.baseAddress else { return }
        ikran_turn(
          (from + walk.start).assumingMemoryBound(to: UInt8.self),
          walk.stepX,
          walk.stepY,
          to.assumingMemoryBound(to: UInt8.self),
          stride,
          upright.width,
          upright.height,
          format.bytesPerPixel
        )
      }
    }
    return canvas.finish()
  }

  /// A part of the picture, copied; the same bitmap when that is all of it.
  ///
  /// - Parameters:
  ///   - columns: The part's columns; what lies outside the picture is left out.
  ///   - rows: The part's rows, likewise.
  /// - Returns: The part, in the picture's format.
  /// - Throws: ``BitmapError/invalidSize(_:)`` when all of the part lies outside;
  ///   ``BitmapError/outOfMemory(bytes:)``.
  public func cropped(columns: Range<Int>, rows: Range<Int>) throws(BitmapError) -> Bitmap {
    let across = columns.clamped(to: 0..<width)
    let down = rows.clamped(to: 0..<height)
    let part = PixelSize(width: across.count, height: down.count)
    if part == size { return self }
    var canvas = try Canvas(size: part, format: format, zeroed: false)
    canvas.profile = profile
    canvas.draw(self, left: -across.lowerBound, top: -down.lowerBound)
    return canvas.finish()
  }
}

/// The strides through the stored bytes that visit the upright pixels row by row.
private struct SourceWalk {
  let start, stepX, stepY: Int

  init(_ orientation: Orientation, over bitmap: Bitmap) {
    let (x, y) = (bitmap.format.bytesPerPixel, bitmap.bytesPerRow)
    let (right, bottom) = ((bitmap.width - 1) * x, (bitmap.height - 1) * y)
    (start, stepX, stepY) =
      switch orientation {
      case .up: (0, x, y)
      case .upMirrored: (right, -x, y)
      case .down: (right + bottom, -x, -y)
      case .downMirrored: (bottom, x, -y)
      case .leftMirrored: (0, y, x)
      case .right: (bottom, -y, x)
      case .rightMirrored: (right + bottom, -y, -x)
      case .left: (right, y, -x)
      }
  }
}
