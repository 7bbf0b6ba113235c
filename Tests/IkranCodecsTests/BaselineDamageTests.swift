import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

/// This package's decoder leaves damaged bytes to libjpeg.
@Suite(.timeLimit(.minutes(10)))
struct BaselineDamageTests {
  private static let samples = JPEGSample.Sampling.allCases.flatMap { sampling in
    [
      JPEGSample(width: 37, height: 21, sampling: sampling, isOptimized: true),
      JPEGSample(width: 37, height: 33, sampling: sampling, quality: 60, restarts: 3),
      JPEGSample(width: 17, height: 18, sampling: sampling, quality: 100, isNoise: true),
    ]
  }

  /// The decoder may refuse files that libjpeg decodes, but must not decode any differently.
  ///
  /// Values that no undamaged picture has saturate a little differently in the two transforms, so
  /// after flips a few pixels may differ.
  private func expectAgreement(
    _ bytes: [UInt8],
    within mean: Double = 0,
    _ comment: Comment
  ) throws {
    for eighths in [8, 1] {
      // libjpeg's errors for damaged headers are not compared.
      guard let ours = try? BothDecoders.ours(bytes, eighths: eighths) else { continue }
      let theirs = try? BothDecoders.libjpegs(bytes, eighths: eighths)
      let expected = try #require(theirs, comment)
      guard eighths == 8 else { continue }
      let isSame = BothDecoders.areSame(ours, expected)
      #expect(isSame || BothDecoders.meanDistance(ours, expected) < mean, comment)
    }
  }

  @Test(arguments: samples)
  func prefixesDecodeAsInLibjpeg(_ sample: JPEGSample) throws {
    let bytes = sample.bytes()
    for count in stride(from: 2, to: bytes.count, by: Rounds.areAll ? 5 : 50) {
      try expectAgreement(Array(bytes[..<count]), "\(count) of \(bytes.count) bytes")
    }
  }

  @Test(arguments: samples, [UInt64(20_261_121)])
  func flippedBitsDecodeAsInLibjpeg(_ sample: JPEGSample, _ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let original = sample.bytes()
    for round in 0..<Rounds.fewer(120) {
      var bytes = original
      for _ in 0...(round % 5) {
        let position = Int.random(in: 2..<bytes.count, using: &random)
        bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      }
      guard let header = try? JPEGHeader(bytes.span), header.info.size.width <= 1_000,
        header.info.size.height <= 1_000
      else { continue }
      try expectAgreement(bytes, within: 16, "seed \(seed), round \(round)")
    }
  }

  @Test(arguments: samples)
  func missingBytesAreDetected(_ sample: JPEGSample) throws {
    var random = SeededGenerator(seed: 5)
    let original = sample.bytes()
    for round in 0..<Rounds.fewer(60) {
      var bytes = original
      let start = Int.random(in: bytes.count / 2..<bytes.count, using: &random)
      bytes.removeSubrange(start..<min(start + 1 + round, bytes.count))
      try expectAgreement(bytes, "round \(round)")
    }
  }

  @Test func aRestartMarkerOutOfOrderIsLeftToLibjpeg() throws {
    let sample = JPEGSample(width: 64, height: 64, sampling: .full, restarts: 4)
    var bytes = sample.bytes()
    let index = try #require(
      bytes.indices.dropLast().first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xD1 }
    )
    bytes[index + 1] = 0xD5
    #expect(try BothDecoders.ours(bytes, eighths: 8) == nil)
    #expect(failure(of: bytes) == nil)
  }

  @Test func bytesBeforeARestartMarkerAreLeftToLibjpeg() throws {
    let sample = JPEGSample(width: 64, height: 64, sampling: .full, restarts: 4)
    var bytes = sample.bytes()
    let index = try #require(
      bytes.indices.dropLast().first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xD1 }
    )
    bytes.insert(contentsOf: [1, 2, 3], at: index)
    #expect(try BothDecoders.ours(bytes, eighths: 8) == nil)
  }

  @Test func aTruncatedPictureIsTheSameErrorAsBefore() throws {
    let bytes = JPEGSample(width: 640, height: 480, sampling: .quarter).bytes()
    let cut = Array(bytes[..<(bytes.count / 2)])
    #expect(failure(of: cut) == .truncated(.jpeg, offset: cut.count))
  }
}
