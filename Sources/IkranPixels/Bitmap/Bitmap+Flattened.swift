extension Bitmap {
  /// The picture over a colour, without alpha; the same bitmap when it has none.
  ///
  /// Formats without alpha, such as JPEG, would show white instead. Cost: one pass.
  ///
  /// - Parameter color: Its own alpha does not matter.
  /// - Returns: A bitmap in ``PixelFormat/bgrx``, or this one.
  /// - Throws: ``BitmapError`` when memory runs out.
  public func flattened(over color: Color) throws(BitmapError) -> Bitmap {
    guard format.hasAlpha else { return self }
    var canvas = try Canvas(size: size, format: .bgrx, zeroed: false)
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
}
