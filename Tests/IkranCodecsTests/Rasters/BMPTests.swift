import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

@Suite(.timeLimit(.minutes(5))) struct BMPTests {
  private static let size = PixelSize(width: 13, height: 7)

  private func palette(_ count: Int) -> [Pixel] {
    (0..<count).map { index in
      let (red, green) = (UInt8(index * 37 & 255), UInt8(index * 101 & 255))
      return Pixel(red, green, UInt8(255 - index))
    }
  }

  private func noise(below limit: Int, seed: UInt64 = 1) -> [Int] {
    var random = SeededGenerator(seed: seed)
    let count = Self.size.width * Self.size.height
    return (0..<count).map { _ in Int.random(in: 0..<limit, using: &random) }
  }

  private func pixels(of sample: BMPSample) throws -> [Pixel] {
    Array(try outcome(of: sample.bytes).get().pixels.joined())
  }

  @Test(arguments: [1, 2, 4, 8], [12, 16, 40, 52, 56, 64, 108, 124])
  func indicesOfEveryDepthAndHeaderComeBack(_ bits: Int, _ headerLength: Int) throws {
    let palette = palette(1 << bits)
    let indices = noise(below: palette.count)
    for isTopDown in [false, true] where headerLength > 12 || !isTopDown {
      var sample = BMPSample(size: Self.size, headerLength: headerLength, bits: bits)
      sample.isTopDown = isTopDown
      sample.palette = palette
      sample.setRows(indices)
      let bitmap = try outcome(of: sample.bytes).get()
      #expect(bitmap.format == .bgrx)
      #expect(Array(bitmap.pixels.joined()) == indices.map { palette[$0] })
    }
  }

  @Test func anIndexOutsideThePaletteIsBlack() throws {
    var sample = BMPSample(size: Self.size, bits: 8)
    sample.palette = palette(5)
    sample.setRows(noise(below: 9))
    let wanted = noise(below: 9).map { $0 < 5 ? sample.palette[$0] : Pixel(0, 0, 0) }
    #expect(try pixels(of: sample) == wanted)
  }

  @Test func aPaletteThatIsTooLongDoesNotMoveThePixels() throws {
    var sample = BMPSample(size: Self.size, bits: 4)
    sample.palette = palette(40)
    let indices = noise(below: 16)
    sample.setRows(indices)
    #expect(try pixels(of: sample) == indices.map { sample.palette[$0] })
  }

  @Test(arguments: [12, 40, 124], [24, 32])
  func bytesOfColoursComeBack(_ headerLength: Int, _ bits: Int) throws {
    let picture = RandomPicture(Self.size, seed: 5)
    for isTopDown in [false, true] where headerLength > 12 || !isTopDown {
      var sample = BMPSample(size: Self.size, headerLength: headerLength, bits: bits)
      sample.isTopDown = isTopDown
      sample.setRows(picture.pixels.map { $0.word & 0xFF_FFFF })
      let bitmap = try outcome(of: sample.bytes).get()
      #expect(bitmap.format == .bgrx)
      #expect(Array(bitmap.pixels.joined()) == picture.pixels)
    }
  }

  @Test(arguments: [(40, false), (64, false), (108, true), (124, true)])
  func theLastByteIsAlphaInNewHeadersOnly(_ kind: (headerLength: Int, hasAlpha: Bool)) throws {
    let picture = RandomPicture(Self.size, seed: 6, hasAlpha: true)
    var sample = BMPSample(size: Self.size, headerLength: kind.headerLength, bits: 32)
    if kind.headerLength > 52 { sample.fields = [52: [0, 0, 0, 0xFF]] }
    sample.setRows(picture.pixels.map(\.word))
    let bitmap = try outcome(of: sample.bytes).get()
    let opaque = picture.pixels.map { Pixel($0.red, $0.green, $0.blue) }
    #expect(bitmap.format.hasAlpha == kind.hasAlpha)
    #expect(Array(bitmap.pixels.joined()) == (kind.hasAlpha ? picture.premultiplied : opaque))
  }

  @Test func theLastByteIsNoAlphaWithoutItsMask() throws {
    let picture = RandomPicture(Self.size, seed: 6, hasAlpha: true)
    var sample = BMPSample(size: Self.size, headerLength: 124, bits: 32)
    sample.setRows(picture.pixels.map(\.word))
    #expect(try outcome(of: sample.bytes).get().format == .bgrx)
  }

  @Test(arguments: [0, 3])
  func alphaThatIsZeroEverywhereIsNone(_ compression: Int) throws {
    let picture = RandomPicture(Self.size, seed: 7)
    var sample = BMPSample(size: Self.size, headerLength: 124, bits: 32, compression: compression)
    sample.masks = [0xFF_0000, 0xFF00, 0xFF, 0xFF00_0000]
    sample.setRows(picture.pixels.map { $0.word & 0xFF_FFFF })
    let bitmap = try outcome(of: sample.bytes).get()
    #expect(bitmap.format == .bgrx)
    #expect(Array(bitmap.pixels.joined()) == picture.pixels)
  }

  // MARK: - Masks

  @Test func fifteenBitsAreTheDefaultOfSixteen() throws {
    let words = noise(below: 1 << 15)
    var sample = BMPSample(size: Self.size, bits: 16)
    sample.setRows(words)
    #expect(try pixels(of: sample) == words.map { color($0, [0x7C00, 0x3E0, 0x1F, 0]) })
    #expect(try probe(sample.bytes).get().bitsPerChannel == 5)
  }

  @Test(
    arguments: [
      (16, [0xF800, 0x7E0, 0x1F, 0]), (16, [0xF00, 0xF0, 0xF, 0xF000]),
      (16, [0x7C00, 0x3E0, 0x1F, 0x8000]), (32, [0xFF, 0xFF00, 0xFF_0000, 0xFF00_0000]),
      (32, [0x3FF0_0000, 0xF_FC00, 0x3FF, 0xC000_0000]), (32, [0xFF00_0000, 0xFF_0000, 0xFF00, 0]),
      (32, [0xFFFF_8000, 0x7FC0, 0x3F, 0]), (16, [0xFF00, 0xFF, 0, 0]),
    ],
    [40, 52, 56, 108, 124]
  )
  func channelsAreWhereMasksSay(_ kind: (bits: Int, masks: [Int]), _ headerLength: Int) throws {
    let hasAlpha = kind.masks[3] != 0
    // A header of 52 bytes has no room for the fourth.
    guard headerLength != 52 || !hasAlpha else { return }
    let words = noise(below: 1 << kind.bits)
    var sample = BMPSample(size: Self.size, headerLength: headerLength, bits: kind.bits)
    sample.compression = headerLength == 40 && hasAlpha ? 6 : 3
    sample.masks = headerLength >= 56 || hasAlpha ? kind.masks : Array(kind.masks[..<3])
    sample.setRows(words)
    let bitmap = try outcome(of: sample.bytes).get()
    #expect(bitmap.format.hasAlpha == hasAlpha)
    #expect(
      Array(bitmap.pixels.joined()) == words.map { color($0, kind.masks).premultiplied }
    )
  }

  private func color(_ word: Int, _ masks: [Int]) -> Pixel {
    let levels = masks.map { mask in
      mask == 0 ? 0 : UInt8((Double(word & mask) * 255 / Double(mask)).rounded())
    }
    return Pixel(levels[0], levels[1], levels[2], masks[3] == 0 ? 255 : levels[3])
  }

  // MARK: - Colours

  @Test func aProfileInTheFileIsFound() throws {
    var sample = BMPSample(size: Self.size, headerLength: 124, bits: 24)
    sample.setRows(noise(below: 1 << 24))
    sample.end = Array("no profile".utf8)
    let offset = sample.dataOffset + sample.data.count - 14
    sample.fields = [
      56: Array("DEBM".utf8), 112: littleEndian4(offset), 116: littleEndian4(sample.end.count),
    ]
    #expect(try probe(sample.bytes).get().hasICCProfile)
    let picture = try outcome(of: sample.bytes, by: DecodeRules()).get()
    guard case .profileIgnored? = picture.notes.first else {
      Issue.record("\(picture.notes)")
      return
    }
  }

  @Test func lightsAndGammaOfTheHeaderCount() throws {
    var sample = BMPSample(size: Self.size, headerLength: 108, bits: 24)
    sample.setRows([Int](repeating: 0x37_3737, count: 91))
    let sRGB = [0.64, 0.33, 0.03, 0.3, 0.6, 0.1, 0.15, 0.06, 0.79]
    sample.fields = [
      60: sRGB.flatMap { littleEndian4(Int($0 * 1_073_741_824)) },
      96: (0..<3).flatMap { _ in littleEndian4(65_536) },
    ]
    // A gamma of one is light itself.
    #expect(try pixels(of: sample)[0].distance(to: Pixel(128, 128, 128)) <= 1)
    sample.fields[56] = Array("BGRs".utf8)
    #expect(try pixels(of: sample)[0] == Pixel(0x37, 0x37, 0x37))
  }

  // MARK: - Damage

  @Test(arguments: [(4, "JPEG"), (5, "PNG")])
  func picturesInsideAreUnsupported(_ kind: (compression: Int, name: String)) {
    let sample = BMPSample(size: Self.size, bits: 24, compression: kind.compression)
    let feature = "a \(kind.name) picture inside it"
    #expect(failure(of: sample.bytes) == .unsupported(.bmp, feature: feature))
  }

  @Test(arguments: [0, 3, 7, 30_000, 64])
  func otherDepthsAreMalformed(_ bits: Int) {
    let sample = BMPSample(size: Self.size, bits: bits)
    guard case .malformed(.bmp, _, _)? = failure(of: sample.bytes) else {
      Issue.record("\(String(describing: failure(of: sample.bytes)))")
      return
    }
  }

  @Test func thePixelsMayComeLater() throws {
    var sample = BMPSample(size: Self.size, bits: 24)
    sample.setRows(noise(below: 1 << 24))
    var bytes = sample.bytes
    bytes.replaceSubrange(10..<14, with: littleEndian4(54 + 9))
    bytes.insert(contentsOf: [UInt8](repeating: 7, count: 9), at: 54)
    #expect(try outcome(of: bytes).get().distance(to: outcome(of: sample.bytes).get()) == 0)
  }
}
