extension SampleLevels {
  /// Converts a row of samples of 16 bits to four bytes per pixel, with straight alpha.
  ///
  /// - Parameters:
  ///   - row: The samples, high bytes first.
  ///   - channels: 1 for gray, 3 for colours; one more with alpha, which becomes its high byte,
  ///     rounded.
  ///   - clear: The one colour that is clear, of three samples; empty for none.
  ///   - width: The number of pixels.
  ///   - target: Memory for them.
  func expand(
    _ row: UnsafePointer<UInt8>,
    channels: Int,
    clear: [UInt16],
    width: Int,
    into target: UnsafeMutablePointer<UInt8>
  ) {
    let hasAlpha = channels % 2 == 0
    let (second, third) = channels < 3 ? (0, 0) : (2, 4)
    let clearColor = clear.count == 3 ? (Int(clear[0]), Int(clear[1]), Int(clear[2])) : nil
    for x in 0..<width {
      let pixel = row + x * channels * 2
      let out = target + x * 4
      let color = (Self.sample(pixel), Self.sample(pixel + second), Self.sample(pixel + third))
      out[0] = blue[color.2]
      out[1] = green[color.1]
      out[2] = red[color.0]
      out[3] = 255
      if hasAlpha {
        let alpha = Self.sample(pixel + channels * 2 - 2)
        out[3] = UInt8((alpha * 255 + 32_895) >> 16)
      } else if let clearColor, color == clearColor {
        out[3] = 0
      }
    }
  }

  /// Converts red, green, blue and alpha, two bytes each in the machine's order, to four bytes per
  /// pixel, with straight alpha.
  ///
  /// - Parameters:
  ///   - samples: Four samples for each pixel.
  ///   - bits: The bits of a sample that count, 8…16; larger ones stand for the largest.
  ///   - hasAlpha: Whether the fourth sample counts; its high byte is taken, rounded.
  ///   - target: Memory for as many pixels.
  func expandWords(
    _ samples: UnsafeBufferPointer<UInt16>,
    bits: Int,
    hasAlpha: Bool,
    into target: UnsafeMutableRawBufferPointer
  ) {
    let (left, right) = (16 - bits, 2 * bits - 16)
    func sample(_ place: Int) -> Int {
      let sample = Int(samples[place])
      return min(sample << left | sample >> right, 65_535)
    }
    for place in stride(from: 0, to: min(samples.count, target.count) & ~3, by: 4) {
      target[place] = blue[sample(place + 2)]
      target[place + 1] = green[sample(place + 1)]
      target[place + 2] = red[sample(place)]
      target[place + 3] = hasAlpha ? UInt8((sample(place + 3) * 255 + 32_895) >> 16) : 255
    }
  }

  private static func sample(_ bytes: UnsafePointer<UInt8>) -> Int {
    Int(bytes[0]) << 8 | Int(bytes[1])
  }
}
