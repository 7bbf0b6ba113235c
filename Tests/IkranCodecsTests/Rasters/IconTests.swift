import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

@Suite(.timeLimit(.minutes(5))) struct IconTests {
  private let red = Pixel(255, 0, 0)
  private let green = Pixel(0, 255, 0)
  private let blue = Pixel(0, 0, 255)

  private func plain(_ side: Int, _ color: Pixel, bits: Int = 24) -> IconSample.Entry {
    let size = PixelSize(width: side, height: side)
    let pixels = [Pixel](repeating: color, count: side * side)
    return IconSample.Entry(size: size, bits: bits, pixels: pixels)
  }

  private func png(_ side: Int, _ color: Pixel) throws -> IconSample.Entry {
    var entry = plain(side, color)
    let sample = PNGSample(size: entry.size) { _, _ in
      [color.red, color.green, color.blue].map { UInt16($0) * 257 }
    }
    entry.file = sample.bytes
    return entry
  }

  /// The size of the picture that is taken, by its colour.
  private func color(_ icon: IconSample, _ fitting: Fitting) throws -> Pixel {
    let bitmap = try outcome(of: icon.bytes, fitting).get()
    return bitmap.pixels[bitmap.height / 2][bitmap.width / 2]
  }

  private func cover(_ side: Int) -> Fitting { .cover(PixelSize(width: side, height: side)) }

  private func inside(_ side: Int) -> Fitting { .inside(PixelSize(width: side, height: side)) }

  @Test func theSmallestPictureThatIsLargeEnoughIsTaken() throws {
    let icon = try IconSample(entries: [plain(32, green), plain(16, red), png(64, blue)])
    #expect(try color(icon, .original) == blue)
    for side in [1, 15, 16] {
      #expect(try color(icon, cover(side)) == red)
      #expect(try color(icon, inside(side)) == red)
    }
    for side in [17, 32] { #expect(try color(icon, inside(side)) == green) }
    for side in [33, 64, 65, 200] { #expect(try color(icon, cover(side)) == blue) }
    #expect(try outcome(of: icon.bytes, cover(20)).get().size == PixelSize(width: 20, height: 20))
    let unenlarged = Fitting.inside(PixelSize(width: 200, height: 200), enlarges: false)
    #expect(try outcome(of: icon.bytes, unenlarged).get().size == PixelSize(width: 64, height: 64))
  }

  @Test func ofOneSizeTheDeepestIsTaken() throws {
    let entries = [plain(16, red, bits: 4), plain(16, green, bits: 24), plain(16, blue, bits: 8)]
    for entries in [entries, entries.reversed()] {
      let icon = IconSample(entries: entries)
      #expect(try color(icon, .original) == green)
      #expect(try color(icon, cover(9)) == green)
    }
  }

  @Test(arguments: [1, 4, 8, 24, 32], [(5, 3), (16, 16), (33, 9)])
  func theMaskMakesPixelsClear(_ bits: Int, _ side: (Int, Int)) throws {
    let size = PixelSize(width: side.0, height: side.1)
    var random = SeededGenerator(seed: UInt64(bits))
    let pixels = (0..<side.0 * side.1).map { _ in
      [Pixel(0, 0, 0), Pixel(255, 255, 255), Pixel(0, 0, 0, 0)].randomElement(using: &random)
        ?? Pixel(0, 0, 0)
    }
    for format in [ImageFormat.ico, .cur] {
      let entry = IconSample.Entry(size: size, bits: bits, pixels: pixels)
      let icon = IconSample(format: format, entries: [entry])
      let bitmap = try outcome(of: icon.bytes).get()
      #expect(bitmap.format == .bgra)
      #expect(Array(bitmap.pixels.joined()) == pixels)
      let info = try probe(icon.bytes).get()
      #expect(info.format == format)
      #expect(info.size == size)
      #expect(info.hasAlpha)
    }
  }

  @Test func alphaComesBeforeTheMask() throws {
    let picture = RandomPicture(PixelSize(width: 16, height: 16), seed: 4, hasAlpha: true)
    var entry = IconSample.Entry(size: picture.size, bits: 32, pixels: picture.pixels)
    entry.storesAlpha = true
    let bitmap = try outcome(of: IconSample(entries: [entry]).bytes).get()
    #expect(Array(bitmap.pixels.joined()) == picture.premultiplied)
  }

  @Test func aMaskMayBeMissing() throws {
    var entry = plain(16, green)
    entry.hasMask = false
    #expect(try color(IconSample(entries: [entry]), .original) == green)
  }

  @Test func aPictureMayBeLargerThanItsDirectorySays() throws {
    var entry = try png(300, blue)
    entry.side = 0
    let icon = IconSample(entries: [plain(48, red), entry])
    #expect(try probe(icon.bytes).get().size == PixelSize(width: 300, height: 300))
    #expect(try color(icon, .original) == blue)
    #expect(try color(icon, cover(48)) == red)
  }

  @Test func theLengthInTheDirectoryMayBeWrong() throws {
    var entry = plain(16, green)
    entry.length = 7
    #expect(try color(IconSample(entries: [entry]), .original) == green)
  }

  @Test func everyPrefixIsTruncatedOrDecodes() throws {
    let icon = try IconSample(entries: [plain(16, red), png(20, green)]).bytes
    for count in icon.indices {
      switch failure(of: Array(icon[..<count])) {
      case .truncated(.ico, _), .unknownFormat, .empty, nil: break
      case let error: Issue.record("\(count) bytes: \(String(describing: error))")
      }
    }
  }

  @Test func rowsThatAreThereAreShown() throws {
    let icon = IconSample(entries: [plain(16, red)]).bytes
    let rules = DecodeRules(acceptsCutFiles: true)
    let picture = try outcome(of: Array(icon[..<(22 + 40 + 48 * 5)]), by: rules).get()
    #expect(picture.notes == [.cut(rows: 5, height: 16)])
    #expect(picture.bitmap.pixels[10][0] == Pixel(0, 0, 0, 0))
    #expect(picture.bitmap.pixels[11][0] == red)
  }

  @Test func damageIsTheIcons() throws {
    var icon = IconSample(entries: [plain(16, red)]).bytes
    icon[22 + 14] = 7
    let reason = "pixels of 7 bits do not exist"
    #expect(failure(of: icon) == .malformed(.ico, offset: 26, reason: reason))
    let empty: [UInt8] = [0, 0, 1, 0, 0, 0] + [UInt8](repeating: 0, count: 30)
    #expect(failure(of: empty) == .unknownFormat(hint: nil))
  }

  @Test func flippedBitsNeverCrash() throws {
    let icon = try IconSample(entries: [plain(16, red, bits: 8), png(20, green)]).bytes
    var random = SeededGenerator(seed: 20_261_127)
    var limits = DecodeLimits()
    limits.maximumPixels = 1_000_000
    limits.maximumDeclaredPixels = 1_000_000
    for round in 0..<Rounds.fewer(400) {
      var bytes = icon
      for _ in 0...(round % 6) {
        let reach = Bool.random(using: &random) ? 60 : bytes.count
        bytes[Int.random(in: 0..<reach, using: &random)] ^=
          1 << UInt8.random(in: 0..<8, using: &random)
      }
      _ = outcome(of: bytes, cover(9 + round % 12), limits: limits)
    }
  }
}
