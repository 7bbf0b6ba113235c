import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

/// This package's decoder leaves damaged progressive files to libjpeg.
@Suite(.timeLimit(.minutes(10)))
struct ProgressiveDamageTests {
  private static let samples = JPEGSample.Sampling.allCases.flatMap { sampling in
    JPEGScript.allCases.map { script in
      var sample = JPEGSample(width: 37, height: 33, sampling: sampling, quality: 80)
      (sample.isProgressive, sample.script) = (true, script)
      sample.restarts = script == .late ? 3 : 0
      return sample
    }
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
    for eighths in [8, 2, 1] {
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
  func everyPrefixIsLeftToLibjpeg(_ sample: JPEGSample) throws {
    let bytes = sample.bytes()
    for count in Rounds.fewer(of: Array(2..<bytes.count)) {
      for eighths in [8, 1] {
        let ours = try? BothDecoders.ours(Array(bytes[..<count]), eighths: eighths)
        #expect(ours == nil, "\(count) of \(bytes.count) bytes")
      }
    }
  }

  @Test func aTruncatedPictureIsTheSameErrorAtEverySize() throws {
    var sample = JPEGSample(width: 1_300, height: 1_300, sampling: .quarter)
    sample.isProgressive = true
    let bytes = sample.bytes()
    for count in [bytes.count / 4, bytes.count / 2, bytes.count - 3] {
      let cut = Array(bytes[..<count])
      for side in [48, 120] {
        let fitting = Fitting.cover(PixelSize(width: side, height: side))
        #expect(throws: DecodeError.truncated(.jpeg, offset: count)) {
          try outcome(of: cut, fitting).get()
        }
      }
    }
  }

  @Test func bytesAfterTheEndAreIgnored() throws {
    let bytes = Self.samples[0].bytes()
    let ours = try #require(try BothDecoders.ours(bytes + [0xFF, 1, 2, 3], eighths: 8))
    #expect(BothDecoders.areSame(ours, try BothDecoders.libjpegs(bytes, eighths: 8)))
  }

  @Test(arguments: samples, [UInt64(20_261_124)])
  func flippedBitsDecodeAsInLibjpeg(_ sample: JPEGSample, _ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let original = sample.bytes()
    for round in 0..<Rounds.fewer(400) {
      var bytes = original
      for _ in 0...(round % 3) {
        let position = Int.random(in: 2..<bytes.count, using: &random)
        bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      }
      guard let header = try? JPEGHeader(bytes.span), header.info.size.width <= 1_000,
        header.info.size.height <= 1_000
      else { continue }
      try expectAgreement(bytes, within: 16, "\(sample), seed \(seed), round \(round)")
    }
  }

  @Test(arguments: samples, [UInt64(5)])
  func missingBytesAreDetected(_ sample: JPEGSample, _ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let original = sample.bytes()
    for round in 0..<Rounds.fewer(100) {
      var bytes = original
      let start = Int.random(in: bytes.count / 3..<bytes.count - 2, using: &random)
      bytes.removeSubrange(start..<min(start + 1 + round / 4, bytes.count - 2))
      try expectAgreement(bytes, within: 16, "\(sample), seed \(seed), round \(round)")
    }
  }

  @Test func damageInAScanThatIsSkippedIsNotSeen() throws {
    var sample = JPEGSample(width: 64, height: 64, sampling: .full)
    (sample.isProgressive, sample.script) = (true, .bands)
    var bytes = sample.bytes()
    // In the last scan, which has only coefficients that an eighth does not need.
    for index in bytes.count - 12..<bytes.count - 8 { bytes[index] = 0x55 }
    #expect(try BothDecoders.ours(bytes, eighths: 1) != nil)
    #expect(try BothDecoders.ours(bytes, eighths: 8) == nil)
  }

  @Test func aMissingScanIsLeftToLibjpeg() throws {
    let bytes = Self.samples[0].bytes()
    let scans = bytes.indices.dropLast().filter { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xDA }
    let last = try #require(scans.last)
    #expect(try BothDecoders.ours(Array(bytes[..<last]) + [0xFF, 0xD9], eighths: 1) == nil)
  }

  @Test func aRestartMarkerOutOfOrderIsLeftToLibjpeg() throws {
    var sample = JPEGSample(width: 64, height: 64, sampling: .full, restarts: 4)
    sample.isProgressive = true
    var bytes = sample.bytes()
    let index = try #require(
      bytes.indices.dropLast().first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xD1 }
    )
    bytes[index + 1] = 0xD5
    #expect(try BothDecoders.ours(bytes, eighths: 8) == nil)
    #expect(failure(of: bytes) == nil)
  }

  @Test(arguments: ["areas-cmyk.jpg", "areas-420.jpg"])
  func otherProcessesAreRefused(_ name: String) throws {
    let bytes = try Fixtures.bytes(name)
    #expect(bytes.withUnsafeBufferPointer { ProgressiveHeader($0) } == nil)
  }
}
