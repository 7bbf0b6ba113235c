import IkranCodecs
import IkranPixels
import IkranSystem
import TestBasics
import Testing

@Suite(.timeLimit(.minutes(10))) struct AnimationEncoderTests {
  private static let size = PixelSize(width: 23, height: 17)
  private static let lossless: [ImageEncoding] = [.gif, .png, .webpLossless]
  private static let all = lossless + [.webp(quality: 90)]

  private func file(
    _ pictures: [Bitmap],
    _ encoding: ImageEncoding,
    durations: [Int] = [],
    plays: Int? = nil,
    hasAlpha: Bool = true
  ) throws -> [UInt8] {
    let size = try #require(pictures.first).size
    let encoder = try AnimationEncoder(encoding, size: size, plays: plays, hasAlpha: hasAlpha)
    for (number, picture) in pictures.enumerated() {
      try encoder.add(picture, duration: durations.isEmpty ? 100 : durations[number])
    }
    return try encoder.finish()
  }

  private func expectSame(_ read: [Bitmap], _ written: [Bitmap], _ note: String = "") throws {
    try #require(read.count == written.count, "\(note)")
    for (number, pair) in zip(read, written).enumerated() {
      let isSame = try pair.0.straightRGBA() == pair.1.straightRGBA()
      #expect(isSame, "frame \(number) \(note)")
    }
  }

  /// Different pictures of few colours.
  private func pictures(_ count: Int) throws -> [Bitmap] {
    try (0..<count).map { number in
      var pixels = [Pixel](repeating: Pixel(10, 20, 30), count: 23 * 17)
      pixels[number] = Pixel(200, UInt8(number & 255), UInt8(number >> 8))
      return try bitmap(pixels, Self.size, hasAlpha: false)
    }
  }

  @Test(arguments: all, [nil, 1, 2, 7, 65_535])
  func framesDurationsAndPlaysAreReadBack(_ encoding: ImageEncoding, _ plays: Int?) throws {
    let durations = [20, 100, 1_230, 40]
    let info = try animation(
      file(pictures(4), encoding, durations: durations, plays: plays)
    ).info
    #expect(info.format == encoding.format)
    #expect(info.size == Self.size)
    #expect(info.frames.map(\.duration) == durations)
    #expect(info.plays == plays)
    #expect(info.end == .complete)
    #expect(!info.hasAlpha || encoding == .png)
  }

  @Test(arguments: lossless)
  func randomOpaqueAnimationsKeepTheirPixels(_ encoding: ImageEncoding) throws {
    try expectRandomAnimations(encoding, alphas: [255])
  }

  @Test(arguments: lossless)
  func randomAnimationsWithClearPixelsKeepTheirPixels(_ encoding: ImageEncoding) throws {
    try expectRandomAnimations(encoding, alphas: [0, 255, 255])
  }

  @Test(arguments: [ImageEncoding.png, .webpLossless])
  func randomAnimationsWithSoftAlphaKeepTheirPixels(_ encoding: ImageEncoding) throws {
    try expectRandomAnimations(encoding, alphas: [0, 60, 200, 255, 255])
  }

  @Test func softAlphaThatStaysTheSameDoesNotGrowInLossyWebP() throws {
    let size = PixelSize(width: 48, height: 48)
    // A dot moves over a plain ground whose right half is half clear.
    let written = try (0..<8).map { step in
      var canvas = try Canvas(size: size, format: .bgra)
      let rowBytes = canvas.bytesPerRow
      canvas.withMutableBytes { bytes in
        for y in 0..<48 {
          for x in 0..<48 {
            let isDot = abs(x - 4 - step * 5) < 3 && abs(y - 24) < 3
            let alpha: UInt8 = x < 24 || isDot ? 255 : 128
            let place = y * rowBytes + x * 4
            for channel in 0..<3 { bytes[place + channel] = isDot ? 0 : alpha / 2 }
            bytes[place + 3] = alpha
          }
        }
      }
      return canvas.finish()
    }
    let read = try animation(file(written, .webp())).composed()
    for (frame, wanted) in zip(read, written) {
      let (got, alphas) = (try frame.straightRGBA(), try wanted.straightRGBA())
      let differing = stride(from: 3, to: alphas.count, by: 4).filter { got[$0] != alphas[$0] }
      #expect(differing.isEmpty)
    }
  }

  /// The frames were those of a repetition of one that is disposed of to the background.
  @Test func repetitionsInARandomWebPKeepTheirPixels() throws {
    try expectRandomAnimations(.webpLossless, alphas: [0, 60, 200, 255, 255], seed: 15_685)
  }

  private func expectRandomAnimations(
    _ encoding: ImageEncoding,
    alphas: [UInt8],
    seed: UInt64 = .random(in: 0...99_999)
  ) throws {
    print("\(encoding) of random animations, seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for round in 0..<Rounds.fewer(200, atLeast: 8) {
      let size = PixelSize(
        width: Int.random(in: 1...40, using: &random),
        height: Int.random(in: 1...40, using: &random)
      )
      let count = Int.random(in: 2...12, using: &random)
      let colors = [2, 5, 100, 254].randomElement(using: &random) ?? 2
      let written = try random.pictures(count, size, colors: colors, alphas: alphas)
      let read = try framesOrStill(file(written, encoding))
      try expectSame(read, written, "round \(round), seed \(seed)")
    }
  }

  /// The frames of a file, or its only picture.
  private func framesOrStill(_ bytes: [UInt8]) throws -> [Bitmap] {
    guard let source = try CodecList.standard.frames(of: bytes) else {
      return [try outcome(of: bytes).get()]
    }
    return try source.composed()
  }

  @Test(arguments: lossless)
  func aFrameThatRepeatsIsAFrame(_ encoding: ImageEncoding) throws {
    let two = try pictures(2)
    for written in [[two[0], two[0]], [two[0], two[0], two[1], two[1], two[1], two[0]]] {
      let durations = written.indices.map { 40 + $0 * 10 }
      let read = try animation(file(written, encoding, durations: durations, plays: 3))
      #expect(read.info.frames.map(\.duration) == durations)
      #expect(read.info.plays == 3)
      #expect(!read.info.hasAlpha || encoding == .png)
      try expectSame(read.composed(), written)
    }
  }

  @Test(arguments: [ImageEncoding.png, .webpLossless])
  func aRepeatedFrameMayBeFollowedByAClearOne(_ encoding: ImageEncoding) throws {
    var random = SeededGenerator(seed: 3)
    let colors = (0..<9).map { _ in Pixel(UInt8.random(in: 0...255, using: &random), 0, 9, 200) }
    var pixels = [Pixel](repeating: Pixel(0, 0, 0, 0), count: 23 * 17)
    let clear = try bitmap(pixels, Self.size)
    for place in 30..<300 { pixels[place] = colors.randomElement(using: &random) ?? colors[0] }
    let noise = try bitmap(pixels, Self.size)
    let written = [clear, noise, noise, noise, clear, noise, noise, clear, clear]
    try expectSame(animation(file(written, encoding)).composed(), written)
  }

  @Test func aLossyFrameThatRepeatsIsAFrame() throws {
    let one = try pictures(1)
    let read = try animation(file(one + one + one, .webp(), durations: [40, 50, 60]))
    #expect(read.info.frames.map(\.duration) == [40, 50, 60])
    for picture in try read.composed() { #expect(try picture.signalToNoise(one[0]) > 28) }
  }

  @Test(arguments: all)
  func oneFrameIsAStill(_ encoding: ImageEncoding) throws {
    let picture = try pictures(1)[0]
    let bytes = try file([picture], encoding)
    #expect(try CodecList.standard.frames(of: bytes) == nil)
    let read = try outcome(of: bytes).get()
    if Self.lossless.contains(encoding) { #expect(read.distance(to: picture) == 0) }
    #expect(try read.signalToNoise(picture) > 28)
  }

  @Test(arguments: lossless)
  func aCanvasOfOnePixelIsEnough(_ encoding: ImageEncoding) throws {
    let size = PixelSize(width: 1, height: 1)
    let colors = [Pixel(1, 2, 3), Pixel(250, 0, 9), Pixel(0, 0, 0, 0), Pixel(1, 2, 3)]
    let written = try colors.map { try bitmap([$0], size) }
    try expectSame(animation(file(written, encoding)).composed(), written)
  }

  @Test func opaqueFramesMakeAnOpaquePNG() throws {
    let written = try pictures(3)
    let source = try animation(file(written, .png, hasAlpha: false))
    #expect(!source.info.hasAlpha)
    try expectSame(source.composed(), written)
    let clear = try bitmap([Pixel](repeating: Pixel(9, 9, 9, 0), count: 23 * 17), Self.size)
    let last = try animation(file(written + [clear], .png, hasAlpha: false)).composed()[3]
    #expect(last.pixels[0][0] == Pixel(0, 0, 0))
  }

  @Test(arguments: [(65_535, 65_535), (65_537, 65_540), (100_000, 100_000), (700_000, 700_000)])
  func longDurationsOfPNGAreRoundedWhereTheyMustBe(_ duration: (given: Int, stored: Int)) throws {
    let bytes = try file(pictures(2), .png, durations: [duration.given, 40])
    #expect(abs(try animation(bytes).info.frames[0].duration - duration.stored) <= 10)
  }

  @Test(arguments: [(ImageEncoding.gif, 65_536), (.webp(), 16_384), (.webpLossless, 16_384)])
  func aSideTheFormatCannotStoreIsRefused(_ file: (encoding: ImageEncoding, side: Int)) throws {
    let size = PixelSize(width: 1, height: file.side)
    let error = EncodeError.tooLarge(file.encoding.format, size, largestSide: file.side - 1)
    #expect(throws: error) { try AnimationEncoder(file.encoding, size: size, plays: nil) }
  }

  @Test(arguments: [PixelSize(width: 0, height: 5), PixelSize(width: 5, height: -1)])
  func aSizeWithoutPixelsIsRefused(_ size: PixelSize) {
    for encoding in Self.all {
      #expect(throws: EncodeError.bitmap(.invalidSize(size))) {
        try AnimationEncoder(encoding, size: size, plays: nil)
      }
    }
  }

  @Test func aLargeCanvasTakesNoMemoryBeforeItsFrames() throws {
    let size = PixelSize(width: 65_535, height: 65_535)
    for encoding in [ImageEncoding.gif, .png] {
      let encoder = try AnimationEncoder(encoding, size: size, plays: nil)
      #expect(throws: EncodeError.self) { try encoder.finish() }
    }
  }

  @Test func theLongestSideIsStored() throws {
    let size = PixelSize(width: 65_535, height: 1)
    let row = (0..<65_535).map { Pixel(UInt8($0 & 15), 0, UInt8($0 >> 12)) }
    let written = [try bitmap(row, size), try bitmap(row.reversed(), size)]
    try expectSame(animation(file(written, .gif)).composed(), written)
  }

  @Test func jpegStoresNoAnimation() {
    #expect(throws: EncodeError.noAnimations(.jpeg)) {
      try AnimationEncoder(.jpeg(), size: Self.size, plays: nil)
    }
  }

  @Test(arguments: all)
  func aFileWithoutFramesIsRefused(_ encoding: ImageEncoding) throws {
    let encoder = try AnimationEncoder(encoding, size: Self.size, plays: nil)
    #expect(throws: EncodeError.failed(encoding.format, reason: "it has no frame")) {
      try encoder.finish()
    }
  }

  @Test(arguments: all)
  func aFrameOfAnotherSizeIsRefused(_ encoding: ImageEncoding) throws {
    let size = PixelSize(width: 23, height: 18)
    let encoder = try AnimationEncoder(encoding, size: size, plays: nil)
    let reason = "frame 0 is 23×17 pixels, not 23×18"
    #expect(throws: EncodeError.failed(encoding.format, reason: reason)) {
      try encoder.add(try pictures(1)[0], duration: 40)
    }
  }

  @Test func moreThanTwentyFourDaysAreTooLongForWebP() throws {
    let encoder = try AnimationEncoder(.webp(), size: Self.size, plays: nil)
    let picture = try pictures(1)[0]
    for _ in 0..<128 { try encoder.add(picture, duration: .max) }
    #expect(throws: EncodeError.failed(.webp, reason: "it is longer than 24 days")) {
      try encoder.add(picture, duration: .max)
    }
    #expect(try animation(encoder.finish()).info.frames.count == 128)
  }

  @Test(
    .enabled(if: Pillow.isInstalled, "python3-pil is not installed"),
    arguments: all
  )
  func pillowReadsTheSame(_ encoding: ImageEncoding) throws {
    var random = SeededGenerator(seed: 5)
    let written = try random.pictures(8, Self.size, colors: 100, alphas: [255])
    let bytes = try file(written, encoding, hasAlpha: false)
    let folder = try TemporaryDirectory()
    let path = "\(folder.path)/a.\(encoding.format.rawValue)"
    try Files.writeAtomically(bytes, to: path)
    let frames = try #require(Pillow.frames(ofFile: path))
    let own = try animation(bytes).composed()
    try #require(frames.count == own.count)
    for (number, pair) in zip(frames, own).enumerated() {
      let isSame = try pair.0 == pair.1.straightRGBA()
      #expect(isSame, "frame \(number)")
    }
  }
}
