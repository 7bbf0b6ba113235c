import CIkranKernels

/// Filters that take one of the values around each pixel, of each channel by itself.
extension Bitmap {
  /// Medians of squares of `2 · radius + 1` pixels a side; 0 returns the bitmap itself.
  ///
  /// - Throws: ``BitmapError`` when memory runs out.
  package func medians(radius: Int, workspace: Workspace) throws(BitmapError) -> Bitmap {
    guard radius > 0 else { return self }
    guard radius <= 2 else {
      return try filtered(workspace) { picture, _, _ in ikran_median(picture, min(radius, 32)) }
    }
    let rows = (2 * radius + 1) * 4 * (width + 2 * radius + 8)
    return try filtered(workspace, memory: rows) { picture, memory, simd in
      ikran_small_median(picture, radius, memory, simd)
    }
  }

  /// The largest or the smallest of squares of `2 · radius + 1` pixels a side; 0 returns the bitmap
  /// itself.
  ///
  /// - Throws: ``BitmapError`` when memory runs out.
  package func extremes(
    radius: Int,
    takesLargest: Bool,
    workspace: Workspace
  ) throws(BitmapError) -> Bitmap {
    guard radius > 0 else { return self }
    let bytes = 384 * max(width, height)
    return try filtered(workspace, memory: bytes) { picture, memory, _ in
      ikran_extremes(picture, min(radius, max(width, height)), takesLargest, memory)
    }
  }

  /// The part of the picture up to each of 256 lumas, 0…1, after the lowest one.
  ///
  /// Pixels count as much as their alpha. Nil when all are alike or clear.
  func lumaDistribution() -> [Double]? {
    let red = Int(ikran_luma_red)
    let green = Int(ikran_luma_green)
    let blue = Int(ikran_luma_blue)
    var counts = [Int](repeating: 0, count: 256)
    for y in 0..<height {
      withRow(y) { row in
        for first in stride(from: 0, to: row.count - 3, by: 4) {
          let alpha = format.hasAlpha ? Int(row[first + 3]) : 255
          guard alpha > 0 else { continue }
          var light = blue * Int(row[first])
          light += green * Int(row[first + 1])
          light += red * Int(row[first + 2])
          let luma = (light * 255 / alpha + 5_000) / 10_000
          counts[min(luma, 255)] += alpha
        }
      }
    }
    let lowest = counts.first { $0 > 0 } ?? 0
    let rest = counts.reduce(0, +) - lowest
    guard rest > 0 else { return nil }
    var sum = -lowest
    return counts.map { count in
      sum += count
      return Double(max(sum, 0)) / Double(rest)
    }
  }
}
