import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

/// Scan scripts that are made to take long.
@Suite(.timeLimit(.minutes(10)))
struct ProgressiveLimitTests {
  private static let large = PixelSize(width: 5_000, height: 4_000)
  private static let small = PixelSize(width: 64, height: 48)
  private static let thumbnail = Fitting.cover(PixelSize(width: 96, height: 96))

  /// A scan of means, then each coefficient on its own, bit by bit: `count` scans of them, then
  /// what is left in as few scans as possible.
  private func scans(_ count: Int) -> [EmptyScans.Scan] {
    var scans: [EmptyScans.Scan] = [(0, 0, 0, 0)]
    for coefficient in 1...63 {
      scans.append((coefficient, coefficient, 0, 13))
      for low in (0..<13).reversed() {
        scans.append((coefficient, coefficient, low + 1, low))
        guard scans.count > count, low == 0 else { continue }
        if coefficient < 63 { scans.append((coefficient + 1, 63, 0, 0)) }
        return scans
      }
    }
    return scans
  }

  @Test(arguments: [1, 10, 300])
  func smallPicturesMayHaveManyScans(_ count: Int) throws {
    let bytes = EmptyScans(size: Self.small, scans: scans(count)).bytes()
    for eighths in [8, 4, 2, 1] {
      let ours = try #require(try BothDecoders.ours(bytes, eighths: eighths))
      let theirs = try BothDecoders.libjpegs(bytes, eighths: eighths)
      #expect(BothDecoders.areSame(ours, theirs), "\(eighths)/8")
    }
  }

  @Test func hundredsOfScansAreOverTheLimit() throws {
    let bytes = EmptyScans(size: Self.small, scans: scans(880)).bytes()
    for fitting in [Fitting.original, Self.thumbnail] {
      #expect(throws: DecodeError.overLimit(.scans, value: 501, limit: 500)) {
        try outcome(of: bytes, fitting).get()
      }
    }
  }

  /// A thumbnail needs none of these scans, but its verdict is that of the whole picture.
  @Test func refinementsOfNothingCountWhereTheyAreSkipped() throws {
    let bytes = EmptyScans(size: Self.large, scans: scans(200)).bytes()
    #expect(bytes.count < 60_000)
    guard case .failure(.overLimit(.scans, _, _)) = outcome(of: bytes, Self.thumbnail) else {
      Issue.record("\(outcome(of: bytes, Self.thumbnail))")
      return
    }
    #expect(try BothDecoders.ours(bytes, covering: PixelSize(width: 96, height: 96)) == nil)
  }

  @Test func aLargePictureWithinTheLimitIsDecodedHere() throws {
    let bytes = EmptyScans(size: Self.large, scans: scans(60)).bytes()
    let size = PixelSize(width: 96, height: 96)
    #expect(try BothDecoders.ours(bytes, covering: size) != nil)
  }

  @Test(arguments: [1, 40, 48, 49, 65_535])
  func restartIntervalsOfEveryLengthAreExact(_ interval: Int) throws {
    let scans: [EmptyScans.Scan] = [(0, 0, 0, 1), (1, 63, 0, 1), (1, 63, 1, 0), (0, 0, 1, 0)]
    let bytes = EmptyScans(size: Self.small, scans: scans, restarts: interval).bytes()
    let ours = try #require(try BothDecoders.ours(bytes, eighths: 8))
    #expect(BothDecoders.areSame(ours, try BothDecoders.libjpegs(bytes, eighths: 8)))
  }

  @Test(
    arguments: [
      [(0, 0, 0, 0), (0, 0, 1, 0)], [(1, 63, 0, 0), (0, 0, 0, 0)], [(0, 0, 0, 0), (1, 63, 1, 0)],
      [(0, 0, 0, 0), (1, 63, 0, 1)], [(0, 0, 0, 0), (1, 62, 0, 0)],
      [(0, 0, 0, 0), (1, 63, 0, 2), (1, 63, 2, 0)], [(0, 63, 0, 0)],
    ] as [[EmptyScans.Scan]]
  )
  func otherScriptsAreLeftToLibjpeg(_ scans: [EmptyScans.Scan]) throws {
    let bytes = EmptyScans(size: Self.small, scans: scans).bytes()
    for eighths in [8, 1] {
      let ours = try BothDecoders.ours(bytes, eighths: eighths)
      #expect(ours == nil)
    }
  }
}
