import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

/// Compares this package's decoder with libjpeg.
@Suite(.timeLimit(.minutes(10)))
struct BaselineJPEGTests {
  private static let sizes = [
    (1, 1), (1, 40), (40, 1), (2, 2), (3, 5), (4, 3), (5, 4), (7, 9), (8, 8), (16, 16), (17, 33),
    (31, 15), (64, 48), (97, 101), (300, 20),
  ]

  /// In this order every fifth has another sampling and another size.
  private static let samples = JPEGSample.Sampling.allCases.flatMap { sampling in
    sizes.map { JPEGSample(width: $0.0, height: $0.1, sampling: sampling) }
  }

  @Test(arguments: samples)
  func fullSizePicturesAreTheSameAsLibjpegs(_ sample: JPEGSample) throws {
    let bytes = sample.bytes()
    let ours = try #require(try BothDecoders.ours(bytes, eighths: 8))
    #expect(BothDecoders.areSame(ours, try BothDecoders.libjpegs(bytes, eighths: 8)))
  }

  @Test(arguments: [1, 2, 3, 10, 25, 50, 75, 90, 95, 98, 99, 100], [false, true])
  func everyQualityIsExact(_ quality: Int, _ isNoise: Bool) throws {
    for sampling in [JPEGSample.Sampling.full, .quarter] {
      var sample = JPEGSample(width: 61, height: 47, sampling: sampling)
      sample.quality = Int32(quality)
      sample.isNoise = isNoise
      sample.isOptimized = quality % 2 == 1
      let bytes = sample.bytes()
      let ours = try #require(try BothDecoders.ours(bytes, eighths: 8))
      #expect(BothDecoders.areSame(ours, try BothDecoders.libjpegs(bytes, eighths: 8)), "\(sample)")
    }
  }

  @Test(arguments: [1, 2, 3, 5, 7, 12, 13, 100, 65_535])
  func restartMarkersAreDecoded(_ interval: Int) throws {
    for sampling in JPEGSample.Sampling.allCases {
      var sample = JPEGSample(width: 123, height: 77, sampling: sampling)
      sample.restarts = UInt32(interval)
      let bytes = sample.bytes()
      let ours = try #require(try BothDecoders.ours(bytes, eighths: 8))
      #expect(BothDecoders.areSame(ours, try BothDecoders.libjpegs(bytes, eighths: 8)), "\(sample)")
    }
  }

  /// At an eighth, both decoders compute block means, except for halved chroma.
  @Test(arguments: samples)
  func eighthsAreTheSameAsLibjpegs(_ sample: JPEGSample) throws {
    guard sample.sampling != .quarter else { return }
    let bytes = sample.bytes()
    let ours = try #require(try BothDecoders.ours(bytes, eighths: 1))
    #expect(BothDecoders.areSame(ours, try BothDecoders.libjpegs(bytes, eighths: 1)))
  }

  /// Halves and quarters leave out coefficients that are hardly visible, so the mean difference
  /// is small.
  @Test(arguments: Rounds.fewer(of: samples), [1, 2, 4])
  func reducedPicturesAreCloseToLibjpegs(_ sample: JPEGSample, _ eighths: Int) throws {
    let bytes = sample.bytes()
    let ours = try #require(try BothDecoders.ours(bytes, eighths: eighths))
    let theirs = try BothDecoders.libjpegs(bytes, eighths: eighths)
    try #require(ours.size == theirs.size)
    #expect(BothDecoders.meanDistance(ours, theirs) < 4)
  }

  @Test func slopesAreWithinTwoAtEveryScale() throws {
    let bytes = try gradient(width: 211, height: 173).encoded(as: .jpeg(quality: 95))
    for eighths in [1, 2, 4, 8] {
      let ours = try #require(try BothDecoders.ours(bytes, eighths: eighths))
      #expect(ours.distance(to: try BothDecoders.libjpegs(bytes, eighths: eighths)) <= 2)
    }
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

  @Test(arguments: JPEGSample.Sampling.allCases)
  func simdChangesNothing(_ sampling: JPEGSample.Sampling) throws {
    let bytes = JPEGSample(width: 203, height: 99, sampling: sampling).bytes()
    let plain = Workspace()
    plain.usesSIMD = false
    for eighths in [1, 2, 4, 8] {
      let wide = try #require(try BothDecoders.ours(bytes, eighths: eighths))
      let narrow = try #require(try BothDecoders.ours(bytes, eighths: eighths, plain))
      #expect(BothDecoders.areSame(wide, narrow))
    }
  }

  @Test func aSecondPictureInTheSameMemoryIsCorrect() throws {
    let workspace = Workspace()
    for sample in Rounds.fewer(of: Self.samples.reversed() + Self.samples) {
      let bytes = sample.bytes()
      let kept = try #require(try BothDecoders.ours(bytes, eighths: 8, workspace))
      let fresh = try #require(try BothDecoders.ours(bytes, eighths: 8))
      #expect(BothDecoders.areSame(kept, fresh), "\(sample)")
    }
  }

  @Test(
    .enabled(if: Corpus.isAvailable, "set IKRAN_CORPUS"),
    arguments: Rounds.fewer(
      of: Corpus.files.filter { $0.format == "jpeg" && $0.expected == "decodes" }
    )
  )
  func smallFilesOfTheCorpusAreExact(_ file: Corpus.File) throws {
    let bytes = try file.bytes()
    // Debug builds take seconds for the large ones.
    guard (file.width ?? 0) * (file.height ?? 0) < 300_000,
      let ours = try BothDecoders.ours(bytes, eighths: 8)
    else { return }
    #expect(BothDecoders.areSame(ours, try BothDecoders.libjpegs(bytes, eighths: 8)))
  }
}
