import IkranCodecs
import IkranPixels

/// An icon or cursor file.
struct IconSample {
  struct Entry {
    var size: PixelSize
    var bits: Int
    /// Opaque colours, and clear ones, which the mask has.
    var pixels: [Pixel]
    /// A whole file instead of them.
    var file: [UInt8]?
    /// Whether alpha is stored in the colours.
    var storesAlpha = false
    var hasMask = true
    /// What the directory says instead of the size and the length.
    var side: Int?
    var length: Int?

    init(size: PixelSize, bits: Int, pixels: [Pixel]) {
      (self.size, self.bits, self.pixels) = (size, bits, pixels)
    }

    var bytes: [UInt8] {
      if let file { return file }
      var colors = BMPSample(size: size, bits: bits)
      if bits <= 8 {
        colors.palette = Array(Set(pixels.map { Pixel($0.red, $0.green, $0.blue) }))
        colors.setRows(
          pixels.map { pixel in
            colors.palette.firstIndex(of: Pixel(pixel.red, pixel.green, pixel.blue)) ?? 0
          }
        )
      } else {
        colors.setRows(pixels.map { storesAlpha ? $0.word : $0.word & 0xFF_FFFF })
      }
      var header = colors
      header.size = PixelSize(width: size.width, height: size.height * 2)
      var mask = BMPSample(size: size, bits: 1)
      mask.setRows(pixels.map { $0.alpha == 0 ? 1 : 0 })
      return header.information + colors.data + (hasMask ? mask.data : [])
    }
  }

  var format = ImageFormat.ico
  var entries: [Entry]

  var bytes: [UInt8] {
    var directory: [UInt8] = [0, 0, format == .ico ? 1 : 2, 0] + littleEndian2(entries.count)
    var pictures: [UInt8] = []
    for entry in entries {
      let bytes = entry.bytes
      let sides = [entry.size.width, entry.size.height].map { UInt8((entry.side ?? $0) & 255) }
      directory += sides + [0, 0] + littleEndian2(1)
      directory += littleEndian2(format == .ico ? entry.bits : 3)
      directory += littleEndian4(entry.length ?? bytes.count)
      directory += littleEndian4(6 + 16 * entries.count + pictures.count)
      pictures += bytes
    }
    return directory + pictures
  }
}
