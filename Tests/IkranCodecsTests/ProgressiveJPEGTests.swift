import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

/// Compares this package's decoder of progressive files with libjpeg.
@Suite(.timeLimit(.minutes(10)))
struct ProgressiveJPEGTests {
  private static let sizes = [
    (1, 1), (1, 40), (40, 1), (3, 5), (7, 9), (8, 8), (17, 33), (31, 15), (97, 101), (300, 20),
  ]

  private static let samples = JPEGSample.Sampling.allCases.flatMap { sampling in
    JPEGScript.allCases.flatMap { script in
      sizes.map {
        var sample = JPEGSample(width: $0.0, height: $0.1, sampling: sampling)
        (sample.isProgressive, sample.script) = (true, script)
        return sample
      }
    }
  }

  /// At full size, and with these scripts at a half too, all coefficients are decoded.
  @Test(arguments: samples)
  func pixelsAreTheSameAsLibjpegs(_ sample: JPEGSample) throws {
    let bytes = sample.bytes()
    for eighths in [8, 4] {
      let ours = try #require(try BothDecoders.ours(bytes, eighths: eighths))
      let theirs = try BothDecoders.libjpegs(bytes, eighths: eighths)
      #expect(BothDecoders.areSame(ours, theirs), "\(eighths)/8")
    }
  }

  @Test(arguments: [1, 2, 10, 25, 50, 75, 90, 95, 98, 100], [false, true])
  func everyQualityIsExact(_ quality: Int, _ isNoise: Bool) throws {
    for script in JPEGScript.allCases {
      var sample = JPEGSample(width: 61, height: 47, sampling: .quarter)
      (sample.isProgressive, sample.script) = (true, script)
      sample.quality = Int32(quality)
      sample.isNoise = isNoise
      let bytes = sample.bytes()
      let ours = try #require(try BothDecoders.ours(bytes, eighths: 8))
      #expect(BothDecoders.areSame(ours, try BothDecoders.libjpegs(bytes, eighths: 8)), "\(sample)")
    }
  }

  @Test(arguments: [1, 2, 3, 5, 7, 12, 13, 100, 65_535])
  func restartMarkersAreDecoded(_ interval: Int) throws {
    for sampling in JPEGSample.Sampling.allCases {
      for script in JPEGScript.allCases {
        var sample = JPEGSample(width: 123, height: 77, sampling: sampling)
        (sample.isProgressive, sample.script) = (true, script)
        sample.restarts = UInt32(interval)
        let bytes = sample.bytes()
        let ours = try #require(try BothDecoders.ours(bytes, eighths: 8))
        let theirs = try BothDecoders.libjpegs(bytes, eighths: 8)
        #expect(BothDecoders.areSame(ours, theirs), "\(sample)")
      }
    }
  }

  /// Where only means are decoded, and none of their bits is left out, both decoders compute the
  /// same.
  @Test(arguments: samples)
  func exactEighthsAreTheSameAsLibjpegs(_ sample: JPEGSample) throws {
    guard sample.sampling != .quarter else { return }
    // Steps above the largest that may be left out.
    var sample = sample
    sample.quality = 30
    let bytes = sample.bytes()
    let ours = try #require(try BothDecoders.ours(bytes, eighths: 1))
    #expect(BothDecoders.areSame(ours, try BothDecoders.libjpegs(bytes, eighths: 1)))
  }

  @Test(arguments: Rounds.fewer(of: samples), [1, 2])
  func reducedPicturesAreCloseToLibjpegs(_ sample: JPEGSample, _ eighths: Int) throws {
    let bytes = sample.bytes()
    let ours = try #require(try BothDecoders.ours(bytes, eighths: eighths))
    let theirs = try BothDecoders.libjpegs(bytes, eighths: eighths)
    try #require(ours.size == theirs.size)
    #expect(BothDecoders.meanDistance(ours, theirs) < 6)
  }

  @Test(arguments: Rounds.fewer(of: samples.filter { $0.width >= 31 && $0.height >= 15 }))
  func croppedAndScaledPicturesAreTheSame(_ sample: JPEGSample) throws {
    let bytes = sample.bytes()
    for target in [PixelSize(width: 5, height: 14), PixelSize(width: 30, height: 8)] {
      let ours = try #require(try BothDecoders.ours(bytes, covering: target))
      let theirs = try BothDecoders.libjpegs(bytes, covering: target)
      #expect(ours.distance(to: theirs) <= 1, "\(target)")
    }
  }

  @Test(arguments: JPEGSample.Sampling.allCases, JPEGScript.allCases)
  func simdChangesNothing(_ sampling: JPEGSample.Sampling, _ script: JPEGScript) throws {
    var sample = JPEGSample(width: 203, height: 99, sampling: sampling, quality: 95)
    (sample.isProgressive, sample.script) = (true, script)
    let bytes = sample.bytes()
    let plain = Workspace()
    plain.usesSIMD = false
    for eighths in [1, 2, 4, 8] {
      let wide = try #require(try BothDecoders.ours(bytes, eighths: eighths))
      let narrow = try #require(try BothDecoders.ours(bytes, eighths: eighths, plain))
      #expect(BothDecoders.areSame(wide, narrow), "\(eighths)/8")
    }
  }

  @Test func aSecondPictureInTheSameMemoryIsCorrect() throws {
    let workspace = Workspace()
    for sample in Rounds.fewer(of: Self.samples.reversed() + Self.samples) {
      let bytes = sample.bytes()
      for eighths in [8, 1] {
        let kept = try #require(try BothDecoders.ours(bytes, eighths: eighths, workspace))
        let fresh = try #require(try BothDecoders.ours(bytes, eighths: eighths))
        #expect(BothDecoders.areSame(kept, fresh), "\(sample)")
      }
    }
  }

  @Test func theFixtureIsDecodedHere() throws {
    let bytes = try Fixtures.bytes("areas-progressive.jpg")
    let ours = try #require(try BothDecoders.ours(bytes, eighths: 8))
    #expect(BothDecoders.areSame(ours, try BothDecoders.libjpegs(bytes, eighths: 8)))
  }

  @Test(
    .enabled(if: Corpus.isAvailable, "set IKRAN_CORPUS"),
    arguments: Corpus.files.filter {
      $0.format == "jpeg" && ($0.width ?? 0) * ($0.height ?? 0) < 1_000_000
    }
  )
  func filesOfTheCorpusAreExactOrLeftToLibjpeg(_ file: Corpus.File) throws {
    let bytes = try file.bytes()
    guard let header = try? JPEGHeader(bytes.span), header.process == 0xC2 else { return }
    for eighths in [8, 4, 2, 1] {
      guard let ours = try? BothDecoders.ours(bytes, eighths: eighths) else { continue }
      let theirs = try BothDecoders.libjpegs(bytes, eighths: eighths)
      try #require(ours.size == theirs.size)
      if eighths >= 4 { #expect(BothDecoders.areSame(ours, theirs), "\(eighths)/8") }
    }
  }

  @Test(
    .enabled(if: Corpus.isAvailable, "set IKRAN_CORPUS"),
    arguments: ["jpeg/progressive-420.jpg", "jpeg/progressive-444-restart.jpg"]
      + ["jpeg/progressive-custom-scans.jpg", "jpeg/grayscale-progressive.jpg"]
  )
  func plainFilesOfTheCorpusAreDecodedHere(_ path: String) throws {
    #expect(try BothDecoders.ours(Corpus.bytes(path), eighths: 8) != nil)
  }
}
