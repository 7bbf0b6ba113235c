#if TIFF
import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

/// Compressions, and colours that only some of them have.
@Suite(.timeLimit(.minutes(10))) struct TIFFCompressionTests {
  private static let size = PixelSize(width: 61, height: 43)

  /// A file that Pillow writes: slopes of 61×43 pixels.
  private static func file(_ mode: String, _ compression: String) -> [UInt8]? {
    Pillow.file(
      madeBy: """
        image = Image.new("RGB", (61, 43))
        image.putdata([(x * 4, y * 5, (x + y) * 2) for y in range(43) for x in range(61)])
        image = image.convert("L").point(lambda v: 255 * (v > 90), "1") if "\(mode)" == "1" else image.convert("\(mode)")
        target = io.BytesIO()
        image.save(target, "TIFF", compression="\(compression)")
        out.write(target.getvalue())
        """
    )
  }

  @Test(
    .enabled(if: Pillow.isInstalled, "install python3-pil"),
    arguments: [
      "tiff_lzw", "tiff_adobe_deflate", "tiff_deflate", "packbits", "lzma", "zstd", "raw",
    ]
  )
  func whatIsLosslessIsExact(_ compression: String) throws {
    let bytes = try #require(Self.file("RGB", compression))
    let bitmap = try outcome(of: bytes).get()
    for (y, row) in bitmap.pixels.enumerated() {
      for (x, pixel) in row.enumerated() {
        #expect(pixel == Pixel(UInt8(x * 4), UInt8(y * 5), UInt8((x + y) * 2)))
      }
    }
  }

  @Test(
    .enabled(if: Pillow.isInstalled, "install python3-pil"),
    arguments: ["jpeg", "webp"]
  )
  func whatIsLossyIsNear(_ compression: String) throws {
    let bytes = try #require(Self.file("RGB", compression))
    let bitmap = try outcome(of: bytes).get()
    for (y, row) in bitmap.pixels.enumerated() {
      for (x, pixel) in row.enumerated() {
        let wanted = Pixel(UInt8(x * 4), UInt8(y * 5), UInt8((x + y) * 2))
        #expect(pixel.distance(to: wanted) < 24)
      }
    }
  }

  @Test(
    .enabled(if: Pillow.isInstalled, "install python3-pil"),
    arguments: ["group3", "group4", "tiff_ccitt"]
  )
  func facsimilesAreThoseOfRawFiles(_ compression: String) throws {
    let bytes = try #require(Self.file("1", compression))
    let raw = try outcome(of: try #require(Self.file("1", "raw"))).get()
    #expect(try outcome(of: bytes).get().distance(to: raw) == 0)
    #expect(Set(raw.pixels.joined()).count == 2)
  }

  @Test(arguments: JPEGSample.Sampling.allCases.filter { $0 != .gray })
  func oldJPEGHasTheColoursOfItsFile(_ sampling: JPEGSample.Sampling) throws {
    let jpeg = JPEGSample(width: 61, height: 43, sampling: sampling, quality: 95).bytes()
    var file = TIFFSample(size: Self.size, photometric: 6) { _, _, _ in 0 }
    (file.compression, file.stored, file.isDirectoryLast) = (.oldJPEG, jpeg, true)
    let across = sampling == .halfWide || sampling == .quarter ? 2 : 1
    let down = sampling == .halfTall || sampling == .quarter ? 2 : 1
    file.shorts = [(513, [8]), (514, [jpeg.count]), (530, [across, down])]
    let bitmap = try outcome(of: file.bytes).get()
    let wanted = try outcome(of: jpeg).get()
    #expect(bitmap.size == wanted.size)
    let pairs = zip(bitmap.pixels.joined(), wanted.pixels.joined())
    let sum = pairs.reduce(0) { $0 + $1.0.distance(to: $1.1) }
    // Chroma is not smoothed there.
    #expect(sum < 12 * 61 * 43, "\(sum)")
  }

  /// Rows of bytes of the same weight, the highest first, none of them repeated.
  private static func logarithms(_ pixels: [[UInt64]], bytes: Int) -> [UInt8] {
    pixels.flatMap { row in
      (0..<bytes).reversed().flatMap { byte -> [UInt8] in
        let shift = UInt64(byte * 8)
        return [UInt8(row.count)] + row.map { UInt8($0 >> shift & 255) }
      }
    }
  }

  @Test func logarithmsOfLightAreShown() throws {
    // 16384 is the logarithm of 1, and 256 halve it.
    let levels: [UInt64] = [0, 16_384 - 512, 16_384 - 256, 16_384 + 300]
    let grays: [UInt8] = [0, 128, 181, 255]
    var file = TIFFSample(
      size: PixelSize(width: 4, height: 2),
      bits: 16,
      channels: 1,
      photometric: 32_844
    ) { _, _, _ in 0 }
    (file.compression, file.format) = (.logarithms, 2)
    file.stored = Self.logarithms([levels, levels], bytes: 2)
    let gray = try outcome(of: file.bytes).get()
    #expect(gray.pixels.map { $0.map(\.red) } == [grays, grays])
    // The chromaticities of a gray.
    let colors = levels.map { $0 << 16 | 86 << 8 | 194 }
    (file.photometric, file.channels) = (32_845, 3)
    file.stored = Self.logarithms([colors, colors], bytes: 4)
    let color = try outcome(of: file.bytes).get()
    for (pixel, gray) in zip(color.pixels[1], grays) {
      #expect(pixel.distance(to: Pixel(gray, gray, gray)) <= 6, "\(pixel), not \(gray)")
    }
  }

  // MARK: - Profiles

  /// Samples of slopes, `channels` for each of 8×8 pixels.
  private static func slopes(_ channels: Int, bits: Int, _ profile: MadeProfile) -> TIFFSample {
    var file = TIFFSample(
      size: PixelSize(width: 8, height: 8),
      bits: bits,
      channels: channels,
      photometric: [1: 1, 3: 2, 4: 5][channels] ?? 2
    ) { x, y, channel in
      let byte = UInt64([x * 36, y * 36, (x + y) * 18, (7 - x) * 12][channel])
      return bits == 16 ? byte * 257 : byte
    }
    file.profile = profile.bytes
    return file
  }

  @Test(arguments: [8, 16], [MadeProfile.displayP3, .gray18, .inks, .table])
  func coloursAreConvertedByTheProfile(_ bits: Int, _ profile: MadeProfile) throws {
    let channels = profile.model.channels
    let file = Self.slopes(channels, bits: bits, profile)
    let picture = try outcome(of: file.bytes, by: DecodeRules()).get()
    #expect(picture.notes.isEmpty)
    #expect(try probe(file.bytes).get().hasICCProfile)
    var samples: [UInt8] = []
    for y in 0..<8 {
      for x in 0..<8 {
        for channel in 0..<channels {
          samples.append(UInt8(file.value(x, y, channel) >> UInt64(bits - 8)))
        }
      }
    }
    let wanted = try #require(LittleCMS.converted(samples, profile.bytes, profile.model))
    let seen = try picture.bitmap.opaquePixels()
    let difference = ColorDifferences(seen, wanted)
    #expect(difference.mean <= 1 && difference.high <= 4, "\(difference)")
  }

  @Test func aProfileTravelsWithPixelsWhereItIsKept() throws {
    let file = Self.slopes(3, bits: 8, .displayP3)
    let picture = try outcome(of: file.bytes, by: DecodeRules(colors: .keepProfile)).get()
    #expect(picture.bitmap.profile != nil)
    #expect(picture.bitmap.pixels[2][3] == Pixel(108, 72, 90))
  }

  @Test func metadataHasXMPAndTheProfile() {
    let file = Self.slopes(3, bits: 8, .displayP3)
    #expect(ImageMetadata(of: file.bytes).iccProfile == file.profile)
  }
}
#endif
