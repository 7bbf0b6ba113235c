/// A ThumbHash: about 25 bytes from which a blurred picture of the same shape and alpha is drawn.
///
/// Format: https://evanw.github.io/thumbhash – a header, then the terms of brightness, of the
/// contrasts yellow–blue and red–green, and of alpha, four bits each.
struct ThumbHash {
  /// A channel: its mean, and its other terms as parts of the largest.
  struct Channel {
    var mean = 0.0
    /// From -1 to 1, in the order of the format.
    var terms: [Double] = []
    var scale = 0.0
  }

  /// The most pixels of a side that is hashed.
  static let largestSide = 100

  var hasAlpha = false
  var isLandscape = false
  /// The terms of brightness across and down, as the header has them, 1…7.
  var across = 1
  var down = 1
  var brightness = Channel()
  var yellowBlue = Channel()
  var redGreen = Channel()
  var alpha = Channel(mean: 1)

  /// The pairs of frequencies that a channel stores: those below the diagonal, row by row.
  static func pairs(_ across: Int, _ down: Int) -> [(x: Int, y: Int)] {
    (0..<down).flatMap { y in
      (0..<across).lazy.filter { x in (x, y) != (0, 0) && x * down < across * (down - y) }
        .map { (x: $0, y: y) }
    }
  }

  static let colorPairs = pairs(3, 3)
  static let alphaPairs = pairs(5, 5)

  /// The terms of brightness that are stored.
  var brightnessPairs: [(x: Int, y: Int)] { Self.pairs(max(3, across), max(3, down)) }

  /// The format's bytes.
  var bytes: [UInt8] {
    var header = Self.level(brightness.mean, 63) | Self.level(0.5 + yellowBlue.mean / 2, 63) << 6
    header |= Self.level(0.5 + redGreen.mean / 2, 63) << 12
    header |= Self.level(brightness.scale, 31) << 18 | (hasAlpha ? 1 << 23 : 0)
    var shape = isLandscape ? down | 1 << 15 : across
    shape |= Self.level(yellowBlue.scale, 63) << 3 | Self.level(redGreen.scale, 63) << 9
    var bytes = [header, header >> 8, header >> 16, shape, shape >> 8]
    if hasAlpha { bytes.append(Self.level(alpha.mean, 15) | Self.level(alpha.scale, 15) << 4) }
    var isHalf = false
    for channel in [brightness, yellowBlue, redGreen] + (hasAlpha ? [alpha] : []) {
      for term in channel.terms {
        let level = Self.level(0.5 + term / 2, 15)
        if isHalf { bytes[bytes.count - 1] |= level << 4 } else { bytes.append(level) }
        isHalf.toggle()
      }
    }
    return bytes.map { UInt8(truncatingIfNeeded: $0) }
  }

  /// Reads the format's bytes; nil when they are too few or make no sense.
  init?(bytes: [UInt8]) {
    guard bytes.count >= 5 else { return nil }
    let header = Int(bytes[0]) | Int(bytes[1]) << 8 | Int(bytes[2]) << 16
    let shape = Int(bytes[3]) | Int(bytes[4]) << 8
    hasAlpha = header >> 23 != 0
    isLandscape = shape >> 15 != 0
    let longest = hasAlpha ? 5 : 7
    across = isLandscape ? longest : shape & 7
    down = isLandscape ? shape & 7 : longest
    guard shape & 7 > 0, !hasAlpha || bytes.count > 5 else { return nil }
    var levels = bytes.prefix(25).dropFirst(hasAlpha ? 6 : 5).flatMap {
      [Int($0) & 15, Int($0) >> 4]
    }[...]
    func channel(_ mean: Double, _ scale: Double, _ count: Int) -> Channel? {
      guard levels.count >= count else { return nil }
      defer { levels = levels.dropFirst(count) }
      let terms = levels.prefix(count).map { Double($0) / 7.5 - 1 }
      return Channel(mean: mean, terms: terms, scale: scale)
    }
    // Contrasts are shown a quarter stronger, as the format says.
    guard
      let brightness = channel(
        Double(header & 63) / 63,
        Double(header >> 18 & 31) / 31,
        brightnessPairs.count
      ),
      let yellowBlue = channel(
        Double(header >> 6 & 63) / 31.5 - 1,
        Double(shape >> 3 & 63) / 63 * 1.25,
        Self.colorPairs.count
      ),
      let redGreen = channel(
        Double(header >> 12 & 63) / 31.5 - 1,
        Double(shape >> 9 & 63) / 63 * 1.25,
        Self.colorPairs.count
      )
    else { return nil }
    (self.brightness, self.yellowBlue, self.redGreen) = (brightness, yellowBlue, redGreen)
    guard hasAlpha else { return }
    let (mean, scale) = (Double(bytes[5] & 15) / 15, Double(bytes[5] >> 4) / 15)
    guard let alpha = channel(mean, scale, Self.alphaPairs.count) else { return nil }
    self.alpha = alpha
  }

  private static func level(_ value: Double, _ most: Int) -> Int {
    min(max(0, Int((value * Double(most) + 0.5).rounded(.down))), most)
  }
}
