import IkranCodecs
import IkranImageIO
import Testing

@Suite struct SourceStatusTests {
  /// By `CGImageSource.h`.
  @Test(arguments: [
    (Int32(-5), DecodeError.truncated(.heic, offset: 99)),
    (-4, .malformed(.heic, offset: 0, reason: "ImageIO cannot read it")),
    (-3, .unknownFormat(hint: nil)),
    (-2, .truncated(.heic, offset: 99)),
    (-1, .truncated(.heic, offset: 99)),
    (0, .unsupported(.heic, feature: "a picture that ImageIO does not decode")),
  ])
  func eachStatusIsAnError(status: Int32, error: DecodeError) throws {
    #expect(try #require(SourceStatus(rawValue: status)).error(.heic, byteCount: 99) == error)
  }

  @Test(arguments: SourceStatus.allCases)
  func withoutBytesEveryStatusIsThatOfNone(status: SourceStatus) {
    #expect(status.error(.jpeg, byteCount: 0) == .empty)
  }

  @Test func pixelsAreThereOnceThePictureHasBegun() {
    #expect(SourceStatus.allCases.filter(\.hasPixels) == [.incomplete, .complete])
  }
}
