extension Bitmap {
  /// The colour of a pixel, with straight alpha; nil outside the picture.
  public func color(x: Int, y: Int) -> Color? {
    guard (0..<width).contains(x), (0..<height).contains(y) else { return nil }
    return withRow(y) { row in
      let place = x * format.bytesPerPixel
      switch format {
      case .bgra: return Self.straight(row[place], row[place + 1], row[place + 2], row[place + 3])
      case .bgrx, .bgr:
        return Color(red: row[place + 2], green: row[place + 1], blue: row[place])
      case .gray: return Color(red: row[place], green: row[place], blue: row[place])
      case .bgr555:
        let word = Int(row[place]) | Int(row[place + 1]) << 8
        let levels = [word >> 10 & 31, word >> 5 & 31, word & 31].map {
          UInt8($0 << 3 | $0 >> 2)
        }
        return Color(red: levels[0], green: levels[1], blue: levels[2])
      }
    }
  }

  /// Whether any pixel is not opaque.
  ///
  /// Cost: up to one pass, and nothing for a format without alpha.
  public var hasTransparentPixels: Bool {
    guard format.hasAlpha else { return false }
    return (0..<height).contains { y in
      withRow(y) { row in
        for place in stride(from: 3, to: row.count, by: 4) where row[place] < 255 { return true }
        return false
      }
    }
  }

  /// The mean colour of the picture or of a part of it, each pixel by its alpha; nil when the part
  /// lies outside.
  ///
  /// The result's alpha is the mean of all alphas. Means are formed in sRGB, as scaling does.
  ///
  /// Cost: one pass.
  ///
  /// - Parameters:
  ///   - columns: The part's columns; nil for all. What lies outside is left out.
  ///   - rows: The part's rows; nil for all.
  /// - Returns: The colour.
  /// - Throws: ``BitmapError`` when working memory runs out.
  public func averageColor(
    columns: Range<Int>? = nil,
    rows: Range<Int>? = nil
  ) throws(BitmapError) -> Color? {
    let across = (columns ?? 0..<width).clamped(to: 0..<width)
    let down = (rows ?? 0..<height).clamped(to: 0..<height)
    guard !across.isEmpty, !down.isEmpty else { return nil }
    var sum = ColorSum()
    let picture = try converted(to: format.hasAlpha ? .bgra : .bgrx)
    for y in down {
      picture.withRow(y) { row in
        for place in stride(from: across.lowerBound * 4, to: across.upperBound * 4, by: 4) {
          sum.add(row, at: place)
        }
      }
    }
    return sum.color(isOpaque: !format.hasAlpha)
  }

  /// The colour that most of the picture has, or is near; nil when every pixel is clear.
  ///
  /// It is the mean of those pixels whose channels lie in the fullest cube of 32 levels; pixels
  /// that are more than half clear do not count.
  ///
  /// Cost: two passes and 1 MB of working memory. Small pictures are as good: scale down first.
  ///
  /// - Returns: An opaque colour.
  /// - Throws: ``BitmapError`` when working memory runs out.
  public func dominantColor() throws(BitmapError) -> Color? {
    let picture = try converted(to: format.hasAlpha ? .bgra : .bgrx)
    var cells = ColorCells()
    for y in 0..<height {
      picture.withRow(y) { row in
        for place in stride(from: 0, to: row.count, by: 4) {
          cells.add(row, at: place, isOpaque: !format.hasAlpha)
        }
      }
    }
    return cells.fullest
  }

  /// A colour of premultiplied channels.
  private static func straight(
    _ blue: UInt8,
    _ green: UInt8,
    _ red: UInt8,
    _ alpha: UInt8
  ) -> Color {
    let half = Int(alpha) / 2
    let channels = [red, green, blue].map { value in
      alpha == 0 ? 0 : UInt8(min(255, (Int(value) * 255 + half) / Int(alpha)))
    }
    return Color(red: channels[0], green: channels[1], blue: channels[2], alpha: alpha)
  }
}

/// Premultiplied colours that are added up.
private struct ColorSum {
  private var channels = SIMD4<UInt64>()
  private var count: UInt64 = 0

  mutating func add(_ row: Span<UInt8>, at place: Int) {
    channels &+= SIMD4(
      UInt64(row[place]),
      UInt64(row[place + 1]),
      UInt64(row[place + 2]),
      UInt64(row[place + 3])
    )
    count += 1
  }

  /// The mean, straight.
  func color(isOpaque: Bool) -> Color {
    let whole = isOpaque ? count * 255 : channels.w
    guard whole > 0 else { return Color(red: 0, green: 0, blue: 0, alpha: 0) }
    let straight = [channels.z, channels.y, channels.x].map { sum in
      UInt8(min(255, (sum * 255 + whole / 2) / whole))
    }
    let alpha = isOpaque ? 255 : UInt8((channels.w + count / 2) / count)
    return Color(red: straight[0], green: straight[1], blue: straight[2], alpha: alpha)
  }
}

/// Pixels sorted into cells of sixteen levels for each channel.
private struct ColorCells {
  private struct Cell {
    var count = 0
    var sums = SIMD4<Int>()
  }

  private var cells = [Cell](repeating: Cell(), count: 4096)

  mutating func add(_ row: Span<UInt8>, at place: Int, isOpaque: Bool) {
    var color = SIMD4(Int(row[place]), Int(row[place + 1]), Int(row[place + 2]), 255)
    if !isOpaque {
      let alpha = Int(row[place + 3])
      guard alpha > 127 else { return }
      for channel in 0..<3 {
        color[channel] = min(255, (color[channel] * 255 + alpha / 2) / alpha)
      }
    }
    let cell = (color.x >> 4) << 8 | (color.y >> 4) << 4 | color.z >> 4
    cells[cell].count += 1
    cells[cell].sums &+= color
  }

  /// The mean of the fullest cube of two cells a side: a colour at the edge of a cell is whole in
  /// one.
  var fullest: Color? {
    var best = Cell()
    for blue in 0..<15 {
      for green in 0..<15 {
        for red in 0..<15 {
          let cube = cube(blue, green, red)
          if cube.count > best.count { best = cube }
        }
      }
    }
    guard best.count > 0 else { return nil }
    let mean = [best.sums.z, best.sums.y, best.sums.x].map {
      UInt8(($0 + best.count / 2) / best.count)
    }
    return Color(red: mean[0], green: mean[1], blue: mean[2])
  }

  private func cube(_ blue: Int, _ green: Int, _ red: Int) -> Cell {
    var cube = Cell()
    for corner in 0..<8 {
      let (up, over, along) = (blue + corner >> 2, green + corner >> 1 & 1, red + corner & 1)
      let cell = cells[up << 8 | over << 4 | along]
      cube.count += cell.count
      cube.sums &+= cell.sums
    }
    return cube
  }
}
