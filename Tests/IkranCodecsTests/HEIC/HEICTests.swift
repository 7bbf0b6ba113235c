#if HEIC
import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

/// Files of the corpus, compared with each other.
@Suite(.enabled(if: Corpus.isAvailable, "set IKRAN_CORPUS"), .timeLimit(.minutes(10)))
struct HEICTests {
  private func picture(
    _ name: String,
    _ fitting: Fitting = .original,
    rules: DecodeRules = DecodeRules()
  ) throws -> Bitmap {
    try outcome(of: Corpus.bytes("heic/\(name)"), fitting, by: rules).get().bitmap
  }

  @Test(arguments: 2...8)
  func theEightOrientationsGiveTheSameUprightPicture(_ number: Int) throws {
    let first = try picture("exif-orientation-1.heic")
    let other = try picture("exif-orientation-\(number).heic")
    #expect(first.meanDifference(to: other) < 8)
  }

  @Test func exifAloneDoesNotTurnAPicture() throws {
    let first = try picture("exif-orientation-1.heic")
    let other = try picture("exif-orientation-6-no-irot.heic")
    #expect(first.size == other.size)
  }

  @Test(arguments: ["yuv422.heic", "yuv444.heic", "lossy-q90.heic", "10bit.heic"])
  func everyDepthAndSubsamplingShowsTheSamePicture(_ name: String) throws {
    let wanted = try picture("lossless-444.heic")
    #expect(try picture(name).meanDifference(to: wanted) < 12)
  }

  @Test func grayIsGray() throws {
    let gray = try picture("grayscale.heic")
    let isGray = gray.pixels.joined().allSatisfy { $0.red == $0.green && $0.green == $0.blue }
    #expect(isGray)
  }

  @Test func alphaIsPremultiplied() throws {
    for (name, least) in [
      ("alpha.heic", 100), ("kingfisher--PixelFormats-gradient-10b-srgb-alpha.heic", 1),
    ] {
      let bitmap = try picture(name)
      #expect(bitmap.format == .bgra)
      var alphas: Set<UInt8> = []
      for pixel in bitmap.pixels.joined() {
        alphas.insert(pixel.alpha)
        #expect(max(pixel.red, pixel.green, pixel.blue) <= pixel.alpha)
      }
      #expect(alphas.count >= least)
    }
    #expect(try picture("lossy-q90.heic").format == .bgrx)
  }

  @Test(
    arguments: [
      "lossy-q90.heic", "exif-orientation-6.heic", "alpha.heic", "10bit.heic", "grayscale.heic",
    ]
  )
  func aPartIsThatOfTheWhole(_ name: String) throws {
    let whole = try picture(name)
    let part = PixelRectangle(x: 5, y: 3, width: whole.width - 9, height: whole.height - 8)
    let cut = try picture(name, .region(part, part.size))
    let rows = whole.pixels[3..<whole.height - 5]
    #expect(cut.pixels == rows.map { Array($0[5..<whole.width - 4]) })
    let png = try whole.encoded(as: .png)
    let size = Fitting.cover(PixelSize(width: 31, height: 17))
    #expect(try picture(name, size).distance(to: outcome(of: png, size).get()) <= 2)
  }

  @Test func aThumbnailIsUsedWhereItIsEnough() throws {
    let bytes = try Corpus.bytes("heic/thumbnail.heic")
    let header = try HEICHeader(bytes.span, .heic)
    let thumbnail = try #require(header.thumbnails.first)
    func isUsed(_ size: PixelSize) throws -> Bool {
      try header.thumbnail(for: header.info.plan(.cover(size))) != nil
    }
    let larger = PixelSize(width: thumbnail.size.width + 1, height: thumbnail.size.height + 1)
    #expect(try isUsed(thumbnail.size))
    #expect(try !isUsed(larger))
    // It was made by taking every fifth pixel.
    for size in [thumbnail.size, PixelSize(width: 31, height: 20)] {
      let small = try outcome(of: bytes, .cover(size)).get()
      let png = try outcome(of: bytes).get().encoded(as: .png)
      #expect(try small.meanDifference(to: outcome(of: png, .cover(size)).get()) < 30)
    }
  }

  @Test func aThumbnailIsLeftAsideWhereTheRulesSaySo() throws {
    let bytes = try Corpus.bytes("heic/thumbnail.heic")
    let thumbnail = try #require(HEICHeader(bytes.span, .heic).thumbnails.first)
    var rules = DecodeRules()
    rules.usesThumbnails = false
    let fitting = Fitting.cover(thumbnail.size)
    let scaled = try outcome(of: bytes, fitting, by: rules).get().bitmap
    #expect(try scaled.distance(to: outcome(of: bytes, fitting).get()) > 2)
    let png = try outcome(of: bytes).get().encoded(as: .png)
    #expect(try scaled.distance(to: outcome(of: png, fitting).get()) <= 2)
  }

  @Test func profilesAreConvertedOrKept() throws {
    let name = "kingfisher--PixelFormats-gradient-10b-displayp3-alpha.heic"
    let stored = try picture(name, rules: DecodeRules(colors: .untouched))
    #expect(try picture(name).meanDifference(to: stored) > 0.5)
    #expect(try picture(name, rules: DecodeRules(colors: .keepProfile)).profile != nil)
  }

  @Test func limitsAreKeptBeforeDecoding() throws {
    let bytes = try Corpus.bytes("heic/lossy-q90.heic")
    var limits = DecodeLimits()
    limits.maximumPixels = 19_199
    #expect(
      failure(of: bytes, limits: limits) == .overLimit(.pixels, value: 19_200, limit: 19_199)
    )
    limits = DecodeLimits()
    limits.maximumDimension = 159
    #expect(
      failure(of: bytes, limits: limits) == .overLimit(.dimension, value: 160, limit: 159)
    )
  }

  @Test func aCutFileIsTruncated() throws {
    let bytes = try Corpus.bytes("heic/lossy-q90.heic")
    for count in [40, 100, bytes.count / 2, bytes.count - 1] {
      let error = failure(of: Array(bytes[..<count]))
      #expect(error == .truncated(.heic, offset: count), "\(count) bytes")
    }
  }

  @Test func damagedBytesNeverTrap() throws {
    var random = SeededGenerator(seed: 7)
    for name in ["lossy-q90.heic", "alpha.heic", "thumbnail.heic", "icc.heic"] {
      let bytes = try Corpus.bytes("heic/\(name)")
      for _ in 0..<Rounds.fewer(60, atLeast: 20) {
        var damaged = bytes
        for _ in 0..<4 {
          let place = Int.random(in: 0..<min(bytes.count, 1_500), using: &random)
          damaged[place] = UInt8.random(in: 0...255, using: &random)
        }
        _ = probe(damaged)
        _ = outcome(of: damaged)
      }
    }
  }
}
#endif
