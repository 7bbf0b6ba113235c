import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

/// Regions have the pixels of a picture that is decoded whole.
@Suite(.timeLimit(.minutes(10)))
struct RegionTests {
  private static let seed: UInt64 = 20_261_124

  /// Compares random regions, pixel for pixel.
  private func expectParts(of bytes: [UInt8], rounds: Int, _ comment: Comment) throws {
    var random = SeededGenerator(seed: Self.seed)
    let whole = try outcome(of: bytes).get()
    for _ in 0..<rounds {
      let region = Regions.random(in: whole.size, &random)
      let part = try outcome(of: bytes, .region(region, region.size)).get()
      let expected = try Regions.part(region, of: whole)
      #expect(Regions.areSame(part, expected), "\(comment), \(region), seed \(Self.seed)")
    }
  }

  @Test(arguments: Regions.samples)
  func regionsOfEverySamplingAreExact(_ sample: JPEGSample) throws {
    let rounds = Rounds.fewer(100, atLeast: 4)
    try expectParts(of: sample.bytes(), rounds: rounds, "\(sample)")
  }

  @Test(arguments: Orientation.allCases)
  func theRectangleIsTurnedWithThePicture(_ orientation: Orientation) throws {
    for sample in Regions.samples.prefix(2) {
      let bytes = Regions.bytes(sample.bytes(), turned: orientation)
      #expect(try probe(bytes).get().orientation == orientation)
      try expectParts(of: bytes, rounds: Rounds.fewer(60, atLeast: 4), "\(orientation)")
    }
  }

  @Test(arguments: RandomPNG.kinds, [false, true])
  func regionsOfEveryPNGAreExact(_ kind: (color: UInt8, depth: Int), _ isClear: Bool) throws {
    let png = RandomPNG(
      size: PixelSize(width: 75, height: 61),
      depth: kind.depth,
      color: kind.color,
      filters: [0, 1, 2, 3, 4],
      hasTransparency: isClear && kind.color < 4,
      seed: 7
    )
    try expectParts(of: png.bytes, rounds: Rounds.fewer(60, atLeast: 4), "\(kind)")
  }

  @Test(arguments: [
    "areas-cmyk.jpg", "gradient-8b-rgb-interlaced.png", "areas-lossless.webp", "areas-lossy.webp",
    "soft-lossy-alpha.webp", "areas-orientation-6.webp", "indexed.gif", "frame-off-corner.gif",
    "animation-3-frames.webp", "exif-orientation-6.png", "gradient-16b-rgba-interlaced.png",
  ])
  func regionsOfOtherFilesAreExact(_ name: String) throws {
    try expectParts(of: Fixtures.bytes(name), rounds: Rounds.fewer(40, atLeast: 4), "\(name)")
  }

  /// libjpeg smooths blocks over their neighbours where scans are missing.
  @Test func regionsOfProgressiveFilesWithoutTheirLastScansAreExact() throws {
    for sampling in [JPEGSample.Sampling.quarter, .full] {
      let sample = JPEGSample(width: 509, height: 133, sampling: sampling, isProgressive: true)
      let bytes = sample.bytes()
      var scans = JPEGScans()
      for count in stride(from: 64, to: bytes.count, by: 64) {
        let (before, arrived) = (scans.count, Array(bytes[..<count]))
        scans.read(arrived.span)
        guard scans.count > before, let file = scans.file(arrived.span) else { continue }
        try expectParts(of: file, rounds: Rounds.fewer(60, atLeast: 8), "\(scans.count) scans")
      }
    }
  }

  /// A region is resampled from the pixels that the whole picture has at the same reduction.
  @Test(arguments: JPEGSample.Sampling.allCases, [0, 3, 40] as [UInt32])
  func reducedRegionsAreExact(_ sampling: JPEGSample.Sampling, _ restarts: UInt32) throws {
    let sample = JPEGSample(width: 509, height: 333, sampling: sampling, restarts: restarts)
    let bytes = sample.bytes()
    let header = try JPEGHeader(bytes.span)
    let region = PixelRectangle(x: 151, y: 101, width: 203, height: 129)
    let fitting = Fitting.region(region, PixelSize(width: 20, height: 13))
    for eighths in [1, 2, 4, 8] {
      let whole = try #require(try BothDecoders.ours(bytes, eighths: eighths))
      let plan = try header.info.plan(fitting)
        .scaled(to: whole.size, numerator: eighths, denominator: 8)
      let reduction = JPEGReduction(eighths: eighths, decodedSize: whole.size, plan: plan)
      let ours = BaselineDecoder.render(bytes.span, header, reduction, workspace: Workspace())
      let expected = try whole.resampled(plan, workspace: Workspace())
      #expect(Regions.areSame(try #require(ours), expected), "\(eighths)/8")
    }
  }

