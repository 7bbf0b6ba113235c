import Glibc
import Ikran

/// The exact result, computed slowly: Lanczos-3 over every decoded pixel in double precision.
enum Reference {
  /// The centre square of an opaque four-byte bitmap at `side` × `side`, three channels per pixel.
  static func square(_ photo: Bitmap, side: Int) -> [Double] {
    let shorter = min(photo.width, photo.height)
    let across = taps(photo.width, span: shorter, side: side)
    let down = taps(photo.height, span: shorter, side: side)
    var narrow = [Double](repeating: 0, count: photo.height * side * 3)
    for y in 0..<photo.height {
      photo.withRow(y) { row in
        for x in 0..<side {
          for (offset, weight) in across[x].weights.enumerated() {
            for channel in 0..<3 {
              let value = Double(row[(across[x].first + offset) * 4 + channel])
              narrow[(y * side + x) * 3 + channel] += value * weight
            }
          }
        }
      }
    }
    var result = [Double](repeating: 0, count: side * side * 3)
    for y in 0..<side {
      for (offset, weight) in down[y].weights.enumerated() {
        let from = (down[y].first + offset) * side * 3
        for x in 0..<side * 3 { result[y * side * 3 + x] += narrow[from + x] * weight }
      }
    }
    return result.map { min(max($0, 0), 255) }
  }

  /// The PSNR of a four-byte bitmap against `expected`, in decibels.
  static func peakSignalToNoise(_ bitmap: Bitmap, _ expected: [Double]) -> Double {
    var squares = 0.0
    for y in 0..<bitmap.height {
      bitmap.withRow(y) { row in
        for x in 0..<bitmap.width {
          for channel in 0..<3 {
            let wanted = expected[(y * bitmap.width + x) * 3 + channel]
            let difference = Double(row[x * 4 + channel]) - wanted
            squares += difference * difference
          }
        }
      }
    }
    let mean = squares / Double(expected.count)
    return mean == 0 ? .infinity : 10 * log10(255 * 255 / mean)
  }

  private static func taps(
    _ length: Int,
    span: Int,
    side: Int
  ) -> [(first: Int, weights: [Double])] {
    let scale = Double(span) / Double(side)
    let stretch = max(scale, 1)
    let origin = Double(length - span) / 2
    return (0..<side).map { index in
      let centre = origin + (Double(index) + 0.5) * scale
      let first = max(0, Int((centre - 3 * stretch).rounded(.down)))
      let last = min(length - 1, Int((centre + 3 * stretch).rounded(.up)))
      let exact = (first...last).map { lanczos3((Double($0) + 0.5 - centre) / stretch) }
      let sum = exact.reduce(0, +)
      return (first, exact.map { $0 / sum })
    }
  }

  private static func lanczos3(_ x: Double) -> Double {
    if x == 0 { return 1 }
    if abs(x) >= 3 { return 0 }
    return 3 * sin(.pi * x) * sin(.pi * x / 3) / (.pi * .pi * x * x)
  }
}
