#if AVIF
import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

/// Files of the corpus, compared with each other: most show the same cat.
@Suite(.enabled(if: Corpus.isAvailable, "set IKRAN_CORPUS"), .timeLimit(.minutes(10)))
struct AVIFTests {
  private static let untouched = DecodeRules(colors: .untouched)

  private func picture(
    _ name: String,
    _ fitting: Fitting = .original,
    rules: DecodeRules = DecodeRules()
  ) throws -> Bitmap {
    try outcome(of: Corpus.bytes("avif/\(name).avif"), fitting, by: rules).get().bitmap
  }

  @Test(
    arguments: [
      "8bit-yuv420", "8bit-yuv422", "8bit-yuv444", "10bit-yuv420", "10bit-yuv422", "10bit-yuv444",
      "12bit-yuv420", "12bit-yuv422", "12bit-yuv444", "limited-range", "tiles-autotiling",
      "exif-orientation-6-no-irot", "film-grain",
    ]
  )
  func everyDepthAndSubsamplingShowsTheSamePicture(_ name: String) throws {
    let wanted = try picture("lossless")
    let difference = try picture(name).meanDifference(to: wanted)
    // The colours of fur and eyes suffer where four pixels share one.
    #expect(difference < (name.hasSuffix("444") ? 6 : 9))
  }

  @Test(arguments: [8, 10, 12])
  func monochromeIsGray(_ depth: Int) throws {
    let gray = try picture("\(depth)bit-yuv400")
    let colors = try picture("lossless")
    for (one, other) in zip(gray.pixels.joined(), colors.pixels.joined()) {
      #expect(one.red == one.green && one.green == one.blue)
      let luma =
        0.299 * Double(other.red) + 0.587 * Double(other.green) + 0.114 * Double(other.blue)
      #expect(abs(luma - Double(one.red)) < 40)
    }
  }

  @Test(
    arguments: [
      ("irot-1", Orientation.left), ("irot-2", .down), ("irot-3", .right),
      ("imir-0", .downMirrored),
      ("imir-1", .upMirrored), ("irot-1-imir-0", .leftMirrored),
      ("exif-orientation-6-with-irot", .right),
    ]
  )
  func turnsAndMirrorsAreApplied(_ file: (name: String, orientation: Orientation)) throws {
    let wanted = try picture("lossless").upright(file.orientation)
    #expect(try picture(file.name).meanDifference(to: wanted) < 6)
  }

  /// Where the body of a box of the picture's properties begins.
  private func start(of type: String, in file: [UInt8]) throws -> Int {
    let letters = Array(type.utf8)
    return try #require(file.indices.dropLast(4).first { Array(file[$0..<$0 + 4]) == letters }) + 4
  }

  @Test func aCleanApertureIsCutOut() throws {
    let whole = PixelSize(width: 160, height: 120)
    let part = PixelRectangle(x: 20, y: 10, width: 100, height: 80)
    var file = try Corpus.bytes("avif/clap-crop.avif")
    let cut = try outcome(of: file).get()
    #expect(try probe(file).get().size == part.size)
    let small = try outcome(of: file, .cover(PixelSize(width: 20, height: 16))).get()
    // A width of nothing.
    let start = try start(of: "clap", in: file)
    file.replaceSubrange(start..<start + 4, with: [0, 0, 0, 0])
    #expect(try probe(file).get().size == whole)
    #expect(try outcome(of: file, .region(part, part.size)).get().pixels == cut.pixels)
    let wanted = try outcome(of: cut.encoded(as: .png), .cover(PixelSize(width: 20, height: 16)))
    #expect(try small.distance(to: wanted.get()) <= 3)
  }

  @Test func anApertureThatBeginsWithinChromaIsLeftAside() throws {
    var file = try Corpus.bytes("avif/clap-crop.avif")
    let start = try (aperture: start(of: "clap", in: file), coding: start(of: "av1C", in: file))
    // Eleven pixels left of the middle.
    file.replaceSubrange(start.aperture + 16..<start.aperture + 20, with: [255, 255, 255, 245])
    #expect(try probe(file).get().size == PixelSize(width: 100, height: 80))
    // As if chroma were halved on both sides.
    file[start.coding + 2] |= 12
    #expect(try probe(file).get().size == PixelSize(width: 160, height: 120))
  }

