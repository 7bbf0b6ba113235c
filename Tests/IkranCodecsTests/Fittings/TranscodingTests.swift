import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

/// What is neither resized nor drawn keeps the colours of the file.
@Suite(.timeLimit(.minutes(10)))
struct TranscodingTests {
  private static let seed: UInt64 = 20_261_126

  /// Random red, green, blue and alpha, of which many are low, clear or opaque.
  private static func colors(_ size: PixelSize, seed: UInt64 = seed) -> [UInt8] {
    var random = SeededGenerator(seed: seed)
    return (0..<size.width * size.height).flatMap { _ -> [UInt8] in
      let alphas: [UInt8] = [0, 1, 3, 255, UInt8.random(in: 0...255, using: &random)]
      let color = (0..<3).map { _ in UInt8.random(in: 0...255, using: &random) }
      return color + [alphas.randomElement(using: &random) ?? 0]
    }
  }

  private func rgba(_ bytes: [UInt8], _ fitting: Fitting = .original) throws -> [UInt8] {
    try CodecList.standard.straightRGBA(
      bytes.span,
      fitting: fitting,
      rules: DecodeRules(),
      workspace: Workspace()
    )
  }

  private func transcoded(
    _ bytes: [UInt8],
    as encoding: ImageEncoding,
    _ fitting: Fitting = .original
  ) throws -> [UInt8] {
    try CodecList.standard.transcode(bytes.span, as: encoding, fitting: fitting)
  }

  /// Decoded to a bitmap and encoded.
  private func redrawn(
    _ bytes: [UInt8],
    as encoding: ImageEncoding,
    _ fitting: Fitting = .original
  ) throws -> [UInt8] {
    try outcome(of: bytes, fitting).get().encoded(as: encoding)
  }

  @Test(arguments: [(1, 1), (3, 7), (64, 33), (257, 90)])
  func aTranslucentPNGFileComesBackAsItIs(_ sides: (width: Int, height: Int)) throws {
    let size = PixelSize(width: sides.width, height: sides.height)
    let colors = Self.colors(size)
    let file = try PNGWriterHandle.write(colors, size, channels: 4)
    #expect(try rgba(file) == colors)
    #expect(try transcoded(file, as: .png) == file)
    let webp = try transcoded(file, as: .webpLossless)
    #expect(try rgba(webp) == colors)
    #expect(try transcoded(webp, as: .png) == file)
    #expect(try transcoded(webp, as: .webpLossless) == webp)
  }

  /// A colour that a premultiplied pixel of this alpha cannot have.
  @Test func aBitmapCannotKeepThem() throws {
    let size = PixelSize(width: 1, height: 1)
    let file = try PNGWriterHandle.write([250, 3, 100, 3], size, channels: 4)
    #expect(try outcome(of: file).get().straightRGBA() == [255, 0, 85, 3])
    #expect(try rgba(file) == [250, 3, 100, 3])
  }

