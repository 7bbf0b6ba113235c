extension Bitmap {
  /// A ThumbHash of the picture, to be kept with its URL and shown while it loads: about 25 bytes.
  ///
  /// It holds a blurred picture, its shape and its alpha; ``init(thumbHash:)`` draws it. Format:
  /// https://evanw.github.io/thumbhash. Larger pictures are scaled down to 100 pixels first.
  ///
  /// Cost: the scaling, and some hundred operations for each of the pixels that are left.
  ///
  /// - Returns: 17 to 25 bytes.
  /// - Throws: ``BitmapError`` when working memory runs out.
  public func thumbHash(workspace: Workspace = Workspace()) throws(BitmapError) -> [UInt8] {
    let most = ThumbHash.largestSide
    let box = PixelSize(width: most, height: most)
    let small = max(width, height) > most ? try resampled(.inside(box), workspace: workspace) : self
    return ThumbHash(small.size, straight: try small.straightRGBA()).bytes
  }

  /// The blurred picture of a ThumbHash: its longer side has 32 pixels.
  ///
  /// - Throws: ``BitmapError/invalidHash(_:)`` when the bytes are no ThumbHash.
  public init(thumbHash: [UInt8]) throws(BitmapError) {
    guard let hash = ThumbHash(bytes: thumbHash) else {
      throw .invalidHash("ThumbHash")
    }
    self = try hash.draw()
  }
}

extension ThumbHash {
  /// Hashes straight RGBA pixels without padding, at most 100 × 100.
  init(_ size: PixelSize, straight: [UInt8]) {
    let count = size.width * size.height
    let alphas = (0..<count).map { Double(straight[$0 * 4 + 3]) / 255 }
    let whole = alphas.reduce(0, +)
    hasAlpha = whole < Double(count)
    isLandscape = size.width > size.height
    let most = hasAlpha ? 5.0 : 7.0
    let longer = Double(max(size.width, size.height))
    across = max(1, Int((most * Double(size.width) / longer + 0.5).rounded(.down)))
    down = max(1, Int((most * Double(size.height) / longer + 0.5).rounded(.down)))
    // Where the picture is transparent, its mean colour disturbs the other terms least.
    let colors = (0..<3).map { channel -> [Double] in
      let seen = (0..<count).map { alphas[$0] / 255 * Double(straight[$0 * 4 + channel]) }
      let mean = whole > 0 ? seen.reduce(0, +) / whole : 0
      return (0..<count).map { mean * (1 - alphas[$0]) + seen[$0] }
    }
    let (red, green, blue) = (colors[0], colors[1], colors[2])
    let waves = Waves(size)
    brightness = waves.channel(
      (0..<count).map { (red[$0] + green[$0] + blue[$0]) / 3 },
      brightnessPairs
    )
    yellowBlue = waves.channel(
      (0..<count).map { (red[$0] + green[$0]) / 2 - blue[$0] },
      Self.colorPairs
    )
    redGreen = waves.channel((0..<count).map { red[$0] - green[$0] }, Self.colorPairs)
    if hasAlpha { alpha = waves.channel(alphas, Self.alphaPairs) }
  }

  /// The cosines of a picture's width and height.
  private struct Waves {
    let across: [[Double]]
    let down: [[Double]]

    init(_ size: PixelSize) {
      across = CosineTerms.table(7, count: size.width, offset: 0.5)
      down = CosineTerms.table(7, count: size.height, offset: 0.5)
    }

    func channel(_ values: [Double], _ pairs: [(x: Int, y: Int)]) -> Channel {
      let means = CosineTerms.means(of: values, across: across, down: down)
      let terms = pairs.map { means[$0.y][$0.x] }
      let scale = terms.reduce(0) { max($0, $1.magnitude) }
      // Of a channel without terms the format has the lowest level.
      let parts = terms.map { scale > 0 ? $0 / scale : -1 }
      return Channel(mean: means[0][0], terms: parts, scale: scale)
    }

    /// The channel's value at a pixel.
    func value(of channel: Channel, _ pairs: [(x: Int, y: Int)], _ x: Int, _ y: Int) -> Double {
      zip(channel.terms, pairs).reduce(channel.mean) { sum, next in
        let (term, pair) = next
        return sum + term * channel.scale * 2 * across[pair.x][x] * down[pair.y][y]
      }
    }
  }

  /// The blurred picture.
  fileprivate func draw() throws(BitmapError) -> Bitmap {
    let ratio = Double(across) / Double(down)
    let size = PixelSize(
      width: ratio > 1 ? 32 : Int((32 * ratio + 0.5).rounded(.down)),
      height: ratio > 1 ? Int((32 / ratio + 0.5).rounded(.down)) : 32
    )
    let waves = Waves(size)
    let pairs = brightnessPairs
    var canvas = try Canvas(size: size, format: hasAlpha ? .bgra : .bgrx)
    let rowBytes = canvas.bytesPerRow
    canvas.withMutableBytes { bytes in
      for y in 0..<size.height {
        for x in 0..<size.width {
          let bright = waves.value(of: brightness, pairs, x, y)
          let warm = waves.value(of: yellowBlue, Self.colorPairs, x, y)
          let rosy = waves.value(of: redGreen, Self.colorPairs, x, y)
          let opaque = hasAlpha ? waves.value(of: alpha, Self.alphaPairs, x, y) : 1
          let blue = bright - 2 / 3 * warm
          let red = (3 * bright - blue + rosy) / 2
          let part = min(max(0, opaque), 1)
          for (index, color) in [blue, red - rosy, red].enumerated() {
            bytes[y * rowBytes + x * 4 + index] = Self.byte(min(max(0, color), 1) * part)
          }
          bytes[y * rowBytes + x * 4 + 3] = Self.byte(part)
        }
      }
    }
    return canvas.finish()
  }

  private static func byte(_ value: Double) -> UInt8 {
    UInt8(min(max(0, (value * 255).rounded()), 255))
  }
}
