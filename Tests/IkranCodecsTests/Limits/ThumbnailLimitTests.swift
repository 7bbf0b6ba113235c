import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

/// Small pictures of files that have more pixels than may be held.
@Suite(.timeLimit(.minutes(10))) struct ThumbnailLimitTests {
  private static let size = PixelSize(width: 320, height: 240)
  private static let thumbnail = Fitting.inside(PixelSize(width: 24, height: 24))

  /// Fewer pixels than the pictures have, and more than their thumbnails need.
  private static func limits(_ pixels: Int) -> DecodeLimits {
    var limits = DecodeLimits()
    limits.maximumPixels = pixels
    return limits
  }

  private static func jpeg(_ isProgressive: Bool) -> [UInt8] {
    JPEGSample(
      width: size.width,
      height: size.height,
      sampling: .quarter,
      isProgressive: isProgressive
    )
    .bytes()
  }

  private static func png(_ isInterlaced: Bool) -> [UInt8] {
    PNGSample(size: size, isInterlaced: isInterlaced) { x, y in
      [UInt16(x * 200), UInt16(y * 250), UInt16((x ^ y) * 100)]
    }
    .bytes
  }

  private static func webp(_ encoding: ImageEncoding) throws -> [UInt8] {
    try CodecList.standard.decode(png(false).span).bitmap.encoded(as: encoding)
  }

  private static var gif: [UInt8] {
    let indices = (0..<size.width * size.height).map { UInt8($0 / 320 & 255) }
    return GIFSample(width: size.width, height: size.height, indices: indices).bytes
  }

  /// Each kind of file, and the pixels that a decoder holds for the thumbnail.
  private static func files() throws -> [(name: String, bytes: [UInt8], held: Int)] {
    [
      ("baseline JPEG", jpeg(false), 24 * 18),
      // With refinement, eight bytes for a block of each component, and coefficients.
      ("progressive JPEG", jpeg(true), 240 * 320 / 2),
      ("PNG", png(false), 24 * 18),
      // Squares of 8 × 8.
      ("interlaced PNG", png(true), 40 * 30 * 2),
      ("lossy WebP", try webp(.webp(quality: 80)), 24 * 18),
      ("GIF", gif, 320 * 240 / 4),
    ]
  }

  @Test func aThumbnailIsMadeWhereThePictureIsOverTheLimit() throws {
    for file in try Self.files() {
      let limits = Self.limits(file.held + 200)
      guard case .success(let picture) = outcome(of: file.bytes, Self.thumbnail, limits: limits)
      else {
        let error = failure(of: file.bytes, Self.thumbnail, limits: limits)
        Issue.record("\(file.name): \(error.map { "\($0)" } ?? "")")
        continue
      }
      #expect(picture.size == PixelSize(width: 24, height: 18), "\(file.name)")
      let unlimited = try outcome(of: file.bytes, Self.thumbnail).get()
      #expect(picture.meanDistance(to: unlimited) < 6, "\(file.name)")
    }
  }

  @Test func aWholePictureOverTheLimitIsRefused() throws {
    let pixels = Self.size.width * Self.size.height
    let error = DecodeError.overLimit(.pixels, value: pixels, limit: pixels - 1)
    for file in try Self.files() {
      #expect(failure(of: file.bytes, limits: Self.limits(pixels - 1)) == error, "\(file.name)")
    }
  }

  @Test func pixelsThatADecoderHoldsAreCounted() throws {
    let pixels = Self.size.width * Self.size.height
    let limits = Self.limits(1_000)
    let held = [
      "progressive JPEG": pixels, "interlaced PNG": pixels, "GIF": pixels / 4,
    ]
    for file in try Self.files() {
      let error = held[file.name].map { DecodeError.overLimit(.pixels, value: $0, limit: 1_000) }
      #expect(failure(of: file.bytes, Self.thumbnail, limits: limits) == error, "\(file.name)")
    }
  }

  @Test func losslessAndTranslucentWebPKeepTheLimitOfThePicture() throws {
    let pixels = Self.size.width * Self.size.height
    let translucent = try #require(
      try? outcome(
        of: PNGSample(size: Self.size, hasAlpha: true) { x, y in
          [UInt16(x * 200), UInt16(y * 250), 0, UInt16(30_000 + x * 100)]
        }
        .bytes
      )
      .get().encoded(as: .webp(quality: 80))
    )
    for bytes in [translucent, try Self.webp(.webpLossless)] {
      let error = DecodeError.overLimit(.pixels, value: pixels, limit: pixels - 1)
      #expect(failure(of: bytes, Self.thumbnail, limits: Self.limits(pixels - 1)) == error)
      #expect(failure(of: bytes, Self.thumbnail, limits: Self.limits(pixels)) == nil)
    }
  }

  @Test func ofALosslessWebPEveryPixelCountsThoughItIsReduced() throws {
    let bytes = try Self.webp(.webpLossless)
    let header = try WebPHeader(bytes.span)
    let plan = RenderPlan(stored: Self.size, orientation: .up, fitting: Self.thumbnail)
    let reduction = WebPReduction(plan, header, mostPixels: .max)
    #expect(reduction.heldPixels == 320 * 240)
    #expect(reduction.block == 0 && reduction.size == PixelSize(width: 107, height: 80))
  }

  @Test func aJPEGOfSeveralSequentialScansKeepsTheLimitOfThePicture() throws {
    var sample = JPEGSample(width: 320, height: 240, sampling: .quarter, isProgressive: true)
    sample.script = .separate
    let bytes = sample.bytes()
    let pixels = Self.size.width * Self.size.height
    let error = DecodeError.overLimit(.pixels, value: pixels, limit: pixels - 1)
    #expect(failure(of: bytes, Self.thumbnail, limits: Self.limits(pixels - 1)) == error)
    #expect(failure(of: bytes, Self.thumbnail, limits: Self.limits(pixels)) == nil)
  }

  @Test func whatAHeaderMayDeclareHasALimitOfItsOwn() throws {
    let pixels = Self.size.width * Self.size.height
    for file in try Self.files() {
      var limits = Self.limits(file.held + 200)
      limits.maximumDeclaredPixels = pixels - 1
      let error = DecodeError.overLimit(.declaredPixels, value: pixels, limit: pixels - 1)
      #expect(failure(of: file.bytes, Self.thumbnail, limits: limits) == error, "\(file.name)")
      limits.maximumPixels = pixels
      #expect(failure(of: file.bytes, Self.thumbnail, limits: limits) == nil, "\(file.name)")
    }
  }

  @Test func anEnlargedResultIsCounted() throws {
    let error = DecodeError.overLimit(.pixels, value: 1_000 * 1_000, limit: 100_000)
    let large = Fitting.cover(PixelSize(width: 1_000, height: 1_000))
    for file in try Self.files() {
      #expect(failure(of: file.bytes, large, limits: Self.limits(100_000)) == error, "\(file.name)")
    }
  }

  @Test func progressiveScansMayTakeLongerWhereThereAreMorePixels() {
    let usual = PixelSize(width: 5_000, height: 4_000)
    #expect(JPEGHandle.workLimit(of: usual) == 800_000_000)
    #expect(JPEGHandle.workLimit(of: PixelSize(width: 20_000, height: 20_000)) == 3_200_000_000)
  }
}

extension Bitmap {
  /// The mean difference of a channel to an image of the same size.
  fileprivate func meanDistance(to other: Bitmap) -> Double {
    let pairs = zip(pixels.joined(), other.pixels.joined())
    let sum = pairs.reduce(0) { $0 + $1.0.distance(to: $1.1) }
    return Double(sum) / Double(max(width * height, 1))
  }
}
