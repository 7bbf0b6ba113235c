import IkranCodecs
public import IkranPixels

/// Small images made on the spot.
public enum TestImages {
  /// A gradient: red grows to the right, green downwards, blue is 128; opaque.
  public static func gradient(width: Int, height: Int) throws -> Bitmap {
    var canvas = try Canvas(size: PixelSize(width: width, height: height), format: .bgrx)
    let bytesPerRow = canvas.bytesPerRow
    canvas.withMutableBytes { bytes in
      for y in 0..<height {
        for x in 0..<width {
          let start = y * bytesPerRow + x * 4
          bytes[start] = 128
          bytes[start + 1] = UInt8(255 * y / max(1, height - 1))
          bytes[start + 2] = UInt8(255 * x / max(1, width - 1))
          bytes[start + 3] = 255
        }
      }
    }
    return canvas.finish()
  }

  /// The gradient as a PNG file.
  public static func png(width: Int, height: Int) throws -> [UInt8] {
    try gradient(width: width, height: height).encoded(as: .png)
  }
}
