#if AVIF
import IkranCodecs
import IkranPixels
import TestBasics
import Testing

/// Small pictures, written and read again.
@Suite(.timeLimit(.minutes(10)))
struct AVIFEncodingTests {
  private static let lossless = ImageEncoding.avif(quality: 100, speed: 9)
  private static let lossy = ImageEncoding.avif(quality: 80, speed: 9)

  /// A picture of smooth colours.
  private func gradient(
    _ width: Int,
    _ height: Int,
    _ format: PixelFormat,
    leastAlpha: Int = 0
  ) throws -> Bitmap {
    let size = PixelSize(width: width, height: height)
    var canvas = try Canvas(size: size, format: format)
    let (bytesPerRow, hasAlpha) = (canvas.bytesPerRow, format.hasAlpha)
    canvas.withMutableBytes { bytes in
      for y in 0..<height {
        for x in 0..<width {
          let place = y * bytesPerRow + x * 4
          let alpha = hasAlpha ? leastAlpha + (x * 37 + y * 11) % (256 - leastAlpha) : 255
          bytes[place] = UInt8((x * 5 + y) % 256 * alpha / 255)
          bytes[place + 1] = UInt8((x + y * 3) % 256 * alpha / 255)
          bytes[place + 2] = UInt8((200 + x) % 256 * alpha / 255)
          bytes[place + 3] = UInt8(alpha)
        }
      }
    }
    return canvas.finish()
  }

  private func again(_ file: [UInt8], _ fitting: Fitting = .original) throws -> Bitmap {
    try outcome(of: file, fitting).get()
  }

  private static let sizes = [
    (1, 1), (1, 7), (5, 1), (3, 5), (33, 17), (64, 64), (65, 31), (130, 3),
  ]

  @Test(arguments: sizes)
  func losslessPicturesComeBackExactly(_ size: (width: Int, height: Int)) throws {
    let opaque = try gradient(size.width, size.height, .bgrx)
    let file = try opaque.encoded(as: Self.lossless)
    #expect(ImageFormat(of: file) == .avif)
    #expect(try again(file).pixels == opaque.pixels)
    #expect(try again(file).format == .bgrx)
    let info = try probe(file).get()
    #expect(info.size == opaque.size)
    #expect(!info.hasAlpha)
    #expect(info.frames == 1)
  }

