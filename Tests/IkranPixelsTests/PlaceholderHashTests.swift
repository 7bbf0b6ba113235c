import Testing

@testable import IkranPixels

/// ThumbHash and BlurHash.
///
/// The expected values are those of the packages `thumbhash` 0.1.2 and `blurhash` 1.1.5 of PyPI, the
/// first with two mistakes mended that its original does not have: alpha's terms were lost, and
/// every pixel was drawn with the cosines of the first.
@Suite(.timeLimit(.minutes(10))) struct PlaceholderHashTests {
  /// A picture, its hash, the size of the hash's picture and three pixels of that.
  struct Sample: Sendable, CustomStringConvertible {
    let width: Int
    let height: Int
    var hasAlpha = false
    let hash: [UInt8]
    let size: PixelSize
    /// At the top left, in the middle of the upper third, and at the bottom right.
    let pixels: [[Int]]

    var description: String { "\(width)×\(height)\(hasAlpha ? " with alpha" : "")" }

    /// Straight RGBA.
    var straight: [UInt8] {
      var bytes: [UInt8] = []
      for y in 0..<height {
        for x in 0..<width {
          let alpha = hasAlpha ? min(255, (x * x + 3 * y) * 4) : 255
          for value in [x * x * 3 + y * 5, x * 7 + y * y, 200 - x * 4 + y * 3] {
            bytes.append(UInt8(truncatingIfNeeded: value))
          }
          bytes.append(UInt8(alpha))
        }
      }
      return bytes
    }

    func bitmap() throws -> Bitmap {
      let straight = straight
      return try picture(width, height, hasAlpha ? .bgra : .bgrx) { x, y in
        let place = (y * width + x) * 4
        let alpha = Int(straight[place + 3])
        let color = (0..<3).map { UInt8((Int(straight[place + 2 - $0]) * alpha + 127) / 255) }
        return color + [UInt8(alpha)]
      }
    }
  }

  static let thumbs = [
    Sample(
      width: 16,
      height: 12,
      hash: [
        96, 21, 10, 77, 138, 66, 150, 120, 112, 135, 120, 122, 135, 120, 119, 120, 96, 117, 137,
        241, 103,
      ],
      size: PixelSize(width: 32, height: 23),
      pixels: [[0, 0, 201, 255], [145, 58, 188, 255], [156, 254, 175, 255]]
    ),
    Sample(
      width: 12,
      height: 30,
      hash: [226, 21, 10, 59, 8, 65, 148, 7, 149, 135, 151, 153, 120, 16, 75, 114, 246],
      size: PixelSize(width: 14, height: 32),
      pixels: [[4, 10, 175, 255], [154, 131, 255, 255], [162, 125, 179, 255]]
    ),
    Sample(
      width: 100,
      height: 40,
      hash: [160, 247, 5, 43, 130, 231, 8, 101, 119, 214, 120, 86, 7, 103, 170, 152, 245],
      size: PixelSize(width: 32, height: 14),
      pixels: [[100, 92, 159, 255], [110, 119, 85, 255], [123, 125, 174, 255]]
    ),
    Sample(
      width: 20,
      height: 20,
      hasAlpha: true,
      hash: [
        36, 246, 133, 45, 6, 45, 88, 101, 112, 137, 131, 121, 220, 128, 123, 181, 176, 249, 48, 118,
        68, 118, 119, 120, 119,
      ],
      size: PixelSize(width: 32, height: 32),
      pixels: [[115, 85, 204, 0], [133, 115, 166, 255], [140, 166, 203, 255]]
    ),
    Sample(
      width: 9,
      height: 20,
      hasAlpha: true,
      hash: [
        37, 37, 134, 34, 8, 43, 129, 160, 59, 219, 137, 160, 121, 4, 202, 198, 128, 136, 81, 121,
        135, 120, 119,
      ],
      size: PixelSize(width: 13, height: 32),
      pixels: [[119, 86, 236, 51], [101, 93, 191, 161], [164, 99, 201, 255]]
    ),
    Sample(
      width: 31,
      height: 7,
      hasAlpha: true,
      hash: [
        161, 247, 133, 73, 138, 45, 176, 119, 148, 121, 137, 176, 136, 248, 165, 119, 16, 83, 119,
        119, 119, 119, 119,
      ],
      size: PixelSize(width: 32, height: 6),
      pixels: [[130, 90, 154, 0], [111, 93, 156, 255], [161, 255, 82, 242]]
    ),
  ]

  @Test(arguments: thumbs) func aThumbHashIsThatOfTheReference(_ sample: Sample) throws {
    let size = PixelSize(width: sample.width, height: sample.height)
    #expect(ThumbHash(size, straight: sample.straight).bytes == sample.hash)
    // Pixels with alpha are premultiplied, which costs colours a little.
    let hash = try sample.bitmap().thumbHash()
    if sample.hasAlpha {
      #expect(hash.count == sample.hash.count)
    } else {
      #expect(hash == sample.hash)
    }
  }

  @Test(arguments: thumbs) func aThumbHashIsDrawnAsByTheReference(_ sample: Sample) throws {
    let drawn = try Bitmap(thumbHash: sample.hash)
    #expect(drawn.size == sample.size)
    #expect(drawn.format == (sample.hasAlpha ? .bgra : .bgrx))
    let places = [
      (0, 0), (drawn.width / 2, drawn.height / 3), (drawn.width - 1, drawn.height - 1),
    ]
    for ((x, y), wanted) in zip(places, sample.pixels) {
      let pixel = drawn.pixel(x, y).map(Int.init)
      let expected = (0..<3).map { wanted[2 - $0] * wanted[3] / 255 } + [wanted[3]]
      let isNear = zip(pixel, expected).allSatisfy { abs($0 - $1) <= 1 }
      #expect(isNear, "(\(x), \(y)): \(pixel), not \(expected)")
    }
  }

  @Test func aLargerPictureIsScaledDown() throws {
    let large = try picture(400, 200, .bgrx) { x, y in [UInt8(x / 2), UInt8(y), 90, 255] }
    let small = try large.resampled(.inside(PixelSize(width: 100, height: 50)))
    #expect(try large.thumbHash() == small.thumbHash())
    #expect(try large.blurHash() == small.blurHash())
  }

  @Test func everyBeginningOfAThumbHashIsRefused() throws {
    for sample in Self.thumbs {
      for count in 0..<sample.hash.count {
        #expect(throws: BitmapError.invalidHash("ThumbHash")) {
          try Bitmap(thumbHash: Array(sample.hash.prefix(count)))
        }
      }
    }
  }

  @Test func whatFollowsAHashIsNotRead() throws {
    let tail = [UInt8](repeating: 7, count: 64 << 20)
    for sample in Self.thumbs.prefix(2) {
      let drawn = try Bitmap(thumbHash: sample.hash)
      #expect(try Bitmap(thumbHash: sample.hash + tail).pixels == drawn.pixels)
    }
    let text = String(repeating: "0", count: 64 << 20)
    #expect(throws: BitmapError.invalidHash("BlurHash")) { try Bitmap(blurHash: text) }
  }

  @Test func anyBytesAreAPictureOrAnError() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      let bytes = (0..<25).map { _ in UInt8.random(in: 0...255, using: &random) }
      if let drawn = try? Bitmap(thumbHash: bytes) { #expect(max(drawn.width, drawn.height) == 32) }
    }
  }

  /// A picture, the numbers of terms, its hash, and three pixels of 20×16 that are drawn of it.
  static let blurs: [(Int, Int, Int, Int, String, [[UInt8]])] = [
    (
      16, 12, 4, 3, "LZF5R?9oBBS*i4XQSgsBtLWVWWoJ",
      [[0, 18, 231], [154, 92, 186], [148, 175, 137]]
    ),
    (
      12, 30, 3, 5, "cSG8:WFyAmDuN9Nhm6aZs.nEX9bUjFXTjM",
      [[0, 0, 218], [165, 167, 226], [157, 123, 189]]
    ),
    (1, 1, 1, 1, "00002Y", [[0, 0, 200], [0, 0, 200], [0, 0, 200]]),
    (7, 5, 1, 1, "007JgC", [[63, 31, 194], [63, 31, 194], [63, 31, 194]]),
  ]

  @Test(arguments: blurs)
  func aBlurHashIsThatOfTheReference(
    _ sample: (width: Int, height: Int, across: Int, down: Int, hash: String, pixels: [[UInt8]])
  ) throws {
    let shape = Sample(
      width: sample.width,
      height: sample.height,
      hash: [],
      size: PixelSize(width: 1, height: 1),
      pixels: []
    )
    let hash = try shape.bitmap().blurHash(across: sample.across, down: sample.down)
    #expect(hash == sample.hash)
    let drawn = try Bitmap(blurHash: hash, size: PixelSize(width: 20, height: 16))
    for ((x, y), wanted) in zip([(0, 0), (10, 8), (19, 15)], sample.pixels) {
      #expect(drawn.pixel(x, y) == [wanted[2], wanted[1], wanted[0], 255])
    }
  }

  @Test func punchIsTheContrastOfABlurHash() throws {
    let size = PixelSize(width: 20, height: 16)
    let drawn = try Bitmap(blurHash: "LZF5R?9oBBS*i4XQSgsBtLWVWWoJ", size: size, punch: 1.5)
    #expect(drawn.pixel(10, 8) == [185, 82, 164, 255])
  }

  @Test(
    arguments: [
      "", "00002", "00002Y0", "LZF5R?9oBBS*i4XQSgsBtLWVWWo", "LZF5R?9oBBS*i4XQSgsBtLWVWWoé",
      "00~~~~", "10002Y~~",
    ]
  )
  func whatIsNoBlurHashIsRefused(text: String) {
    #expect(throws: BitmapError.invalidHash("BlurHash")) { try Bitmap(blurHash: text) }
  }

  @Test func aBlurHashIsNotDrawnTooLarge() {
    let size = PixelSize(width: 1025, height: 1)
    #expect(throws: BitmapError.invalidSize(size)) { try Bitmap(blurHash: "00002Y", size: size) }
  }
}
