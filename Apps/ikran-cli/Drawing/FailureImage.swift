import Ikran

/// The image drawn in a sheet for one that failed: a red cross on pink.
enum FailureImage {
  /// Draws it in `size`; a style may then clip it to its shape.
  static func draw(_ size: PixelSize) throws -> Bitmap {
    var canvas = try Canvas(size: size, format: .bgrx, zeroed: false)
    let bytesPerRow = canvas.bytesPerRow
    let centre = (x: Double(size.width) / 2, y: Double(size.height) / 2)
    let shorter = Double(min(size.width, size.height))
    let reach = shorter * 0.22
    let halfStroke = max(shorter * 0.04, 0.75)
    canvas.withMutableBytes { bytes in
      for y in 0..<size.height {
        for x in 0..<size.width {
          let dx = abs(Double(x) + 0.5 - centre.x)
          let dy = abs(Double(y) + 0.5 - centre.y)
          // The coverage, from the distance to the nearer of two crossing lines.
          let beyond = max((dx + dy) / 2 - reach, 0) * 2.0.squareRoot()
          let aside = abs(dx - dy) / 2.0.squareRoot()
          let distance = (beyond * beyond + aside * aside).squareRoot()
          let cover = min(max(halfStroke - distance + 0.5, 0), 1)
          let start = y * bytesPerRow + x * 4
          bytes[start] = blend(0xD8, 0x2D, cover)
          bytes[start + 1] = blend(0xD9, 0x2F, cover)
          bytes[start + 2] = blend(0xF4, 0xC0, cover)
          bytes[start + 3] = 255
        }
      }
    }
    return canvas.finish()
  }

  private static func blend(_ ground: UInt8, _ ink: UInt8, _ cover: Double) -> UInt8 {
    UInt8((Double(ground) + (Double(ink) - Double(ground)) * cover).rounded())
  }
}
