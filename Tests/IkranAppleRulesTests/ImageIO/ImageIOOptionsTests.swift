import IkranImageIO
import Testing

@Suite struct ImageIOOptionsTests {
  @Test func aSourceKeepsNoDecodedPictures() {
    #expect(ImageIOOptions.source.values == [.shouldCache: .flag(false)])
  }

  @Test func aPictureIsDecodedFromAllOfItsPixelsUprightAndInStandardRange() {
    #expect(
      ImageIOOptions.picture(longestSide: 640).values == [
        .thumbnailFromImageAlways: .flag(true),
        .thumbnailWithTransform: .flag(true),
        .thumbnailMaxPixelSize: .count(640),
        .shouldCache: .flag(false),
        .decodeRequest: .standardRange,
      ]
    )
  }

  @Test(arguments: [(80, 0.8), (0, 0), (100, 1), (-3, 0), (250, 1)])
  func qualityIsAShareOfOne(quality: Int, share: Double) {
    #expect(
      ImageIOOptions.encoding(quality: quality).values == [.lossyCompressionQuality: .share(share)]
    )
  }

  @Test func keysHaveTheNamesOfConstants() {
    for key in ImageIOOptions.Key.allCases { #expect(key.rawValue.hasPrefix("kCGImage")) }
  }
}
