#if TIFF
import IkranCodecs
import IkranPixels
import TestBasics
import Testing

/// Kinds of samples, and where they are, against the numbers that files were made with.
@Suite(.timeLimit(.minutes(10))) struct TIFFTests {
  private static let size = PixelSize(width: 37, height: 21)

  /// A number of 0…1 for each sample.
  private static func share(_ x: Int, _ y: Int, _ channel: Int) -> Double {
    let sum: Int = x * 7 + y * 13 + channel * 101
    return Double(sum % 256) / 255
  }

  private static func sample(
    bits: Int,
    channels: Int,
    photometric: Int,
    size: PixelSize = Self.size
  ) -> TIFFSample {
    let last = bits >= 64 ? Double(UInt64.max) : Double(UInt64(1) << UInt64(bits) - 1)
    return TIFFSample(size: size, bits: bits, channels: channels, photometric: photometric) {
      let value = (share($0, $1, $2) * last).rounded()
      return value >= 0x1p64 ? .max : UInt64(value)
    }
  }

  private func expect(
    _ file: TIFFSample,
    within tolerance: Int = 0,
    _ comment: Comment? = nil,
    _ color: (_ x: Int, _ y: Int) -> Pixel
  ) throws {
    let bitmap = try outcome(of: file.bytes).get()
    try #require(bitmap.size == file.size)
    for (y, row) in bitmap.pixels.enumerated() {
      for (x, pixel) in row.enumerated() where pixel.distance(to: color(x, y)) > tolerance {
        Issue.record("\(comment ?? ""): (\(x), \(y)) is \(pixel), not \(color(x, y))")
        return
      }
    }
  }

  private func byte(_ share: Double) -> UInt8 { UInt8((share * 255).rounded()) }

  @Test(arguments: [1, 2, 3, 4, 6, 8, 10, 12, 14, 16, 24, 32], [1, 3])
  func unsignedNumbersGoFromBlackToWhite(_ bits: Int, _ channels: Int) throws {
    var file = Self.sample(bits: bits, channels: channels, photometric: channels == 1 ? 1 : 2)
    for isBigEndian in [false, true] {
      file.isBigEndian = isBigEndian
      let last = Double(UInt64(1) << UInt64(bits) - 1)
      try expect(file, within: bits > 8 ? 1 : 0, "\(bits) bits") { x, y in
        let levels = (0..<3).map { channel in
          let share = Self.share(x, y, channels == 1 ? 0 : channel)
          return byte((share * last).rounded() / last)
        }
        return Pixel(levels[0], levels[1], levels[2])
      }
    }
  }

  @Test(arguments: [1, 4, 8, 16])
  func whiteMayBeZero(_ bits: Int) throws {
    let file = Self.sample(bits: bits, channels: 1, photometric: 0)
    let last = Double(1 << bits - 1)
    try expect(file, within: bits > 8 ? 1 : 0) { x, y in
      let gray = 255 - byte((Self.share(x, y, 0) * last).rounded() / last)
      return Pixel(gray, gray, gray)
    }
  }

  @Test(arguments: [8, 16, 32])
  func signedNumbersGoFromTheirSmallestToTheirLargest(_ bits: Int) throws {
    let highest = UInt64(1) << UInt64(bits - 1)
    var file = Self.sample(bits: bits, channels: 1, photometric: 1)
    let unsigned = file.value
    file.format = 2
    file.value = { unsigned($0, $1, $2) ^ highest }
    try expect(file, within: 1) { x, y in
      let gray = byte(Self.share(x, y, 0))
      return Pixel(gray, gray, gray)
    }
  }

  @Test(arguments: [16, 32, 64])
  func floatingPointNumbersGoFromZeroToOne(_ bits: Int) throws {
    var file = Self.sample(bits: bits, channels: 3, photometric: 2)
    file.format = 3
    file.value = { x, y, channel in
      let share = x == 0 ? -3 : x == 1 ? 7 : x == 2 ? .nan : Self.share(x, y, channel)
      return switch bits {
      case 16: UInt64(Float16(share).bitPattern)
      case 32: UInt64(Float(share).bitPattern)
      default: share.bitPattern
      }
    }
    for isBigEndian in [false, true] {
      file.isBigEndian = isBigEndian
      try expect(file, within: 1) { x, y in
        if x < 3 { return x == 1 ? Pixel(255, 255, 255) : Pixel(0, 0, 0) }
        let levels = (0..<3).map { byte(Self.share(x, y, $0)) }
        return Pixel(levels[0], levels[1], levels[2])
      }
    }
  }

  @Test(arguments: [1, 2, 4, 8])
  func numbersStandForColoursOfATable(_ bits: Int) throws {
    var file = Self.sample(bits: bits, channels: 1, photometric: 3)
    let count = 1 << bits
    let colors = (0..<3).flatMap { channel in
      (0..<count).map { ($0 * 31 + channel * 77) % 256 * 257 }
    }
    file.shorts = [(320, colors)]
    let value = file.value
    try expect(file) { x, y in
      let index = Int(value(x, y, 0))
      let levels = (0..<3).map { UInt8(colors[$0 * count + index] >> 8) }
      return Pixel(levels[0], levels[1], levels[2])
    }
  }

  @Test(arguments: [8, 16], [(1, 1), (1, 3), (2, 1), (2, 3)])
  func alphaIsAssociatedOrNot(_ bits: Int, _ kind: (extra: Int, colors: Int)) throws {
    let (extra, colors) = kind
    let photometric = colors == 1 ? 1 : 2
    var file = Self.sample(bits: bits, channels: colors + 1, photometric: photometric)
    file.extras = [extra]
    let last = Double(1 << bits - 1)
    file.value = { x, y, channel in
      let alpha = Self.share(x, y, 3)
      if channel == colors { return UInt64((alpha * last).rounded()) }
      return UInt64((Self.share(x, y, channel) * (extra == 1 ? alpha : 1) * last).rounded())
    }
    try expect(file, within: 1) { x, y in
      let alpha = Self.share(x, y, 3)
      let levels = (0..<3).map { byte(Self.share(x, y, colors == 1 ? 0 : $0) * alpha) }
      return Pixel(levels[0], levels[1], levels[2], byte(alpha))
    }
    #expect(try probe(file.bytes).get().hasAlpha)
  }

  @Test func aSampleThatSaysItIsNoAlphaIsNone() throws {
    var file = Self.sample(bits: 8, channels: 4, photometric: 2)
    file.extras = [0]
    #expect(try outcome(of: file.bytes).get().format == .bgrx)
    file.extras = nil
    #expect(try outcome(of: file.bytes).get().format == .bgra)
  }

  @Test(arguments: [8, 16])
  func inksMultiplyWithoutAProfile(_ bits: Int) throws {
    let file = Self.sample(bits: bits, channels: 4, photometric: 5)
    try expect(file, within: 1) { x, y in
      let levels = (0..<3).map { byte((1 - Self.share(x, y, $0)) * (1 - Self.share(x, y, 3))) }
      return Pixel(levels[0], levels[1], levels[2])
    }
  }

  /// Colours of L*a*b* under D50, and of sRGB.
  private static let labColors: [(lab: [Double], color: Pixel)] = [
    ([100, 0, 0], Pixel(255, 255, 255)), ([0, 0, 0], Pixel(0, 0, 0)),
    ([53.585, 0, 0], Pixel(128, 128, 128)), ([54.29, 80.81, 69.89], Pixel(255, 0, 0)),
    ([87.82, -79.29, 80.99], Pixel(0, 255, 0)), ([29.57, 68.30, -112.03], Pixel(0, 0, 255)),
  ]

  @Test(arguments: [8, 9], [8, 16])
  func labHasTheColoursOfSRGB(_ photometric: Int, _ bits: Int) throws {
    let colors = Self.labColors
    let isICC = photometric == 9
    let file = TIFFSample(
      size: PixelSize(width: colors.count, height: 2),
      bits: bits,
      photometric: photometric
    ) { x, _, channel in
      let value = colors[x].lab[channel]
      if channel == 0 {
        let white = bits == 8 ? 255.0 : isICC ? 65_280 : 65_535
        return UInt64((value / 100 * white).rounded())
      }
      let scale = bits == 8 ? 1.0 : 256
      let number = Int(((value + (isICC ? 128 : 0)) * scale).rounded())
      return UInt64(truncatingIfNeeded: number) & (1 << UInt64(bits) - 1)
    }
    try expect(file, within: bits == 8 ? 12 : 3) { x, _ in colors[x].color }
  }

  @Test(arguments: [1, 3, 4, 8, 16], [(1, false), (3, false), (3, true), (4, false), (4, true)])
  func blocksMayHaveAnyOrder(
    _ bits: Int,
    _ kind: (channels: Int, isSeparate: Bool)
  ) throws {
    let (channels, isSeparate) = kind
    var file = Self.sample(bits: bits, channels: channels, photometric: channels == 1 ? 1 : 2)
    file.extras = channels == 4 ? [2] : nil
    let plain = try outcome(of: file.bytes).get()
    file.isSeparate = isSeparate
    for isBig in [false, true] {
      file.isBig = isBig
      file.compression = isBig ? .packBits : .none
      file.isDirectoryLast = isBig
      for rows in [1, 5, 21, 400] {
        file.rowsPerStrip = rows
        #expect(try outcome(of: file.bytes).get().distance(to: plain) == 0, "\(rows) rows")
      }
      file.tile = PixelSize(width: 16, height: 16)
      #expect(try outcome(of: file.bytes).get().distance(to: plain) == 0, "tiles")
      for fitting in [
        Fitting.cover(PixelSize(width: 9, height: 9)), .inside(PixelSize(width: 12, height: 12)),
        .region(
          PixelRectangle(x: 15, y: 3, width: 20, height: 15),
          PixelSize(width: 20, height: 15),
          isolated: false
        ),
      ] {
        let wanted = try outcome(of: file.bytes, fitting).get()
        file.tile = nil
        file.rowsPerStrip = 7
        #expect(try outcome(of: file.bytes, fitting).get().distance(to: wanted) == 0)
        file.tile = PixelSize(width: 16, height: 16)
      }
      file.tile = nil
    }
  }

  @Test func largeStripsAreReadRowByRow() throws {
    let size = PixelSize(width: 1_500, height: 1_100)
    var file = Self.sample(bits: 8, channels: 3, photometric: 2, size: size)
    file.compression = .packBits
    // Black rows of 4,500 bytes, the first of which has the row's number.
    let rest = [[UInt8]](repeating: [129, 0], count: 35).flatMap(\.self) + [238, 0]
    file.stored = (0..<size.height).flatMap { [0, UInt8($0 & 255)] + rest }
    let region = PixelRectangle(x: 0, y: 500, width: 64, height: 48)
    let fitting = Fitting.region(region, region.size, isolated: true)
    let pixels = try outcome(of: file.bytes, fitting).get().pixels
    for y in 0..<48 {
      #expect(pixels[y][0] == Pixel(UInt8((500 + y) & 255), 0, 0))
      #expect(pixels[y][1] == Pixel(0, 0, 0))
    }
  }

  @Test(arguments: 1...8)
  func theOrientationTurnsThePicture(_ number: Int) throws {
    var file = Self.sample(bits: 8, channels: 3, photometric: 2)
    let plain = try outcome(of: file.bytes).get()
    file.shorts = [(274, [number])]
    let orientation = try #require(Orientation(rawValue: UInt8(number)))
    let turned = try outcome(of: file.bytes).get()
    #expect(turned.distance(to: try plain.oriented(orientation)) == 0)
  }

  @Test func onePixelIsAPicture() throws {
    var file = Self.sample(
      bits: 8,
      channels: 3,
      photometric: 2,
      size: PixelSize(width: 1, height: 1)
    )
    #expect(try outcome(of: file.bytes).get().pixels == [[Pixel(0, 101, 202)]])
    file.tile = PixelSize(width: 16, height: 16)
    #expect(try outcome(of: file.bytes).get().pixels == [[Pixel(0, 101, 202)]])
  }

  @Test func lumaAndChromaThatAreNotJPEGBecomeColours() throws {
    // Red, green and blue of BT.601, in full range.
    let colors = [[76, 85, 255], [150, 44, 21], [29, 255, 107]]
    var file = TIFFSample(size: PixelSize(width: 3, height: 20), photometric: 6) { x, _, channel in
      UInt64(colors[x][channel])
    }
    file.shorts = [(530, [1, 1])]
    file.rowsPerStrip = 6
    try expect(file, within: 3) { x, _ in
      [Pixel(255, 0, 0), Pixel(0, 255, 0), Pixel(0, 0, 255)][x]
    }
  }

  @Test func pagesAreCountedAndAreNoAnimation() throws {
    var file = Self.sample(bits: 8, channels: 1, photometric: 1).bytes
    let last = file.count
    // The directory's end has where the next one is.
    let entries = Int(file[8])
    let next = 10 + entries * 12
    let second = Array(file[8..<next]) + [0, 0, 0, 0]
    file.replaceSubrange(next..<next + 4, with: (0..<4).map { UInt8(last >> ($0 * 8) & 255) })
    file += second
    let info = try probe(file).get()
    #expect(info.frames == 2)
    #expect(!info.isAnimated && info.durations.isEmpty && info.loops == nil)
    #expect(try CodecList.standard.frames(of: file) == nil)
  }
}
#endif
