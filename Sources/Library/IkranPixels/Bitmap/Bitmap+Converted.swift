import CIkranKernels

extension Bitmap {
  /// The same picture in another pixel format; the same bitmap when nothing changes.
  ///
  /// Transparent pixels that lose their alpha are composed over black. Gray is BT.601 luma; 5-5-5
  /// rounds to the nearest of 32 levels. Cost: one pass.
  ///
  /// - Throws: ``BitmapError`` when memory runs out.
  public func converted(to format: PixelFormat) throws(BitmapError) -> Bitmap {
    if format == self.format { return self }
    var canvas = try Canvas(size: size, format: format, zeroed: false)
    // Luma is no colour of the profile.
    canvas.profile = format == .gray ? nil : profile
    let stride = canvas.bytesPerRow
    withUnsafeBytes { source in
      canvas.withUnsafeMutableBytes { target in
        guard let from = source.baseAddress, let to = target.baseAddress else { return }
        for row in 0..<height {
          convertRow(from + row * bytesPerRow, self.format, to + row * stride, format, width)
        }
      }
    }
    return canvas.finish()
  }

  /// The picture over a colour, without alpha; the same bitmap when it has none.
  ///
  /// A JPEG file would show white instead. Cost: one pass.
  ///
  /// - Parameter color: Its own alpha does not matter.
  /// - Returns: A bitmap in ``PixelFormat/bgrx``, or this one.
  /// - Throws: ``BitmapError`` when memory runs out.
  public func flattened(over color: Color) throws(BitmapError) -> Bitmap {
    guard format.hasAlpha else { return self }
    var canvas = try Canvas(size: size, format: .bgrx, zeroed: false)
    canvas.profile = profile
    let (stride, width) = (canvas.bytesPerRow, width)
    let below = SIMD4<UInt32>(UInt32(color.blue), UInt32(color.green), UInt32(color.red), 255)
    withUnsafeBytes { source in
      canvas.withUnsafeMutableBytes { target in
        for y in 0..<height {
          for x in 0..<width {
            let (from, to) = (y * bytesPerRow + x * 4, y * stride + x * 4)
            let pixel = source.loadUnaligned(fromByteOffset: from, as: SIMD4<UInt8>.self)
            // Premultiplied: what shows through is added, rounded to the nearest.
            let seen = below &* UInt32(255 - pixel.w) &+ 127
            let sum = SIMD4<UInt32>(truncatingIfNeeded: pixel) &+ seen / 255
            target.storeBytes(
              of: SIMD4<UInt8>(clamping: sum),
              toByteOffset: to,
              as: SIMD4<UInt8>.self
            )
          }
        }
      }
    }
    return canvas.finish()
  }

  /// Red, green, blue and straight alpha, eight bits each, rows without padding.
  ///
  /// - Throws: ``BitmapError`` when the bytes do not fit an `Int`.
  public func straightRGBA() throws(BitmapError) -> [UInt8] {
    guard let pixels = size.pixelCount else { throw .invalidSize(size) }
    let (count, overflow) = pixels.multipliedReportingOverflow(by: 4)
    guard !overflow else { throw .invalidSize(size) }
    let source = try converted(to: format == .bgrx ? .bgrx : .bgra)
    return [UInt8](unsafeUninitializedCapacity: count) { straight, filled in
      source.withUnsafeBytes { bytes in
        guard let from = bytes.baseAddress, let to = straight.baseAddress else { return }
        for row in 0..<height {
          let pixels = (from + row * source.bytesPerRow).assumingMemoryBound(to: UInt8.self)
          ikran_straighten(pixels, to + row * width * 4, width)
        }
      }
      filled = count
    }
  }
}

/// Converts one row of pixels between two formats.
package func convertRow(
  _ source: UnsafeRawPointer,
  _ from: PixelFormat,
  _ target: UnsafeMutableRawPointer?,
  _ to: PixelFormat,
  _ width: Int
) {
  guard let target else { return }
  let pixels = source.assumingMemoryBound(to: UInt8.self)
  ikran_convert_row(
    pixels,
    from.rawValue,
    target.assumingMemoryBound(to: UInt8.self),
    to.rawValue,
    width
  )
}

/// Turns a row of red, green and blue, of a byte each, into opaque BGRX.
///
/// - Parameters:
///   - row: Three bytes for each pixel.
///   - width: How many pixels there are.
///   - target: Four bytes for each pixel.
///   - usesSIMD: Whether the processor's wide registers may be used, see ``Workspace``.
package func expandRGB(
  _ row: UnsafePointer<UInt8>,
  width: Int,
  into target: UnsafeMutablePointer<UInt8>,
  usesSIMD: Bool
) {
  ikran_expand_rgb(row, target, width, usesSIMD)
}

/// Multiplies the colours of a row of straight BGRA pixels by their alpha, in place.
///
/// Each product is rounded to the nearest; an opaque pixel keeps its bytes.
package func premultiply(_ row: UnsafeMutableRawBufferPointer) {
  guard let pixels = row.baseAddress else { return }
  ikran_premultiply(pixels.assumingMemoryBound(to: UInt8.self), row.count / 4, ikran_has_simd())
}

/// Multiplies the colours of a row of straight BGRA pixels by their alpha, in place: one
/// little-endian word for each.
package func premultiply(_ row: inout [UInt32]) {
  row.withUnsafeMutableBytes { premultiply($0) }
}

/// Multiplies the colours of straight BGRA pixels by their alpha, in place, and leaves bytes
/// between rows alone.
package func premultiply(
  _ pixels: UnsafeMutableRawBufferPointer,
  _ size: PixelSize,
  bytesPerRow: Int
) {
  for y in 0..<size.height {
    let row = pixels[y * bytesPerRow..<y * bytesPerRow + size.width * 4]
    premultiply(UnsafeMutableRawBufferPointer(rebasing: row))
  }
}

/// Sets every fourth byte of pixels of four bytes to 255, and leaves bytes between rows alone.
package func makeOpaque(
  _ pixels: UnsafeMutableRawBufferPointer,
  _ size: PixelSize,
  bytesPerRow: Int
) {
  guard let start = pixels.baseAddress else { return }
  let alpha = UInt32(littleEndian: 0xFF00_0000)
  for y in 0..<size.height {
    let row = start + y * bytesPerRow
    let count = min(size.width, max(0, pixels.count - y * bytesPerRow) / 4)
    // A word at a time, which the compiler makes several of.
    for x in 0..<count {
      let pixel = row.loadUnaligned(fromByteOffset: x * 4, as: UInt32.self)
      row.storeBytes(of: pixel | alpha, toByteOffset: x * 4, as: UInt32.self)
    }
  }
}

/// Draws a row of straight BGRA pixels over a premultiplied row, in place.
///
/// The sum is rounded to the nearest once: opaque pixels replace, clear ones change nothing.
///
/// - Parameters:
///   - source: The straight pixels to draw.
///   - row: The premultiplied pixels below; the shorter of both ends the drawing.
package func blend(
  _ source: UnsafeRawBufferPointer,
  over row: UnsafeMutableRawBufferPointer
) {
  guard let from = source.baseAddress, let target = row.baseAddress else { return }
  ikran_blend_over(
    from.assumingMemoryBound(to: UInt8.self),
    target.assumingMemoryBound(to: UInt8.self),
    min(source.count, row.count) / 4,
    ikran_has_simd()
  )
}
