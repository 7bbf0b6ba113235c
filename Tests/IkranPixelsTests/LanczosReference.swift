import IkranPixels

/// Separable resampling in double precision, from the definition of each filter.
struct LanczosReference {
  let filter: ResamplingFilter

  /// Every channel of every result pixel, not rounded, clamped to 0…255.
  func resample(_ bitmap: Bitmap, crop: PixelArea, output: PixelSize) -> [Double] {
    let channels = bitmap.format.bytesPerPixel
    let source = bitmap.pixels.map(Double.init)
    let across = (0..<output.width).map { index in
      taps(index, bitmap.width, crop.x, crop.width, output.width)
    }
    let down = (0..<output.height).map { index in
      taps(index, bitmap.height, crop.y, crop.height, output.height)
    }
    var narrow = [Double](repeating: 0, count: output.width * bitmap.height * channels)
    for y in 0..<bitmap.height {
      for x in 0..<output.width {
        for (column, weight) in across[x] {
          for channel in 0..<channels {
            narrow[(y * output.width + x) * channels + channel] +=
              weight * source[(y * bitmap.width + column) * channels + channel]
          }
        }
      }
    }
    let row = output.width * channels
    var result = [Double](repeating: 0, count: row * output.height)
    for y in 0..<output.height {
      for (line, weight) in down[y] {
        for index in 0..<row { result[y * row + index] += weight * narrow[line * row + index] }
      }
    }
    return result.map { min(max($0, 0), 255) }
  }

  private func taps(
    _ index: Int,
    _ length: Int,
    _ start: Double,
    _ extent: Double,
    _ count: Int
  ) -> [(Int, Double)] {
    let step = extent / Double(count)
    let low = start + Double(index) * step
    let center = low + step / 2
    let reach = 3 * max(step, 1) + 1
    let range = max(0, Int(center - reach))..<min(length, Int(center + reach) + 1)
    let weights = range.map { pixel in
      filter == .area
        ? max(0, min(Double(pixel + 1), low + step) - max(Double(pixel), low))
        : lanczos((Double(pixel) + 0.5 - center) / max(step, 1))
    }
    let total = weights.reduce(0, +)
    return zip(range, weights).map { ($0, $1 / total) }
  }

  private func lanczos(_ x: Double) -> Double {
    x.magnitude >= 3 ? 0 : sinc(x) * sinc(x / 3)
  }

  private func sinc(_ x: Double) -> Double {
    // The product form of sine: no C library, and independent of the code under test.
    let limit = 500
    var product = 1.0
    for factor in 1...limit { product *= 1 - x * x / Double(factor * factor) }
    // The omitted factors multiply to exp(-x² / limit), here to second order.
    let rest = x * x / (Double(limit) + 0.5)
    return product * (1 - rest + rest * rest / 2)
  }
}

/// The square of a full-range signal over the mean squared error of an opaque picture's colours.
///
/// PSNR in decibels is ten times its decimal logarithm: 50 dB is 1e5, 55 dB 3.16e5.
func signalToNoise(_ bitmap: Bitmap, _ reference: [Double]) -> Double {
  let squares = zip(bitmap.pixels, reference).map { (Double($0) - $1) * (Double($0) - $1) }
  // The fourth channel is always 255 and does not count.
  let mean = squares.reduce(0, +) / Double(squares.count / 4 * 3)
  return 255 * 255 / max(mean, 1e-9)
}