  @Test(arguments: RandomPNG.kinds, [false, true])
  func everyKindOfPNGKeepsItsColours(_ kind: (color: UInt8, depth: Int), _ isClear: Bool) throws {
    let png = RandomPNG(
      size: PixelSize(width: 37, height: 21),
      depth: kind.depth,
      color: kind.color,
      filters: [0, 1, 2, 3, 4],
      hasTransparency: isClear && kind.color < 4,
      seed: Self.seed
    )
    let whole = try rgba(png.bytes)
    #expect(try rgba(transcoded(png.bytes, as: .png)) == whole)
    // Where alpha is opaque, both ways are the same.
    let premultiplied = try outcome(of: png.bytes).get().straightRGBA()
    for start in stride(from: 0, to: whole.count, by: 4) {
      let range = start..<start + 4
      #expect(whole[start + 3] == premultiplied[start + 3])
      if whole[start + 3] == 255 { #expect(whole[range] == premultiplied[range]) }
    }
    if !png.hasTransparency, kind.color < 4 {
      #expect(try transcoded(png.bytes, as: .png) == redrawn(png.bytes, as: .png))
      #expect(try transcoded(png.bytes, as: .jpeg()) == redrawn(png.bytes, as: .jpeg()))
    }
  }

  @Test(arguments: [
    "gradient-8b-rgba-interlaced.png", "gradient-16b-rgba-interlaced.png",
    "gradient-8b-gray-alpha-interlaced.png", "soft-lossless-alpha.webp", "soft-lossy-alpha.webp",
    "palette-8b-trns.png", "rgb-16b-trns.png", "gray-1b-trns.png",
  ])
  func otherTranslucentFilesKeepTheirColours(_ name: String) throws {
    let bytes = try Fixtures.bytes(name)
    let colors = try rgba(bytes)
    #expect(try rgba(transcoded(bytes, as: .png)) == colors)
    #expect(try rgba(transcoded(bytes, as: .webpLossless)) == colors)
  }

  @Test(arguments: Orientation.allCases)
  func aTurnedFileIsWrittenUpright(_ orientation: Orientation) throws {
    let size = PixelSize(width: 13, height: 9)
    let colors = Self.colors(size)
    let file = try PNGWriterHandle.write(colors, size, channels: 4)
    let tag: [UInt8] = [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation.rawValue, 0, 0]
    let exif = Array("MM\0*".utf8) + [0, 0, 0, 8, 0, 1] + tag + [0, 0, 0, 0]
    let turned = file[..<33] + PNGSample.chunk("eXIf", exif) + file[33...]
    // The four bytes are turned together, whatever they mean.
    var canvas = try Canvas(size: size, format: .bgra)
    let bytesPerRow = canvas.bytesPerRow
    canvas.withMutableBytes { bytes in
      for y in 0..<size.height {
        for x in 0..<size.width * 4 { bytes[y * bytesPerRow + x] = colors[y * size.width * 4 + x] }
      }
    }
    let upright = try canvas.finish().oriented(orientation)
    let expected: [UInt8] = upright.pixels.joined().reduce(into: []) {
      $0 += [$1.blue, $1.green, $1.red, $1.alpha]
    }
    #expect(try rgba(Array(turned)) == expected)
    let written = try transcoded(Array(turned), as: .png)
    #expect(try probe(written).get().size == orientation.uprightSize(of: size))
    #expect(try rgba(written) == expected)
  }

  @Test func whatIsCutOutKeepsItsColoursAndWhatIsResizedIsDrawn() throws {
    let size = PixelSize(width: 33, height: 32)
    let colors = Self.colors(size)
    let file = try PNGWriterHandle.write(colors, size, channels: 4)
    func part(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> [UInt8] {
      (y..<y + height).flatMap { row -> [UInt8] in
        Array(colors[(row * 33 + x) * 4..<(row * 33 + x + width) * 4])
      }
    }
    let region = PixelRectangle(x: 3, y: 5, width: 7, height: 9)
    for (fitting, expected) in [
      (Fitting.region(region, region.size), part(3, 5, 7, 9)),
      (.cover(PixelSize(width: 30, height: 32)), part(1, 0, 30, 32)),
      (.inside(PixelSize(width: 800, height: 800), enlarges: false), colors),
    ] {
      #expect(try rgba(file, fitting) == expected)
      #expect(try rgba(transcoded(file, as: .png, fitting)) == expected)
      #expect(try rgba(transcoded(file, as: .webpLossless, fitting)) == expected)
    }
    let fitting = Fitting.inside(PixelSize(width: 16, height: 16))
    for encoding in [ImageEncoding.png, .jpeg(), .webp(), .gif] {
      #expect(try transcoded(file, as: encoding, fitting) == redrawn(file, as: encoding, fitting))
    }
  }

  @Test func translucentPixelsAreComposedOverWhiteInJPEG() throws {
    let size = PixelSize(width: 64, height: 48)
    let file = try PNGWriterHandle.write(Self.colors(size), size, channels: 4)
    let piped = try outcome(of: transcoded(file, as: .jpeg(quality: 100))).get()
    let drawn = try outcome(of: redrawn(file, as: .jpeg(quality: 100))).get()
    #expect(piped.distance(to: drawn) <= 6)
  }

  @Test(arguments: [
    "areas-420.jpg", "areas-orientation-6.jpg", "indexed.gif", "transparent.gif",
    "animation-3-frames.webp", "animation-3-frames.png", "icc.png", "exif-orientation-6.png",
  ])
  func otherFilesAreDecodedAndEncoded(_ name: String) throws {
    let bytes = try Fixtures.bytes(name)
    for encoding in [ImageEncoding.png, .jpeg(), .gif] {
      #expect(try transcoded(bytes, as: encoding) == redrawn(bytes, as: encoding), "\(encoding)")
    }
  }

  /// Their pixels are converted, so they are not those that the file stores.
  ///
  /// Linear light, Display P3, Adobe RGB's primaries, and an animation's count of frames.
  private static let chunks: [(String, [UInt8])] = [
    ("gAMA", words(100_000)), ("cICP", [12, 13, 0, 1]), ("acTL", words(1, 0)),
    ("cHRM", words(31_270, 32_900, 64_000, 33_000, 21_000, 71_000, 15_000, 6_000)),
  ]

  private static func words(_ values: Int...) -> [UInt8] {
    values.reduce(into: []) { $0 += PNGSample.word($1) }
  }

  @Test(arguments: chunks)
  func filesInOtherColoursAreDecodedAsUsual(_ chunk: String, _ body: [UInt8]) throws {
    let size = PixelSize(width: 15, height: 14)
    let colors = Self.colors(size)
    let file = try PNGWriterHandle.write(colors, size, channels: 4)
    let other = Array(file[..<33] + PNGSample.chunk(chunk, body) + file[33...])
    #expect(try transcoded(other, as: .png) == redrawn(other, as: .png))
    guard chunk != "acTL" else { return }
    let rules = DecodeRules(colors: .untouched)
    let untouched = try CodecList.standard.transcode(other.span, as: .png, rules: rules)
    #expect(untouched == file)
  }

  @Test(arguments: [("sRGB", [0]), ("gAMA", words(45_455))])
  func filesThatSayThatTheyAreInSRGBKeepTheirColours(_ chunk: String, _ body: [UInt8]) throws {
    let size = PixelSize(width: 15, height: 14)
    let file = try PNGWriterHandle.write(Self.colors(size), size, channels: 4)
    let other = Array(file[..<33] + PNGSample.chunk(chunk, body) + file[33...])
    #expect(try transcoded(other, as: .png) == file)
  }

  // MARK: - Damage and limits

  @Test func aDamagedFileIsTheErrorThatDecodingHas() throws {
    let size = PixelSize(width: 23, height: 17)
    let file = try PNGWriterHandle.write(Self.colors(size), size, channels: 4)
    for end in 0..<file.count {
      let bytes = Array(file[..<end])
      let expected = failure(of: bytes)
      do throws(TranscodeError) {
        _ = try CodecList.standard.transcode(bytes.span, as: .png)
        #expect(expected == nil, "\(end)")
      } catch {
        #expect(error == expected.map { .decode($0) }, "\(end)")
      }
    }
    for place in stride(from: 8, to: file.count, by: 5) {
      var bytes = file
      bytes[place] ^= 0x41
      let expected = failure(of: bytes)
      do throws(TranscodeError) {
        _ = try CodecList.standard.transcode(bytes.span, as: .jpeg())
        #expect(expected == nil, "\(place)")
      } catch {
        #expect(error == expected.map { .decode($0) }, "\(place)")
      }
    }
  }

  @Test func aCutFileIsNeverWritten() throws {
    let file = JPEGSample(width: 120, height: 96, sampling: .quarter).bytes()
    let cut = Array(file.prefix(file.count / 2))
    #expect(throws: TranscodeError.self) {
      let rules = DecodeRules(acceptsCutFiles: true)
      _ = try CodecList.standard.transcode(cut.span, as: .png, rules: rules)
    }
  }

  @Test func coloursStayWhereNoProfileIsThereToKeep() throws {
    let size = PixelSize(width: 9, height: 7)
    let colors = Self.colors(size)
    let plain = try PNGWriterHandle.write(colors, size, channels: 4)
    let named = ColorFiles.png(plain, [("sRGB", [0])])
    let rules = DecodeRules(colors: .keepProfile)
    let file = try CodecList.standard.transcode(named.span, as: .png, rules: rules)
    #expect(try rgba(file) == colors)
  }

  @Test func limitsHoldForFilesThatAreWrittenRowByRow() throws {
    let size = PixelSize(width: 10, height: 10)
    let file = try PNGWriterHandle.write(Self.colors(size), size, channels: 4)
    var rules = DecodeRules()
    rules.limits.maximumPixels = 99
    #expect(throws: TranscodeError.decode(.overLimit(.pixels, value: 100, limit: 99))) {
      _ = try CodecList.standard.transcode(file.span, as: .png, rules: rules)
    }
  }

  @Test func aSideThatTheFormatCannotStoreIsAnErrorOfTheEncoding() throws {
    let size = PixelSize(width: 65_501, height: 1)
    let pixels = [UInt8](repeating: 7, count: 65_501 * 3)
    let file = try PNGWriterHandle.write(pixels, size, channels: 3)
    let error = EncodeError.tooLarge(.jpeg, size, largestSide: 65_500)
    #expect(throws: TranscodeError.encode(error)) {
      _ = try CodecList.standard.transcode(file.span, as: .jpeg())
    }
  }
}
