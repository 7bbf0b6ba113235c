import Glibc
import IkranPixels

/// The reference for quality: a full decode, then Lanczos-3 in `Double`.
enum FloatLanczos {
  /// Red, green, blue and alpha of a cover of `target`, not rounded, premultiplied as `bitmap` is.
  static func cover(_ bitmap: Bitmap, _ target: PixelSize) throws -> [Double] {
    let width = Double(bitmap.width)
    let height = Double(bitmap.height)
    let ratio = min(width / Double(target.width), height / Double(target.height))
    let across = weights(bitmap.width, target.width, ratio)
    let down = weights(bitmap.height, target.height, ratio)
    var result: [Double] = []
    result.reserveCapacity(target.width * target.height * 4)
    for row in down {
      var blended = [Double](repeating: 0, count: bitmap.width * 4)
      for (tap, weight) in row.weights.enumerated() {
        bitmap.withRow(row.start + tap) { pixels in
          for index in 0..<bitmap.width * 4 { blended[index] += Double(pixels[index]) * weight }
        }
      }
      for column in across {
        for channel in 0..<4 {
          var sum = 0.0
          for (tap, weight) in column.weights.enumerated() {
            sum += blended[(column.start + tap) * 4 + channel] * weight
          }
          result.append(min(max(sum, 0), 255))
        }
      }
    }
    return result
  }

  /// Peak signal-to-noise ratio of the colours, in decibels.
  static func psnr(_ bitmap: Bitmap, _ reference: [Double]) -> Double {
    var error = 0.0
    for y in 0..<bitmap.height {
      bitmap.withRow(y) { pixels in
        for x in 0..<bitmap.width {
          for channel in 0..<3 {
            let wanted = reference[(y * bitmap.width + x) * 4 + channel]
            let difference = Double(pixels[x * 4 + channel]) - wanted
            error += difference * difference
          }
        }
      }
    }
    let mean = error / Double(bitmap.width * bitmap.height * 3)
    return mean == 0 ? .infinity : 10 * log10(255 * 255 / mean)
  }

  private struct Run {
    var start: Int
    var weights: [Double]
  }

  private static func weights(_ length: Int, _ output: Int, _ step: Double) -> [Run] {
    let origin = (Double(length) - step * Double(output)) / 2
    let widening = max(step, 1)
    return (0..<output).map { index in
      let center = origin + (Double(index) + 0.5) * step
      let low = max(0, Int((center - 3 * widening).rounded(.down)))
      let high = min(length, Int((center + 3 * widening).rounded(.up)))
      let raw = (low..<high).map { lanczos((Double($0) + 0.5 - center) / widening) }
      let total = raw.reduce(0, +)
      return Run(start: low, weights: raw.map { $0 / total })
    }
  }

  private static func lanczos(_ x: Double) -> Double {
    let distance = abs(x)
    if distance < 1e-12 { return 1 }
    if distance >= 3 { return 0 }
    let angle = Double.pi * distance
    return sin(angle) / angle * sin(angle / 3) / (angle / 3)
  }
}
