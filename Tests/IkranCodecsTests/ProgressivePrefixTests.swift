import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

/// How many of a progressive file's bytes a thumbnail needs.
@Suite(.timeLimit(.minutes(10)))
struct ProgressivePrefixTests {
  private static func sample(_ sampling: JPEGSample.Sampling, _ script: JPEGScript) -> [UInt8] {
    var sample = JPEGSample(width: 1_600, height: 1_500, sampling: sampling)
    (sample.isProgressive, sample.script) = (true, script)
    return sample.bytes()
  }

  private func render(_ bytes: [UInt8], _ target: PixelSize, isPrefix: Bool) throws -> Bitmap? {
    let header = try JPEGHeader(bytes.span)
    let size = header.info.size
    let plan = RenderPlan(stored: size, orientation: .up, fitting: .cover(target))
    return ProgressiveDecoder.render(
      bytes.span,
      header,
      JPEGReduction(plan, header),
      workspace: Workspace(),
      isPrefix: isPrefix
    )
  }

  private func sufficientCount(_ bytes: [UInt8], side: Int) -> Int? {
    let target = PixelSize(width: side, height: side)
    return JPEGPrefix(bytes.span)?.sufficientByteCount(for: .cover(target))
  }

  @Test(arguments: [JPEGSample.Sampling.gray, .full, .quarter], JPEGScript.allCases)
  func thoseBytesGiveThePixelsOfTheWholeFile(
    _ sampling: JPEGSample.Sampling,
    _ script: JPEGScript
  ) throws {
    let bytes = Self.sample(sampling, script)
    for side in [48, 120, 1_500] {
      let target = PixelSize(width: side, height: side)
      let count = try #require(sufficientCount(bytes, side: side))
      let prefix = Array(bytes[..<count])
      let whole = try #require(try render(bytes, target, isPrefix: false))
      // The next marker tells that the scan is whole.
      let early = try #require(
        try render(Array(bytes[..<(count + 2)]), target, isPrefix: true)
      )
      #expect(BothDecoders.areSame(early, whole))
      #expect(sufficientCount(prefix, side: side) == nil)
      #expect(try render(prefix, target, isPrefix: true) == nil)
    }
  }

  @Test func aSmallThumbnailNeedsLessThanHalfOfTheFile() throws {
    let bytes = Self.sample(.quarter, .bands)
    let count = try #require(sufficientCount(bytes, side: 48))
    #expect(count < bytes.count / 2)
  }

  @Test func aBaselineFileNeedsAllOfItsBytes() throws {
    let bytes = JPEGSample(width: 400, height: 400, sampling: .quarter).bytes()
    #expect(sufficientCount(bytes, side: 48) == nil)
  }

  @Test func everyShorterPrefixNeedsMore() throws {
    let bytes = Self.sample(.quarter, .standard)
    let count = try #require(sufficientCount(bytes, side: 48))
    for length in stride(from: 0, to: count + 2, by: Rounds.areAll ? 7 : 997) {
      let prefix = Array(bytes[..<length])
      #expect(sufficientCount(prefix, side: 48) == nil)
    }
    let enough = Array(bytes[..<(count + 2)])
    #expect(sufficientCount(enough, side: 48) == count)
  }
}
