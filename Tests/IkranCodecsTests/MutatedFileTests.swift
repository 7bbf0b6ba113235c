import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

/// Mutated JPEG files are decoded as by libjpeg, or left to it.
@Suite(.timeLimit(.minutes(10)))
struct MutatedFileTests {
  /// Small files of both kinds, and small ones of the corpus.
  private static let originals: [[UInt8]] = {
    var samples: [JPEGSample] = []
    for sampling in JPEGSample.Sampling.allCases {
      samples.append(JPEGSample(width: 37, height: 21, sampling: sampling, isOptimized: true))
      samples.append(JPEGSample(width: 49, height: 33, sampling: sampling, restarts: 3))
      for script in JPEGScript.allCases {
        var sample = JPEGSample(width: 49, height: 33, sampling: sampling, quality: 90)
        (sample.isProgressive, sample.script) = (true, script)
        sample.restarts = script == .late ? 5 : 0
        samples.append(sample)
      }
    }
    let corpus = Corpus.files(format: "jpeg").filter {
      (1...200).contains($0.width ?? 0) && (1...200).contains($0.height ?? 0)
    }
    return samples.map { $0.bytes() } + corpus.compactMap { try? $0.bytes() }
  }()

  /// How a file was changed.
  private enum Mutation: CaseIterable {
    case flip, set, remove, insert, move, marker, cut

    func apply(to bytes: inout [UInt8], _ random: inout SeededGenerator) {
      guard bytes.count > 64 else { return }
      let position = Int.random(in: 2..<bytes.count - 32, using: &random)
      let length = Int.random(in: 1...32, using: &random)
      let range = position..<position + length
      switch self {
      case .flip: bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case .set: bytes[position] = [0, 1, 0x7F, 0xFF].randomElement(using: &random) ?? 0
      case .remove: bytes.removeSubrange(range)
      case .insert: bytes.insert(contentsOf: Array(bytes[range]), at: position)
      case .move:
        let moved = Array(bytes[range])
        bytes.removeSubrange(range)
        let target = Int.random(in: 2..<bytes.count, using: &random)
        bytes.insert(contentsOf: moved, at: target)
      case .marker:
        // Headers, scans and their ends: where files of these kinds differ most.
        let markers = bytes.indices.dropLast().filter { bytes[$0] == 0xFF && bytes[$0 + 1] > 0 }
        guard let marker = markers.randomElement(using: &random) else { return }
        let byte = min(marker + 1 + length % 12, bytes.count - 1)
        let value = UInt8.random(in: 0...255, using: &random)
        // Without its first marker no file is taken for JPEG.
        if byte > 1 { bytes[byte] = value }
      case .cut: bytes.removeLast(length)
      }
    }
  }

  /// Values that no undamaged picture has saturate differently in the two transforms, so pixels may
  /// differ; they do so less with quantisation steps of 1.
  private func expectAgreement(_ bytes: [UInt8], _ comment: Comment) throws {
    guard let size = (try? JPEGHeader(bytes.span))?.info.size, size.width <= 500, size.height <= 500
    else { return }
    for eighths in [8, 1] {
      guard let ours = try? BothDecoders.ours(bytes, eighths: eighths) else { continue }
      let theirs = try? BothDecoders.libjpegs(bytes, eighths: eighths)
      let expected = try #require(theirs, comment)
      #expect(ours.size == expected.size, comment)
      guard eighths == 8 else { continue }
      guard !BothDecoders.areSame(ours, expected) else { continue }
      let even = Self.withStepsOfOne(bytes)
      let evens = try #require(try? BothDecoders.ours(even, eighths: eighths), comment)
      let distance = BothDecoders.meanDistance(evens, try BothDecoders.libjpegs(even, eighths: 8))
      #expect(distance < 16, comment)
    }
  }

  /// The same coefficients, with steps that make nothing of them too large.
  private static func withStepsOfOne(_ bytes: [UInt8]) -> [UInt8] {
    var (result, offset) = (bytes, 2)
    while let segment = JPEGTables.nextSegment(bytes.span, &offset), segment.marker != 0xDA {
      guard segment.marker == 0xDB else { continue }
      for table in stride(
        from: segment.payload.lowerBound,
        to: segment.payload.upperBound - 64,
        by: 65
      )
      where bytes[table] < 16 {
        for index in table + 1...table + 64 { result[index] = 1 }
      }
    }
    return result
  }

  @Test(arguments: 0..<UInt64(4))
  func mutatedFilesDecodeAsInLibjpeg(_ part: UInt64) throws {
    let seed = 20_261_124 + part
    var random = SeededGenerator(seed: seed)
    for round in 0..<Rounds.fewer(1_500) {
      let file = Int.random(in: 0..<Self.originals.count, using: &random)
      var bytes = Self.originals[file]
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        Mutation.allCases.randomElement(using: &random)?.apply(to: &bytes, &random)
      }
      try expectAgreement(bytes, "seed \(seed), round \(round), file \(file)")
    }
  }
}
