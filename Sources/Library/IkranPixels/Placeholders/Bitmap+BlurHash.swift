extension Bitmap {
  /// The most pixels of a side that is hashed.
  private static let largestSide = 100

  /// A BlurHash of the picture, to be kept with its URL and shown while it loads: some thirty
  /// characters.
  ///
  /// ``init(blurHash:size:punch:)`` draws it. Format: https://github.com/woltapp/blurhash. It knows
  /// no alpha: transparent pixels count as black. Larger pictures are scaled down to 100 pixels
  /// first.
  ///
  /// - Parameters:
  ///   - across: Terms in a row, 1…9; others count as the nearest.
  ///   - down: Terms in a column, 1…9; others count as the nearest.
  ///   - workspace: Memory to reuse from picture to picture.
  /// - Returns: 4 + 2 × across × down characters.
  /// - Throws: ``BitmapError`` when working memory runs out.
  public func blurHash(
    across: Int = 4,
    down: Int = 3,
    workspace: Workspace = Workspace()
  ) throws(BitmapError) -> String {
    let box = PixelSize(width: Self.largestSide, height: Self.largestSide)
    let isLarge = max(width, height) > Self.largestSide
    let small = isLarge ? try resampled(.inside(box), workspace: workspace) : self
    let straight = try small.converted(to: .bgrx).straightRGBA()
    let (across, down) = (min(max(1, across), 9), min(max(1, down), 9))
    let waves = (
      CosineTerms.table(across, count: small.width, offset: 0),
      CosineTerms.table(down, count: small.height, offset: 0)
    )
    let channels = (0..<3).map { channel in
      let light = stride(from: channel, to: straight.count, by: 4).map {
        LinearLight.value(of: straight[$0])
      }
      return CosineTerms.means(of: light, across: waves.0, down: waves.1)
    }
    var terms: [SIMD3<Double>] = []
    for y in 0..<down {
      for x in 0..<across {
        let mean = SIMD3(channels[0][y][x], channels[1][y][x], channels[2][y][x])
        terms.append((x, y) == (0, 0) ? mean : mean * 2)
      }
    }
    return BlurHash(across: across, down: down, terms: terms).text
  }

  /// The blurred picture of a BlurHash.
  ///
  /// Cost: some hundred operations for each pixel: draw it small and scale it up.
  ///
  /// - Parameters:
  ///   - blurHash: The hash's text.
  ///   - size: Width and height of the picture, at most 1024 pixels each.
  ///   - punch: The contrast: 1 is that of the picture.
  /// - Throws: ``BitmapError/invalidHash(_:)`` when the text is no BlurHash or `punch` no finite
  ///   number, ``BitmapError/invalidSize(_:)``, or an error when memory runs out.
  public init(
    blurHash: String,
    size: PixelSize = PixelSize(width: 32, height: 32),
    punch: Double = 1
  ) throws(BitmapError) {
    guard var hash = BlurHash(blurHash), punch.isFinite else { throw .invalidHash("BlurHash") }
    guard max(size.width, size.height) <= 1024 else { throw .invalidSize(size) }
    for index in hash.terms.indices.dropFirst() { hash.terms[index] *= punch }
    self = try hash.draw(size)
  }
}

extension BlurHash {
  fileprivate func draw(_ size: PixelSize) throws(BitmapError) -> Bitmap {
    var canvas = try Canvas(size: size, format: .bgrx)
    let waves = (
      CosineTerms.table(across, count: size.width, offset: 0),
      CosineTerms.table(down, count: size.height, offset: 0)
    )
    let rowBytes = canvas.bytesPerRow
    canvas.withMutableBytes { bytes in
      for y in 0..<size.height {
        // The terms of this row, one for each frequency across.
        let row = (0..<across).map { x in
          (0..<down).reduce(SIMD3<Double>()) { $0 + terms[$1 * across + x] * waves.1[$1][y] }
        }
        for x in 0..<size.width {
          let light = row.indices.reduce(SIMD3<Double>()) { $0 + row[$1] * waves.0[$1][x] }
          let place = y * rowBytes + x * 4
          bytes[place] = LinearLight.byte(of: light.z)
          bytes[place + 1] = LinearLight.byte(of: light.y)
          bytes[place + 2] = LinearLight.byte(of: light.x)
          bytes[place + 3] = 255
        }
      }
    }
    return canvas.finish()
  }
}