  @Test(arguments: sizes)
  func alphaComesBackExactly(_ size: (width: Int, height: Int)) throws {
    let clear = try gradient(size.width, size.height, .bgra)
    for encoding in [Self.lossless, Self.lossy] {
      let file = try clear.encoded(as: encoding)
      let bitmap = try again(file)
      // A picture that happens to be opaque is written without alpha.
      #expect(bitmap.pixels.joined().map(\.alpha) == clear.pixels.joined().map(\.alpha))
      if encoding == Self.lossless { #expect(bitmap.distance(to: clear) <= 1) }
    }
  }

  @Test(arguments: sizes)
  func lossyPicturesComeBackNearly(_ size: (width: Int, height: Int)) throws {
    let opaque = try gradient(size.width, size.height, .bgrx)
    let bitmap = try again(opaque.encoded(as: Self.lossy))
    #expect(bitmap.size == opaque.size)
    #expect(bitmap.meanDifference(to: opaque) < 24)
  }

  @Test func aLowerQualityMakesASmallerFile() throws {
    let bitmap = try gradient(128, 128, .bgrx)
    let sizes = try [10, 50, 95].map { quality in
      try bitmap.encoded(as: .avif(quality: quality, speed: 9)).count
    }
    #expect(sizes == sizes.sorted())
    let limit = (sizes[0] + sizes[1]) / 2
    let small = try bitmap.encoded(as: .avif(quality: 95, speed: 9), maximumBytes: limit)
    #expect(small.count <= limit)
  }

  @Test func eachSpeedMakesAnotherFileOfTheSamePicture() throws {
    let bitmap = try gradient(128, 128, .bgrx)
    let files = try [3, 6, 9].map { try bitmap.encoded(as: .avif(quality: 80, speed: $0)) }
    #expect(Set(files).count == files.count)
    for file in files { #expect(try again(file).meanDifference(to: bitmap) < 24) }
  }

  @Test func aLowerAlphaQualityMakesASmallerFileOfTheSameColours() throws {
    let bitmap = try gradient(64, 64, .bgra, leastAlpha: 128)
    let files = try [100, 80, 50].map { quality in
      try bitmap.encoded(as: .avif(quality: 80, alphaQuality: quality, speed: 9))
    }
    #expect(files[0].count > files[1].count && files[1].count > files[2].count)
    let faults = try files.map { try meanFaults(of: again($0), bitmap) }
    #expect(faults[0].alpha == 0 && faults[0].colors < 8)
    for fault in faults {
      // The stored colours are the same; with other alpha they are rounded differently.
      #expect(abs(fault.colors - faults[0].colors) < 1.5, "\(faults)")
      #expect(fault.alpha < 12, "\(faults)")
    }
    #expect(faults[1].alpha < faults[2].alpha)
  }

  /// The mean differences of colours that are not premultiplied, and of alpha.
  private func meanFaults(
    of found: Bitmap,
    _ wanted: Bitmap
  ) throws -> (colors: Double, alpha: Double) {
    let pairs = zip(try found.straightRGBA(), try wanted.straightRGBA())
    var (colors, alpha) = (0, 0)
    for (place, pair) in pairs.enumerated() {
      let difference = abs(Int(pair.0) - Int(pair.1))
      if place % 4 == 3 { alpha += difference } else { colors += difference }
    }
    let pixels = Double(wanted.width * wanted.height)
    return (Double(colors) / pixels / 3, Double(alpha) / pixels)
  }

  @Test func graysAreWrittenWithoutChroma() throws {
    let gray = try gradient(40, 30, .bgrx).converted(to: .gray)
    let bitmap = try again(gray.encoded(as: Self.lossless))
    let wanted = try gray.converted(to: .bgrx)
    #expect(bitmap.distance(to: wanted) <= 1)
  }

  @Test func everyCutIsAnErrorOrThePicture() throws {
    let file = try gradient(33, 17, .bgra).encoded(as: Self.lossy)
    let whole = try again(file)
    for count in 0..<file.count {
      guard case .success(let bitmap) = outcome(of: Array(file[..<count])) else { continue }
      #expect(bitmap.size == whole.size, "\(count) bytes")
    }
  }

  @Test func everyBrokenByteIsAnErrorOrAPicture() throws {
    let file = try gradient(17, 9, .bgra).encoded(as: Self.lossy)
    for place in 0..<min(file.count, 700) {
      for value in [UInt8(0), 0xFF, file[place] ^ 0x10] {
        var damaged = file
        damaged[place] = value
        _ = outcome(of: damaged)
      }
    }
  }

  @Test func partsAndSmallPicturesAreThoseOfTheWhole() throws {
    let opaque = try gradient(150, 140, .bgrx)
    let (file, png) = try (opaque.encoded(as: Self.lossless), opaque.encoded(as: .png))
    for fitting in [
      Fitting.cover(PixelSize(width: 40, height: 20)), .inside(PixelSize(width: 9, height: 9)),
      .region(
        PixelRectangle(x: 31, y: 65, width: 64, height: 70),
        PixelSize(width: 64, height: 70)
      ),
      .region(
        PixelRectangle(x: 31, y: 65, width: 64, height: 70),
        PixelSize(width: 21, height: 30)
      ),
    ] {
      #expect(try again(file, fitting).distance(to: again(png, fitting)) <= 1)
    }
  }

  @Test func animationsAreRefused() throws {
    #expect(!ImageEncoding.avif().storesAnimations)
  }
}
#endif
