import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

/// What all formats that are read row by row have in common.
@Suite(.timeLimit(.minutes(5))) struct RowCodecTests {
  struct Sample: Sendable, CustomTestStringConvertible {
    let name: String
    let bytes: [UInt8]
    var isBottomUp = false

    var testDescription: String { name }
  }

  private static let size = PixelSize(width: 41, height: 30)
  private static let picture = RandomPicture(size, seed: 9, hasAlpha: true)
  private static let opaque = RandomPicture(size, seed: 9)

  private static func pam() -> [UInt8] {
    let header = "P7\nWIDTH 41\nHEIGHT 30\nDEPTH 4\nMAXVAL 255\nENDHDR\n"
    return Array(header.utf8)
      + picture.pixels.flatMap { [$0.red, $0.green, $0.blue, $0.alpha] }
  }

  private static func bmp(isTopDown: Bool) -> [UInt8] {
    var sample = BMPSample(size: size, headerLength: 124, bits: 32)
    sample.isTopDown = isTopDown
    sample.fields = [52: [0, 0, 0, 0xFF]]
    sample.setRows(picture.pixels.map(\.word))
    return sample.bytes
  }

  private static func runs() -> [UInt8] {
    var sample = BMPSample(size: size, bits: 8)
    sample.compression = 1
    sample.palette = (0...255 as ClosedRange<UInt8>).map { Pixel($0, $0 / 2, 200) }
    for row in 0..<30 {
      for column in 0..<41 { sample.data += [1, UInt8(column * 5 + row)] }
      sample.data += [0, 0]
    }
    return sample.bytes
  }

  static let samples = [
    Sample(name: "QOI", bytes: QOISample(picture).bytes),
    Sample(name: "QOI without alpha", bytes: QOISample(opaque, channels: 3).bytes),
    Sample(name: "PAM", bytes: pam()),
    Sample(
      name: "PPM in text",
      bytes: Array("P3 41 30 255\n".utf8)
        + opaque.pixels.flatMap { Array("\($0.red) \($0.green) \($0.blue)\n".utf8) }
    ),
    Sample(name: "BMP", bytes: bmp(isTopDown: false), isBottomUp: true),
    Sample(name: "BMP from the top", bytes: bmp(isTopDown: true)),
    Sample(name: "BMP in run lengths", bytes: runs(), isBottomUp: true),
  ]

  // MARK: - Sizes

  @Test(
    arguments: samples,
    [
      Fitting.cover(PixelSize(width: 9, height: 9)), .inside(PixelSize(width: 20, height: 20)),
      .cover(PixelSize(width: 90, height: 50)),
      .region(PixelRectangle(x: 5, y: 7, width: 20, height: 11), PixelSize(width: 20, height: 11)),
      .region(PixelRectangle(x: 5, y: 7, width: 20, height: 11), PixelSize(width: 7, height: 9)),
    ]
  )
  func everySizeIsThatOfAPNG(_ sample: Sample, _ fitting: Fitting) throws {
    let whole = try outcome(of: sample.bytes).get()
    #expect(whole.size == Self.size)
    let png = try whole.encoded(as: .png)
    let bitmap = try outcome(of: sample.bytes, fitting).get()
    // Colours under little alpha are rounded in the PNG.
    let distance = try bitmap.distance(to: outcome(of: png, fitting).get())
    #expect(distance <= (whole.format == .bgra ? 2 : 0))
  }

  @Test(arguments: samples)
  func aRegionIsCutOut(_ sample: Sample) throws {
    let whole = try outcome(of: sample.bytes).get().pixels
    let region = PixelRectangle(x: 3, y: 11, width: 17, height: 8)
    let part = try outcome(of: sample.bytes, .region(region, region.size)).get()
    #expect(part.pixels == whole[11..<19].map { Array($0[3..<20]) })
  }

  // MARK: - Files that are cut off

  @Test(arguments: samples)
  func everyPrefixIsTruncatedOrUnknown(_ sample: Sample) throws {
    // The end mark of a QOI file, and what ends run lengths, may be missing.
    for count in 0..<sample.bytes.count - 12 {
      switch failure(of: Array(sample.bytes[..<count])) {
      case .truncated, .unknownFormat, .empty: break
      case let error: Issue.record("\(count) bytes: \(String(describing: error))")
      }
    }
  }

  @Test(arguments: samples, [0.4, 0.7, 0.95])
  func rowsThatAreThereAreShown(_ sample: Sample, _ share: Double) throws {
    let whole = try outcome(of: sample.bytes).get().pixels
    let cut = Array(sample.bytes.prefix(Int(Double(sample.bytes.count) * share)))
    let rules = DecodeRules(acceptsCutFiles: true)
    let picture = try outcome(of: cut, by: rules).get()
    guard case .cut(let count, 30)? = picture.notes.first else {
      Issue.record("\(picture.notes)")
      return
    }
    #expect((1..<30).contains(count))
    #expect(picture.bitmap.format == .bgra)
    let rows = sample.isBottomUp ? 30 - count..<30 : 0..<count
    for (y, row) in picture.bitmap.pixels.enumerated() {
      #expect(row == (rows.contains(y) ? whole[y] : row.map { _ in Pixel(0, 0, 0, 0) }), "row \(y)")
    }
  }

  @Test(arguments: samples)
  func aFileWithoutOneRowIsRefused(_ sample: Sample) throws {
    let start = sample.name.contains("run") ? 14 + 40 + 1_024 + 20 : 60
    let error = #expect(throws: DecodeError.self) {
      try outcome(of: Array(sample.bytes[..<start]), by: DecodeRules(acceptsCutFiles: true)).get()
    }
    guard case .truncated? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test(arguments: samples)
  func theFirstRowsOfATopDownFileComeEarly(_ sample: Sample) throws {
    let order = CodecList.standard.order(of: sample.bytes.span)
    #expect(order == (sample.isBottomUp ? .unknown : .rows))
  }

  // MARK: - Limits and damage

  @Test(arguments: samples)
  func limitsAreChecked(_ sample: Sample) throws {
    var limits = DecodeLimits()
    limits.maximumPixels = 41 * 30 - 1
    #expect(
      failure(of: sample.bytes, limits: limits) == .overLimit(.pixels, value: 1_230, limit: 1_229)
    )
    // Rows take no memory.
    let small = Fitting.inside(PixelSize(width: 10, height: 10))
    #expect(failure(of: sample.bytes, small, limits: limits) == nil)
    limits.maximumDeclaredPixels = 1_229
    #expect(
      failure(of: sample.bytes, small, limits: limits)
        == .overLimit(.declaredPixels, value: 1_230, limit: 1_229)
    )
  }

  @Test(arguments: samples)
  func aHugeHeaderCostsNothing(_ sample: Sample) throws {
    var bytes = sample.bytes
    let side: [UInt8] = [0xFF, 0xFF, 0xFF, 0x7F]
    if sample.name.hasPrefix("QOI") {
      bytes.replaceSubrange(4..<12, with: Array(side.reversed()) + Array(side.reversed()))
    } else if sample.name.hasPrefix("BMP") {
      bytes.replaceSubrange(18..<26, with: side + side)
    } else {
      let start = try #require(bytes.firstRange(of: Array("41".utf8)))
      bytes.replaceSubrange(start, with: Array("99999999999999999999999".utf8))
    }
    guard case .overLimit(.dimension, 2_147_483_647, _)? = failure(of: bytes) else {
      Issue.record("\(String(describing: failure(of: bytes)))")
      return
    }
    var limits = DecodeLimits()
    (limits.maximumDimension, limits.maximumDeclaredPixels) = (.max, .max)
    let small = Fitting.inside(PixelSize(width: 10, height: 10))
    guard case .success(let info) = probe(bytes), info.size.width == 2_147_483_647 else {
      Issue.record("\(probe(bytes))")
      return
    }
    // There is no memory for a row, or no row.
    if !sample.name.hasPrefix("P") && !sample.name.hasPrefix("QOI") {
      #expect(failure(of: bytes, small, limits: limits) != nil)
    }
  }

  @Test(arguments: samples)
  func flippedBitsNeverCrash(_ sample: Sample) {
    var random = SeededGenerator(seed: 20_261_126)
    var limits = DecodeLimits()
    limits.maximumPixels = 1_000_000
    limits.maximumDeclaredPixels = 1_000_000
    for _ in 0..<Rounds.fewer(300) {
      var bytes = sample.bytes
      for _ in 0...Int.random(in: 0...6, using: &random) {
        let reach = Bool.random(using: &random) ? 60 : bytes.count
        bytes[Int.random(in: 0..<reach, using: &random)] ^=
          1 << UInt8.random(in: 0..<8, using: &random)
      }
      _ = outcome(of: bytes, .inside(PixelSize(width: 9, height: 9)), limits: limits)
    }
  }
}