  @Test func limitsHoldForWhatIsCoded() throws {
    let bytes = try Corpus.bytes("avif/clap-crop.avif")
    var limits = DecodeLimits()
    limits.maximumPixels = 19_199
    #expect(
      failure(of: bytes, limits: limits) == .overLimit(.pixels, value: 19_200, limit: 19_199)
    )
  }

  @Test func premultipliedAlphaIsKept() throws {
    let (straight, premultiplied) = try (picture("alpha"), picture("alpha-premultiplied"))
    #expect(straight.format == .bgra)
    #expect(premultiplied.format == .bgra)
    #expect(premultiplied.meanDifference(to: straight) < 4)
    for pixel in premultiplied.pixels.joined() {
      #expect(max(pixel.red, pixel.green, pixel.blue) <= pixel.alpha)
    }
  }

  @Test func aDepthMapIsNoAlpha() throws {
    let file = try Corpus.bytes("avif/libavif--colors-animated-8bpc-depth-exif-xmp.avif")
    #expect(try outcome(of: file).get().format == .bgrx)
  }

  @Test(
    arguments: [
      "8bit-yuv420", "10bit-yuv422", "12bit-yuv444", "8bit-yuv400", "alpha", "alpha-10bit",
      "alpha-premultiplied", "lossless", "libavif--kodim03_yuv420_8bpc", "irot-1",
    ]
  )
  func bandsOfRowsAreThoseOfTheWholePicture(_ name: String) throws {
    let whole = try picture(name)
    for top in [0, 1, 7, 31, 32, 63] {
      let height = whole.height - top - 3
      let part = PixelRectangle(x: 5, y: top, width: whole.width - 9, height: height)
      let cut = try picture(name, .region(part, part.size))
      let wanted = whole.pixels[top..<top + height].map { Array($0[5..<whole.width - 4]) }
      #expect(cut.pixels == wanted, "from row \(top)")
    }
  }

  @Test(arguments: ["8bit-yuv420", "10bit-yuv444", "alpha", "irot-3", "pillow--hopper"])
  func aSmallPictureIsThatOfTheWhole(_ name: String) throws {
    let png = try picture(name).encoded(as: .png)
    for fitting in [
      Fitting.cover(PixelSize(width: 31, height: 17)), .inside(PixelSize(width: 40, height: 40)),
    ] {
      let wanted = try outcome(of: png, fitting).get()
      #expect(try picture(name, fitting).distance(to: wanted) <= 2)
    }
  }

  @Test func profilesAndCodePointsAreConverted() throws {
    for name in ["icc", "cicp-p3"] {
      let stored = try picture(name, rules: Self.untouched)
      let converted = try picture(name)
      #expect(stored.meanDifference(to: converted) > 0.5, "\(name)")
      #expect(stored.meanDifference(to: converted) < 40, "\(name)")
    }
    let kept = try picture("icc", rules: DecodeRules(colors: .keepProfile))
    #expect(kept.profile != nil)
  }

  @Test func limitsAreKeptBeforeDecoding() throws {
    let bytes = try Corpus.bytes("avif/8bit-yuv420.avif")
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
    let bytes = try Corpus.bytes("avif/8bit-yuv420.avif")
    for count in [20, 100, bytes.count / 2, bytes.count - 1] {
      let error = failure(of: Array(bytes[..<count]))
      #expect(error == .truncated(.avif, offset: count), "\(count) bytes")
    }
  }

  @Test func damagedBytesNeverTrap() throws {
    var random = SeededGenerator(seed: 7)
    for name in ["8bit-yuv420", "grid-2x2", "animated-5-frames", "alpha", "icc"] {
      let bytes = try Corpus.bytes("avif/\(name).avif")
      for _ in 0..<Rounds.fewer(60, atLeast: 20) {
        var damaged = bytes
        for _ in 0..<4 {
          let place = Int.random(in: 0..<min(bytes.count, 1_200), using: &random)
          damaged[place] = UInt8.random(in: 0...255, using: &random)
        }
        _ = probe(damaged)
        _ = outcome(of: damaged)
        _ = try? CodecList.standard.frames(of: damaged)?.makeComposer().compose(0)
      }
    }
  }
}
#endif
