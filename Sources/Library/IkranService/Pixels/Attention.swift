import IkranPixels

/// How much each part of a picture attracts the eye, measured on a small version of it.
///
/// A pixel counts five times the strength of its edges, which is the Laplacian of the luma, its
/// saturation, which is the distance of its largest and smallest channel, and how near its hue is
/// to that of skin: from an angle of 11° between both, as vectors of red, green and blue, to none.
/// Dark and very light pixels have no skin. The part that is kept is that with the largest sum; of
/// equal ones the one nearest to the middle. This is libvips' measure in spirit, not in numbers.
struct Attention {
  /// The longest side of the version that is measured.
  private static let side = 64

  private let size: PixelSize
  /// Sums of all pixels above and left of each corner, one more than pixels in each row.
  private var sums: [Int]

  /// Measures a picture.
  ///
  /// - Throws: `BitmapError` when memory runs out.
  init(_ picture: Bitmap, _ workspace: Workspace) throws(BitmapError) {
    let box = Fitting.inside(PixelSize(width: Self.side, height: Self.side), enlarges: false)
    let small = try picture.resampled(box, workspace: workspace).converted(to: .bgrx)
    let (width, height) = (small.width, small.height)
    size = small.size
    sums = [Int](repeating: 0, count: (width + 1) * (height + 1))
    let lumas = (0..<height).map { y in
      small.withRow(y) { row in (0..<width).map { row.luma(at: $0 * 4) / 1000 } }
    }
    for y in 0..<height {
      let around = (lumas[y], lumas[max(y - 1, 0)], lumas[min(y + 1, height - 1)])
      var line = 0
      small.withRow(y) { row in
        for x in 0..<width {
          let (middle, above, below) = (around.0[x], around.1[x], around.2[x])
          let sides = around.0[max(x - 1, 0)] + around.0[min(x + 1, width - 1)]
          line += 5 * abs(4 * middle - above - below - sides)
          line += Self.color(row, at: x * 4, luma: middle)
          sums[(y + 1) * (width + 1) + x + 1] = sums[y * (width + 1) + x + 1] + line
        }
      }
    }
  }

  /// What a pixel's saturation and its nearness to skin count.
  private static func color(_ row: Span<UInt8>, at place: Int, luma: Int) -> Int {
    let (blue, green, red) = (Int(row[place]), Int(row[place + 1]), Int(row[place + 2]))
    let saturation = max(red, green, blue) - min(red, green, blue)
    guard (50...240).contains(luma) else { return saturation }
    let length = Double(red * red + green * green + blue * blue).squareRoot()
    let product = 0.735 * Double(red) + 0.537 * Double(green) + 0.414 * Double(blue)
    return saturation + max(0, Int((product / length - 0.98) / 0.02 * 255))
  }

  /// The box that attracts most.
  ///
  /// - Parameters:
  ///   - inner: The size of the box.
  ///   - outer: The size of the picture.
  /// - Returns: A box inside the picture.
  func box(of inner: PixelSize, in outer: PixelSize) -> PixelRectangle {
    let width = Self.scaled(inner.width, outer.width, to: size.width)
    let height = Self.scaled(inner.height, outer.height, to: size.height)
    let rest = (x: size.width - width, y: size.height - height)
    var best = (score: Int.min, distance: Int.max, x: 0, y: 0)
    for y in 0...rest.y {
      for x in 0...rest.x {
        let score = sum(x..<x + width, y..<y + height)
        let distance = abs(2 * x - rest.x) + abs(2 * y - rest.y)
        if score > best.score || score == best.score && distance < best.distance {
          best = (score, distance, x, y)
        }
      }
    }
    return PixelRectangle(
      x: Self.place(best.x, of: rest.x, in: outer.width - inner.width),
      y: Self.place(best.y, of: rest.y, in: outer.height - inner.height),
      width: inner.width,
      height: inner.height
    )
  }

  private func sum(_ columns: Range<Int>, _ rows: Range<Int>) -> Int {
    func corner(_ x: Int, _ y: Int) -> Int { sums[y * (size.width + 1) + x] }
    return corner(columns.upperBound, rows.upperBound) - corner(columns.lowerBound, rows.upperBound)
      - corner(columns.upperBound, rows.lowerBound) + corner(columns.lowerBound, rows.lowerBound)
  }

  private static func scaled(_ inner: Int, _ outer: Int, to small: Int) -> Int {
    max(1, min((Double(inner) * Double(small) / Double(outer)).pixels, small))
  }

  /// The place in the picture for one in the small version; the middle where that has one place.
  private static func place(_ place: Int, of rest: Int, in whole: Int) -> Int {
    rest == 0 ? whole / 2 : (Double(place) * Double(whole) / Double(rest)).pixels
  }
}
