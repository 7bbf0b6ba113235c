import IkranPixels

extension Bitmap {
  /// How different the luma of another picture is: from 0, which is equal, to 1.
  ///
  /// It is the structural dissimilarity (1 − SSIM) / 2. SSIM is that of Z. Wang, A. C. Bovik,
  /// H. R. Sheikh and E. P. Simoncelli, “Image quality assessment: from error visibility to
  /// structural similarity”, IEEE Transactions on Image Processing 13 (4), 2004: the mean, over
  /// windows, of
  ///
  ///     (2 μx μy + C1) (2 σxy + C2) / ((μx² + μy² + C1) (σx² + σy² + C2))
  ///
  /// with C1 = (0.01 · 255)² and C2 = (0.03 · 255)². The windows are squares of about 8 × 8 pixels,
  /// each half over the next, whose pixels count alike; the paper's are round. Every pixel is
  /// measured where there is at most a megapixel; of larger pictures some rows of windows, evenly
  /// spread, so that it takes no longer.
  ///
  /// - Parameter other: A picture of the same size; both have four bytes a pixel.
  /// - Returns: The dissimilarity, which is the same the other way round.
  func dissimilarity(to other: Bitmap) -> Double {
    precondition(size == other.size && format.bytesPerPixel == 4)
    precondition(other.format.bytesPerPixel == 4)
    return withBytes { mine in
      other.withBytes { theirs in
        (1 - similarity(mine, theirs, otherBytesPerRow: other.bytesPerRow)) / 2
      }
    }
  }

  /// The mean of all windows.
  private func similarity(
    _ mine: Span<UInt8>,
    _ theirs: Span<UInt8>,
    otherBytesPerRow stride: Int
  ) -> Double {
    // A window is two cells wide and two high.
    let (columns, rows) = (max(2, width / 4), max(2, height / 4))
    let step = (width * height - 1) / 1_048_576 + 1
    var (sum, count) = (0.0, 0)
    for row in Swift.stride(from: 0, to: rows - 1, by: step) {
      let lines = row * height / rows..<(row + 2) * height / rows
      var last = WindowSums()
      for column in 0..<columns {
        let places = column * width / columns..<(column + 1) * width / columns
        var next = WindowSums(count: places.count * lines.count)
        for y in lines {
          for x in places {
            let one = mine.luma(at: y * bytesPerRow + x * 4)
            next.add(one, theirs.luma(at: y * stride + x * 4))
          }
        }
        if column > 0 {
          sum += (last + next).similarity
          count += 1
        }
        last = next
      }
    }
    return sum / Double(count)
  }
}

/// Sums over the lumas of two pictures, in thousandths, and over their squares and products.
private struct WindowSums {
  private let count: Int
  private var x = 0
  private var y = 0
  private var xx = 0
  private var yy = 0
  private var xy = 0

  init(count: Int = 0) { self.count = count }

  mutating func add(_ one: Int, _ two: Int) {
    (x, y) = (x &+ one, y &+ two)
    (xx, yy) = (xx &+ one &* one, yy &+ two &* two)
    xy &+= one &* two
  }

  static func + (one: Self, two: Self) -> Self {
    var sums = WindowSums(count: one.count + two.count)
    (sums.x, sums.y) = (one.x + two.x, one.y + two.y)
    (sums.xx, sums.yy, sums.xy) = (one.xx + two.xx, one.yy + two.yy, one.xy + two.xy)
    return sums
  }

  /// SSIM of the window.
  var similarity: Double {
    let (c1, c2) = (2550.0 * 2550, 7650.0 * 7650)
    let n = Double(count)
    let (meanX, meanY) = (Double(x) / n, Double(y) / n)
    let varianceX = Double(xx) / n - meanX * meanX
    let varianceY = Double(yy) / n - meanY * meanY
    let covariance = Double(xy) / n - meanX * meanY
    let similar = (2 * meanX * meanY + c1) * (2 * covariance + c2)
    return similar / ((meanX * meanX + meanY * meanY + c1) * (varianceX + varianceY + c2))
  }
}
