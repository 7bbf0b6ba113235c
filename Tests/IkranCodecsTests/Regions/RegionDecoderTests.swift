import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

/// A decoder of many regions has the pixels of each region decoded on its own.
@Suite(.timeLimit(.minutes(10)))
struct RegionDecoderTests {
  private static let seed: UInt64 = 42

  /// Compares random regions at random sizes, one after the other.
  private func expectSame(_ bytes: [UInt8], rounds: Int, _ comment: Comment) throws {
    var random = SeededGenerator(seed: Self.seed)
    var decoder = try RegionDecoder(bytes.span)
    let workspace = Workspace()
    for round in 0..<rounds {
      let region = Regions.random(in: decoder.info.uprightSize, &random)
      let share = [1, 1, 2, 5, 12][Int.random(in: 0..<5, using: &random)]
      let size = PixelSize(
        width: max(1, region.size.width / share),
        height: max(1, region.size.height / share)
      )
      let ours = try decoder.decode(region, of: bytes.span, size: size, workspace: workspace)
      let expected = try outcome(of: bytes, .region(region, size)).get()
      #expect(
        Regions.areSame(ours, expected),
        "\(comment), round \(round), \(region) at \(size), seed \(Self.seed)"
      )
    }
  }

  @Test(arguments: Regions.samples)
  func pixelsOfJPEGAreThoseOfASingleRegion(_ sample: JPEGSample) throws {
    var large = sample
    (large.width, large.height) = (sample.width * 5, sample.height * 3)
    try expectSame(large.bytes(), rounds: Rounds.fewer(60, atLeast: 4), "\(large)")
  }

  @Test func aResultThatCannotBeMadeLeavesTheIndex() throws {
    var limits = DecodeLimits()
    limits.maximumPixels = .max
    let fitting = Fitting.region(
      PixelRectangle(x: 0, y: 0, width: 60, height: 60),
      PixelSize(width: 2_000_000, height: 1)
    )
    let jpeg = JPEGSample(width: 100, height: 100, sampling: .quarter).bytes()
    var entropy: EntropyIndex? = EntropyIndex()
    #expect(throws: DecodeError.self) {
      try JPEGDecoder().decode(
        jpeg.span,
        fitting: fitting,
        rules: DecodeRules(limits: limits),
        workspace: Workspace(),
        index: &entropy
      )
    }
    #expect(entropy != nil)
    let png = try CodecList.standard.decode(jpeg.span).bitmap.encoded(as: .png)
    var rows: PNGRowIndex? = PNGRowIndex()
    #expect(throws: DecodeError.self) {
      try PNGDecoder().decode(
        png.span,
        try PNGDecoder().probe(png.span),
        fitting: fitting,
        rules: DecodeRules(limits: limits),
        workspace: Workspace(),
        index: &rows
      )
    }
    #expect(rows != nil)
  }

  /// Speculative decoding takes noise, whose blocks are long.
  @Test func anIndexThatIsMadeSpeculativelyIsRight() throws {
    for restarts in [0, 700] as [UInt32] {
      let sample = JPEGSample(
        width: 1_600,
        height: 1_200,
        sampling: .quarter,
        quality: 95,
        restarts: restarts,
        isNoise: true
      )
      let bytes = sample.bytes()
      var decoder = try RegionDecoder(bytes.span)
      let whole = PixelRectangle(x: 0, y: 0, width: 1_600, height: 1_200)
      let small = PixelSize(width: 64, height: 48)
      let overview = try decoder.decode(whole, of: bytes.span, size: small)
      #expect(Regions.areSame(overview, try outcome(of: bytes, .region(whole, small)).get()))
      let full = try outcome(of: bytes).get()
      var random = SeededGenerator(seed: 1)
      for _ in 0..<8 {
        let region = Regions.random(in: full.size, &random)
        let tile = try decoder.decode(region, of: bytes.span)
        #expect(Regions.areSame(tile, try Regions.part(region, of: full)), "\(region)")
      }
    }
  }

  @Test(arguments: RandomPNG.kinds)
  func pixelsOfPNGAreThoseOfASingleRegion(_ kind: (color: UInt8, depth: Int)) throws {
    let png = RandomPNG(
      size: PixelSize(width: 201, height: 333),
      depth: kind.depth,
      color: kind.color,
      filters: [4, 3, 2],
      seed: 11,
      chunkBytes: 5_000
    )
    try expectSame(png.bytes, rounds: Rounds.fewer(40, atLeast: 4), "\(kind)")
  }

  @Test(arguments: [
    "areas-cmyk.jpg", "gradient-8b-rgb-interlaced.png", "areas-lossless.webp", "indexed.gif",
    "areas-orientation-7.jpg", "palette-4b-trns.png", "areas-progressive.jpg",
  ])
  func otherFilesAreDecodedWithoutAnIndex(_ name: String) throws {
    try expectSame(Fixtures.bytes(name), rounds: 5, "\(name)")
  }

  @Test func zlibAndISALContinueAtACheckpoint() throws {
    let png = RandomPNG(
      size: PixelSize(width: 64, height: 4_000),
      depth: 8,
      color: 6,
      filters: [4],
      seed: 5
    )
    let bytes = png.bytes
    let info = try PNGDecoder().probe(bytes.span)
    let whole = try outcome(of: bytes).get()
    for usesISAL in Set([false, PNGDataHandle.hasISAL]) {
      var index: PNGRowIndex? = PNGRowIndex()
      for y in [3_990, 1_000, 2_711, 0, 3_999] {
        let region = PixelRectangle(x: 7, y: y, width: 50, height: min(100, 4_000 - y))
        let part = PNGRowDecoder.render(
          bytes.span,
          try info.plan(.region(region, region.size)),
          info,
          workspace: Workspace(),
          usesISAL: usesISAL,
          index: &index
        )
        #expect(Regions.areSame(try #require(part), try Regions.part(region, of: whole)), "\(y)")
      }
    }
  }

  @Test func aWrongRectangleDoesNotForgetTheIndex() throws {
    let bytes = JPEGSample(width: 640, height: 480, sampling: .quarter, restarts: 40).bytes()
    var decoder = try RegionDecoder(bytes.span)
    let region = PixelRectangle(x: 300, y: 400, width: 30, height: 30)
    let first = try decoder.decode(region, of: bytes.span)
    #expect(throws: DecodeError.self) {
      try decoder.decode(PixelRectangle(x: 630, y: 0, width: 11, height: 1), of: bytes.span)
    }
    // Only with the index the data above is not read.
    var damaged = bytes
    let header = BaselineHeader(bytes.span)
    let scan = try #require(header).scanStart
    for offset in scan..<scan + 2_000 { damaged[offset] = 0xFF }
    let again = try decoder.decode(region, of: damaged.span)
    #expect(Regions.areSame(first, again))
  }

  @Test func otherBytesThanBeforeDoNoHarm() throws {
    let jpegs = [
      JPEGSample(width: 640, height: 480, sampling: .quarter).bytes(),
      JPEGSample(width: 640, height: 480, sampling: .full, restarts: 9, isNoise: true).bytes(),
    ]
    let pngs = [4, 6].map { color in
      RandomPNG(
        size: PixelSize(width: 64, height: 900),
        depth: 8,
        color: color,
        filters: [4],
        seed: 5
      ).bytes
    }
    for files in [jpegs, [jpegs[0], Array(jpegs[0].prefix(9_000))], pngs, [pngs[1], pngs[0]]] {
      let (file, other) = (files[0], files[1])
      var decoder = try RegionDecoder(file.span)
      let region = PixelRectangle(x: 7, y: 450, width: 30, height: 20)
      _ = try decoder.decode(region, of: file.span)
      // Pixels or an error: no more is promised.
      _ = try? decoder.decode(region, of: other.span)
      _ = try? decoder.decode(region, of: file.span)
    }
  }

  // MARK: - Files that are cut off

  private static func cut(_ sample: JPEGSample) -> [UInt8] {
    let bytes = sample.bytes()
    return Array(bytes.prefix(bytes.count * 6 / 10))
  }

  @Test func ofAFileThatIsCutOffTheRowsThatAreThereAreDecoded() throws {
    let whole = JPEGSample(width: 640, height: 480, sampling: .quarter).bytes()
    let bytes = Array(whole.prefix(whole.count / 2))
    let all = PixelRectangle(x: 0, y: 0, width: 640, height: 480)
    let top = PixelRectangle(x: 100, y: 40, width: 200, height: 50)
    let bottom = PixelRectangle(x: 100, y: 460, width: 200, height: 20)
    var strict = try RegionDecoder(bytes.span)
    #expect((try? strict.decode(all, of: bytes.span)) == nil)
    var decoder = try RegionDecoder(bytes.span, rules: DecodeRules(acceptsCutFiles: true))
    #expect(try decoder.decode(all, of: bytes.span).format.hasAlpha)
    #expect(!decoder.notes.isEmpty)
    let upper = try decoder.decode(top, of: bytes.span)
    #expect(Regions.areSame(upper, try outcome(of: whole, .region(top, top.size)).get()))
    #expect((try? decoder.decode(bottom, of: bytes.span)) == nil)
  }

  @Test func belowTheCutNothingIsReadAgain() throws {
    let bytes = Self.cut(JPEGSample(width: 640, height: 480, sampling: .quarter))
    var decoder = try RegionDecoder(bytes.span, rules: DecodeRules(acceptsCutFiles: true))
    let all = PixelRectangle(x: 0, y: 0, width: 640, height: 480)
    _ = try decoder.decode(all, of: bytes.span, size: PixelSize(width: 80, height: 60))
    // What is read ends earlier in it.
    let shorter = Array(bytes.prefix(bytes.count / 2))
    let bottom = PixelRectangle(x: 100, y: 400, width: 200, height: 50)
    let error = DecodeError.truncated(.jpeg, offset: bytes.count)
    #expect(throws: error) { try decoder.decode(bottom, of: shorter.span) }
  }

  @Test func aboveTheCutDecodingBeginsInTheMiddle() throws {
    let bytes = Self.cut(JPEGSample(width: 640, height: 480, sampling: .quarter))
    var decoder = try RegionDecoder(bytes.span, rules: DecodeRules(acceptsCutFiles: true))
    let all = PixelRectangle(x: 0, y: 0, width: 640, height: 480)
    _ = try decoder.decode(all, of: bytes.span, size: PixelSize(width: 80, height: 60))
    let region = PixelRectangle(x: 300, y: 150, width: 30, height: 30)
    let expected = try decoder.decode(region, of: bytes.span)
    var damaged = bytes
    let header = BaselineHeader(bytes.span)
    let scan = try #require(header).scanStart
    for offset in scan..<scan + 2_000 { damaged[offset] = 0xFF }
    #expect(Regions.areSame(try decoder.decode(region, of: damaged.span), expected))
  }

  @Test(arguments: JPEGSample.Sampling.allCases, [UInt32(0), 3])
  func aroundTheCutRegionsAreThoseOfADecoderThatKnowsNothing(
    _ sampling: JPEGSample.Sampling,
    _ restarts: UInt32
  ) throws {
    let rules = DecodeRules(acceptsCutFiles: true)
    let sample = JPEGSample(width: 75, height: 120, sampling: sampling, restarts: restarts)
    let bytes = Self.cut(sample)
    let unused = try RegionDecoder(bytes.span, rules: rules)
    var decoder = unused
    let overview = PixelRectangle(x: 0, y: 0, width: 75, height: 120)
    _ = try decoder.decode(overview, of: bytes.span)
    let notes = decoder.notes
    guard case .cut(let row, _)? = notes.first else {
      Issue.record("\(notes)")
      return
    }
    for y in row - 20..<min(row + 18, 100) {
      for share in [1, 2, 7] {
        let region = PixelRectangle(x: 9, y: y, width: 42, height: 14)
        let size = PixelSize(width: 42 / share, height: 14 / share)
        var single = unused
        let ours = Result { try decoder.decode(region, of: bytes.span, size: size) }
        let expected = Result { try single.decode(region, of: bytes.span, size: size) }
        switch (ours, expected) {
        case (.success(let ours), .success(let expected)):
          #expect(Regions.areSame(ours, expected), "\(y), \(share)")
          #expect(decoder.notes == single.notes, "\(y), \(share)")
        case (.failure(let ours), .failure(let expected)):
          #expect("\(ours)" == "\(expected)", "\(y), \(share)")
        default: Issue.record("\(y), \(share): \(ours), not \(expected)")
        }
      }
    }
  }

  // MARK: - Limits

  @Test func aRegionOfALargerPictureThanTheLimitIsDecoded() throws {
    let jpeg = JPEGSample(width: 640, height: 480, sampling: .quarter).bytes()
    let png = RandomPNG(
      size: PixelSize(width: 640, height: 480),
      depth: 1,
      color: 0,
      filters: [0],
      seed: 3
    )
    var limits = DecodeLimits()
    limits.maximumPixels = 3_000
    let region = PixelRectangle(x: 100, y: 100, width: 60, height: 50)
    let larger = PixelRectangle(x: 100, y: 100, width: 61, height: 50)
    for bytes in [jpeg, png.bytes] {
      #expect(failure(of: bytes, .region(region, region.size), limits: limits) == nil)
      let error = DecodeError.overLimit(.pixels, value: 3_050, limit: 3_000)
      #expect(failure(of: bytes, .region(larger, larger.size), limits: limits) == error)
    }
    limits.maximumDeclaredPixels = 640 * 480 - 1
    let error = DecodeError.overLimit(.declaredPixels, value: 640 * 480, limit: 640 * 480 - 1)
    #expect(failure(of: jpeg, .region(region, region.size), limits: limits) == error)
  }

  @Test(arguments: [
    "areas-progressive.jpg", "gradient-8b-rgb-interlaced.png", "areas-lossless.webp",
    "animation-3-frames.gif",
  ])
  func aPictureThatIsDecodedWholeKeepsItsLimit(_ name: String) throws {
    var limits = DecodeLimits()
    limits.maximumPixels = 10
    let region = PixelRectangle(x: 0, y: 0, width: 2, height: 2)
    let bytes = try Fixtures.bytes(name)
    // Of a GIF a quarter counts.
    let all = try #require(probe(bytes).get().size.pixelCount)
    let pixels = name.hasSuffix(".gif") ? all / 4 : all
    let error = DecodeError.overLimit(.pixels, value: pixels, limit: 10)
    #expect(failure(of: bytes, .region(region, region.size), limits: limits) == error)
  }
}
