/// The lowest terms of a two-dimensional cosine transform: what placeholders consist of.
enum CosineTerms {
  /// cos(π·frequency·(position + offset) / count) for each position of each frequency.
  static func table(_ frequencies: Int, count: Int, offset: Double) -> [[Double]] {
    (0..<frequencies).map { frequency in
      (0..<count).map { position in
        sinPi(Double(frequency) * (Double(position) + offset) / Double(count) + 0.5)
      }
    }
  }

  /// The mean of a channel times each pair of cosines, first across and then down: `across` values
  /// for each of the frequencies down.
  ///
  /// Cost: `across` multiplications for each pixel.
  static func means(
    of channel: [Double],
    across: [[Double]],
    down: [[Double]]
  ) -> [[Double]] {
    guard let width = across.first?.count, let height = down.first?.count else { return [] }
    let rows = across.map { cosines in
      (0..<height).map { y in
        (0..<width).reduce(0.0) { $0 + channel[y * width + $1] * cosines[$1] }
      }
    }
    return down.map { cosines in
      rows.map { row in
        (0..<height).reduce(0.0) { $0 + row[$1] * cosines[$1] } / Double(width * height)
      }
    }
  }
}
