import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

/// Compares speculative decoding with decoding block by block.
@Suite(.timeLimit(.minutes(10)))
struct SpeculativeDecoderTests {
  /// Each is decoded speculatively: see ``everySampleIsDecodedSpeculatively(_:)``.
  private static let samples = JPEGSample.Sampling.allCases.flatMap { sampling in
    [
      JPEGSample(width: 401, height: 299, sampling: sampling),
      JPEGSample(width: 300, height: 201, sampling: sampling, quality: 98, isNoise: true),
      JPEGSample(width: 513, height: 257, sampling: sampling, quality: 30, isOptimized: true),
      JPEGSample(width: 401, height: 299, sampling: sampling, quality: 92, restarts: 300),
    ]
  }

  /// Pictures from the same bytes, decoded speculatively and block by block; nil where libjpeg must
  /// decode.
  private func both(
    _ bytes: [UInt8],
    eighths: Int
  ) throws -> (speculative: Bitmap?, sequential: Bitmap?) {
    (
      try BothDecoders.ours(bytes, eighths: eighths),
      try BothDecoders.ours(bytes, eighths: eighths, isSpeculative: false)
    )
  }

  private func expectSame(_ bytes: [UInt8], eighths: Int, _ comment: Comment) throws {
    let (speculative, sequential) = try both(bytes, eighths: eighths)
    guard let sequential else {
      #expect(speculative == nil, comment)
      return
    }
    #expect(BothDecoders.areSame(try #require(speculative, comment), sequential), comment)
  }

  /// Without this, the other tests could compare block by block with itself.
  @Test(arguments: samples)
  func everySampleIsDecodedSpeculatively(_ sample: JPEGSample) throws {
    let bytes = sample.bytes()
    let parsed = BaselineHeader(bytes.span)
    let header = try #require(parsed)
    let scale = JPEGScale(header.tables, eighths: 1)
    let meanBits = BaselineDecoder.meanBits(bytes.count, header, scale)
    #expect(meanBits >= BaselineDecoder.minimumMeanBits)
    let intervals = sample.restarts == 0 ? 1 : scale.blockCount / scale.blocksPerMCU / 300 + 1
    #expect((bytes.count - header.scanStart) / intervals > SegmentDecoder.minimumBytes)
  }

  @Test(arguments: Rounds.fewer(of: samples), [1, 2])
  func speculationChangesNothing(_ sample: JPEGSample, _ eighths: Int) throws {
    let (speculative, sequential) = try both(sample.bytes(), eighths: eighths)
    #expect(BothDecoders.areSame(try #require(speculative), try #require(sequential)))
  }

  @Test(arguments: samples.prefix(8))
  func flippedBitsGiveTheSame(_ sample: JPEGSample) throws {
    let seed: UInt64 = 20_261_122
    var random = SeededGenerator(seed: seed)
    let original = sample.bytes()
    for round in 0..<Rounds.fewer(40) {
      var bytes = original
      for _ in 0...(round % 3) {
        let position = Int.random(in: 700..<bytes.count, using: &random)
        bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      }
      try expectSame(bytes, eighths: 1, "seed \(seed), round \(round)")
    }
  }

  @Test(arguments: samples.prefix(4))
  func prefixesGiveTheSame(_ sample: JPEGSample) throws {
    let bytes = sample.bytes()
    for count in stride(from: 700, to: bytes.count, by: bytes.count / Rounds.fewer(60, atLeast: 6))
    {
      try expectSame(Array(bytes[..<count]), eighths: 1, "\(count) of \(bytes.count) bytes")
    }
  }

  @Test func missingBytesAreDetected() throws {
    let bytes = Self.samples[1].bytes()
    var random = SeededGenerator(seed: 7)
    for round in 0..<Rounds.fewer(40) {
      var short = bytes
      let start = Int.random(in: 700..<bytes.count - 1, using: &random)
      short.removeSubrange(start..<min(start + 1 + round, bytes.count))
      try expectSame(short, eighths: 1, "round \(round)")
    }
  }

  /// The window slides, and segments have all lengths.
  @Test func aPictureOfSeveralWindowsIsTheSame() throws {
    let sample = JPEGSample(
      width: 640,
      height: 500,
      sampling: .full,
      quality: 100,
      isNoise: true
    )
    let bytes = sample.bytes()
    try #require(bytes.count > 2 * SegmentDecoder.maximumWindowBytes)
    try expectSame(bytes, eighths: 1, "\(bytes.count) bytes")
  }

  /// No codeword is all ones.
  @Test func bitsOfNoCodewordAreDetected() throws {
    let bytes = Self.samples[0].bytes()
    for start in [800, bytes.count / 2] {
      let ones = (0..<40_000).flatMap { _ in [0xFF, 0x00] as [UInt8] }
      let filled = Array(bytes[..<start]) + ones + Array(bytes[start...])
      try expectSame(filled, eighths: 1, "from \(start)")
    }
  }

  /// Segments end when their capacity is used up, here in the flat rows below the noise.
  @Test func manySmallBlocksAreTheSame() throws {
    var random = SeededGenerator(seed: 3)
    var canvas = try Canvas(size: PixelSize(width: 1_200, height: 1_200), format: .bgrx)
    let bytesPerRow = canvas.bytesPerRow
    canvas.withMutableBytes { bytes in
      for index in 0..<bytesPerRow * 200 {
        bytes[index] = UInt8.random(in: 0...255, using: &random)
      }
    }
    let bytes = try canvas.finish().encoded(as: .jpeg(quality: 85))
    try expectSame(bytes, eighths: 1, "\(bytes.count) bytes")
  }

  @Test(arguments: [JPEGSample.Sampling.quarter, .full])
  func croppedPicturesAreTheSame(_ sampling: JPEGSample.Sampling) throws {
    let bytes = JPEGSample(width: 2_000, height: 500, sampling: sampling).bytes()
    let target = PixelSize(width: 20, height: 20)
    let header = try JPEGHeader(bytes.span)
    let plan = RenderPlan(stored: header.info.size, orientation: .up, fitting: .cover(target))
    let size = PixelSize(width: 250, height: 63)
    let reduction = JPEGReduction(
      eighths: 1,
      decodedSize: size,
      plan: plan.scaled(to: size, numerator: 1, denominator: 8)
    )
    let pictures = [true, false].map { isSpeculative in
      BaselineDecoder.render(
        bytes.span,
        header,
        reduction,
        workspace: Workspace(),
        isSpeculative: isSpeculative
      )
    }
    let speculative = try #require(pictures[0])
    #expect(BothDecoders.areSame(speculative, try #require(pictures[1])))
  }

  @Test(
    .enabled(if: Corpus.isAvailable, "set IKRAN_CORPUS"),
    arguments: Rounds.fewer(of: Corpus.files(format: "jpeg"))
  )
  func filesOfTheCorpusAreTheSame(_ file: Corpus.File) throws {
    let bytes = try file.bytes()
    guard (try? JPEGHeader(bytes.span)) != nil else { return }
    try expectSame(bytes, eighths: 1, "\(file)")
  }
}