  @Test func aCropOfAStyleHasThePixelsOfTheWholePicture() throws {
    for sample in Regions.samples {
      let bytes = sample.bytes()
      let fitting = Fitting.cover(PixelSize(width: 61, height: 118))
      let expected = try outcome(of: bytes).get().resampled(fitting)
      #expect(Regions.areSame(try outcome(of: bytes, fitting).get(), expected), "\(sample)")
    }
  }

  @Test func aRegionOfAnAnimationsFrameIsExact() throws {
    for name in ["animation-3-frames.gif", "animation-3-frames.png", "animation-3-frames.webp"] {
      let file = try CodecList.standard.frames(of: Fixtures.bytes(name))
      let composer = try #require(file).makeComposer()
      let region = PixelRectangle(x: 1, y: 2, width: 7, height: 5)
      let whole = try composer.compose(1, from: nil, fitting: .original, workspace: Workspace())
      let part = try composer.compose(
        1,
        from: nil,
        fitting: .region(region, region.size),
        workspace: Workspace()
      )
      #expect(Regions.areSame(part, try Regions.part(region, of: whole)), "\(name)")
    }
  }

  @Test(arguments: [
    "areas-420.jpg", "areas-progressive.jpg", "areas-lossy.webp", "areas-orientation-6.jpg",
  ])
  func aRectangleThatReachesOutsideIsRefused(_ name: String) throws {
    let bytes = try Fixtures.bytes(name)
    let size = PixelSize(width: 48, height: 32)
    for region in [
      PixelRectangle(x: 40, y: 0, width: 9, height: 1), .init(x: 0, y: 32, width: 1, height: 1),
      .init(x: -1, y: 0, width: 4, height: 4), .init(x: 0, y: 0, width: 0, height: 4),
      .init(x: 1, y: 1, width: .max, height: .max), .init(x: .max, y: .max, width: 1, height: 1),
      .init(x: .min, y: .min, width: .max, height: 1),
    ] {
      let wanted = DecodeError.bitmap(.outside(region, of: size))
      let fitting = Fitting.region(region, PixelSize(width: 4, height: 4))
      #expect(failure(of: bytes, fitting) == wanted)
    }
  }

  @Test func aSizeOfNothingIsRefused() throws {
    let region = PixelRectangle(x: 0, y: 0, width: 4, height: 4)
    let none = PixelSize(width: 0, height: 4)
    let bytes = try Fixtures.bytes("areas-420.jpg")
    #expect(failure(of: bytes, .region(region, none)) == .bitmap(.invalidSize(none)))
  }

  // MARK: - What is left out

  @Test func intervalsThatAreNotNeededAreNotDecoded() throws {
    let sample = JPEGSample(width: 640, height: 480, sampling: .quarter, restarts: 40)
    let original = sample.bytes()
    var bytes = original
    // The data of the first interval becomes codes that no picture has.
    let header = BaselineHeader(bytes.span)
    let scan = try #require(header).scanStart
    let end = try #require(
      (scan..<bytes.count - 1).first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xD0 }
    )
    for offset in scan..<end { bytes[offset] = 0xFE }
    let region = PixelRectangle(x: 100, y: 200, width: 90, height: 71)
    let frame = try JPEGHeader(bytes.span)
    let reduction = JPEGReduction(try frame.info.plan(.region(region, region.size)), frame)
    let ours = BaselineDecoder.render(bytes.span, frame, reduction, workspace: Workspace())
    let expected = try Regions.part(region, of: outcome(of: original).get())
    #expect(Regions.areSame(try #require(ours), expected))
    #expect(try BothDecoders.ours(bytes, eighths: 8) == nil)
  }

  @Test func whatFollowsARegionNeedNotBeThere() throws {
    let jpeg = JPEGSample(width: 640, height: 480, sampling: .quarter).bytes()
    let noise = RandomPNG(
      size: PixelSize(width: 640, height: 480),
      depth: 8,
      color: 2,
      filters: [4],
      seed: 3
    )
    let region = PixelRectangle(x: 11, y: 13, width: 80, height: 60)
    for bytes in [jpeg, noise.bytes] {
      let cut = Array(bytes.prefix(bytes.count / 2))
      let part = try outcome(of: cut, .region(region, region.size)).get()
      #expect(Regions.areSame(part, try Regions.part(region, of: outcome(of: bytes).get())))
    }
  }
}
