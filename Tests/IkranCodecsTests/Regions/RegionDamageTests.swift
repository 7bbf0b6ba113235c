import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

/// Damaged files end in pixels or in an error, with and without an index.
@Suite(.timeLimit(.minutes(10)))
struct RegionDamageTests {
  private static let region = PixelRectangle(x: 19, y: 21, width: 12, height: 9)
  private static let files: [[UInt8]] = [
    JPEGSample(width: 61, height: 47, sampling: .quarter).bytes(),
    JPEGSample(width: 61, height: 47, sampling: .full, restarts: 3).bytes(),
    JPEGSample(width: 61, height: 47, sampling: .halfWide, isProgressive: true).bytes(),
    RandomPNG(
      size: PixelSize(width: 40, height: 37),
      depth: 8,
      color: 2,
      filters: [4, 3],
      seed: 9,
      chunkBytes: 700
    ).bytes,
  ]

  /// Decodes regions at two scales, above and below each other, and lets errors be.
  private func decode(_ bytes: [UInt8]) {
    // What cannot be probed has no decoder.
    guard var decoder = try? RegionDecoder(bytes.span),
      decoder.info.size.pixelCount ?? .max < 1 << 20
    else { return }
    let top = PixelRectangle(x: 3, y: 0, width: 20, height: 8)
    for region in [Self.region, top, Self.region] {
      _ = try? decoder.decode(region, of: bytes.span)
      _ = try? decoder.decode(region, of: bytes.span, size: PixelSize(width: 4, height: 3))
    }
  }

  @Test(arguments: files.indices)
  func everyTruncationIsPixelsOrAnError(_ index: Int) {
    let bytes = Self.files[index]
    for count in stride(from: 0, to: bytes.count, by: Rounds.areAll ? 1 : 29) {
      decode(Array(bytes.prefix(count)))
    }
  }

  @Test(arguments: files.indices, [UInt64(20_261_124)])
  func flippedBitsArePixelsOrAnError(_ index: Int, _ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<Rounds.fewer(1_000) {
      var bytes = Self.files[index]
      for _ in 0...Int.random(in: 0..<4, using: &random) {
        let position = Int.random(in: 2..<bytes.count, using: &random)
        bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      }
      decode(bytes)
    }
  }

  @Test(arguments: files.indices, [UInt64(20_261_125)])
  func missingBytesArePixelsOrAnError(_ index: Int, _ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<Rounds.fewer(300) {
      var bytes = Self.files[index]
      let start = Int.random(in: 2..<bytes.count, using: &random)
      bytes.removeSubrange(start..<min(start + Int(random.next() % 40), bytes.count))
      decode(bytes)
    }
  }

  /// Where the picture is right as far as it was read, a region has its pixels, whatever follows.
  @Test func aTruncationBelowARegionChangesNothing() throws {
    let original = JPEGSample(width: 61, height: 200, sampling: .full, restarts: 3).bytes()
    let expected = try Regions.part(Self.region, of: outcome(of: original).get())
    for count in stride(from: original.count * 2 / 5, to: original.count, by: 13) {
      let bytes = Array(original.prefix(count))
      let part = try outcome(of: bytes, .region(Self.region, Self.region.size)).get()
      #expect(Regions.areSame(part, expected), "\(count) bytes")
    }
  }

  @Test func aMissingRestartMarkerIsLeftToLibjpeg() throws {
    let sample = JPEGSample(width: 64, height: 256, sampling: .full, restarts: 4)
    var bytes = sample.bytes()
    let marker = try #require(
      bytes.indices.dropLast().first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xD1 }
    )
    bytes[marker + 1] = 0xD4
    let header = try JPEGHeader(bytes.span)
    let region = PixelRectangle(x: 8, y: 200, width: 16, height: 16)
    let reduction = JPEGReduction(try header.info.plan(.region(region, region.size)), header)
    let ours = BaselineDecoder.render(bytes.span, header, reduction, workspace: Workspace())
    #expect(ours == nil)
    #expect(failure(of: bytes, .region(region, region.size)) == nil)
  }
}
