import IkranPixels

/// A QOI file, with each pixel in the first kind of chunk that can hold it (specification 1.0).
struct QOISample {
  var size: PixelSize
  var pixels: [Pixel]
  var channels: UInt8 = 4
  var space: UInt8 = 0

  init(_ picture: RandomPicture, channels: UInt8 = 4) {
    (size, pixels, self.channels) = (picture.size, picture.pixels, channels)
  }

  var bytes: [UInt8] {
    header + chunks + [0, 0, 0, 0, 0, 0, 0, 1]
  }

  private var header: [UInt8] {
    let sides = [size.width, size.height].flatMap { side in
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: side >> $0) }
    }
    return Array("qoif".utf8) + sides + [channels, space]
  }

  private var chunks: [UInt8] {
    var chunks: [UInt8] = []
    var last = Pixel(0, 0, 0, 255)
    var seen = [Pixel](repeating: Pixel(0, 0, 0, 0), count: 64)
    var run: UInt8 = 0
    for pixel in pixels {
      if pixel == last, run < 62 {
        run += 1
        continue
      }
      if run > 0 { chunks.append(0xC0 | (run - 1)) }
      run = pixel == last ? 1 : 0
      if run > 0 { continue }
      let place =
        (Int(pixel.red) * 3 + Int(pixel.green) * 5 + Int(pixel.blue) * 7 + Int(pixel.alpha) * 11)
        & 63
      chunks += seen[place] == pixel ? [UInt8(place)] : chunk(pixel, after: last)
      seen[place] = pixel
      last = pixel
    }
    return run > 0 ? chunks + [0xC0 | (run - 1)] : chunks
  }

  private func chunk(_ pixel: Pixel, after last: Pixel) -> [UInt8] {
    guard pixel.alpha == last.alpha else {
      return [0xFF, pixel.red, pixel.green, pixel.blue, pixel.alpha]
    }
    let red = Int(Int8(bitPattern: pixel.red &- last.red))
    let green = Int(Int8(bitPattern: pixel.green &- last.green))
    let blue = Int(Int8(bitPattern: pixel.blue &- last.blue))
    if [red, green, blue].allSatisfy({ (-2...1).contains($0) }) {
      return [UInt8(0x40 | (red + 2) << 4 | (green + 2) << 2 | (blue + 2))]
    }
    if (-32...31).contains(green), (-8...7).contains(red - green), (-8...7).contains(blue - green) {
      return [UInt8(0x80 | (green + 32)), UInt8((red - green + 8) << 4 | (blue - green + 8))]
    }
    return [0xFE, pixel.red, pixel.green, pixel.blue]
  }
}
