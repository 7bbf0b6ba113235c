import IkranCodecs
import IkranImageIO
import Testing

@Suite struct FrameTimingTests {
  @Test(
    arguments: [
      (0.02, 0.1, 20), (0.1, 0.1, 100), (0.0166, 0.1, 17), (nil, 0.5, 500), (0, 0.1, 0),
      (-1, 0.1, 0), (Double.nan, 0.1, 0), (.infinity, 0.1, 0), (1e300, nil, 2_592_000_000),
    ] as [(Double?, Double?, Int)]
  )
  func theUnclampedTimeIsTheFiles(unclamped: Double?, clamped: Double?, time: Int) {
    #expect(FrameTiming.milliseconds(unclamped: unclamped, clamped: clamped) == time)
  }

  @Test func aPictureWithoutATimeHasNone() {
    #expect(FrameTiming.milliseconds(unclamped: nil, clamped: nil) == nil)
  }

  /// 20 ms stay, and what is faster than browsers play is 100 ms.
  @Test(arguments: [(0.02, 20), (0.011, 11), (0.01, 100), (0, 100)])
  func framesAreShownAsLongAsInBrowsers(unclamped: Double, time: Int) throws {
    let said = try #require(FrameTiming.milliseconds(unclamped: unclamped, clamped: 0.1))
    #expect(AnimationInfo.Frame(duration: said, isKey: true, isBase: false).duration == time)
  }

  @Test(
    arguments: [
      (0, ImageFormat.gif, nil), (3, .gif, 3), (nil, .gif, 1), (nil, .png, nil), (1, .webp, 1),
      (-2, .png, nil),
    ] as [(Int?, ImageFormat, Int?)]
  )
  func zeroIsForEver(count: Int?, format: ImageFormat, plays: Int?) {
    #expect(FrameTiming.plays(count, format) == plays)
  }
}
