import Ikran
import IkranImageIO
import IkranPlayback
import Testing

/// What ImageIO decodes and encodes.
struct ImageIOTests {
  private static let codecs = CodecList(ImageIOCodec.all)

  @Test func aFileOfIkransIsDecodedByImageIO() throws {
    let file = try Pictures.bitmap(2).encoded(as: .png)
    let picture = try Self.codecs.decode(file.span)
    #expect(picture.bitmap.size == PixelSize(width: 16, height: 16))
    #expect(picture.bitmap.color(x: 8, y: 8) == Pictures.color(2))
  }

  @Test func aFileOfImageIOsIsDecodedByIt() throws {
    let file = try Pictures.bitmap(2).encodedByImageIO(as: .jpeg(quality: 95))
    let picture = try Self.codecs.decode(file.span)
    #expect(Pictures.isNear(picture.bitmap.color(x: 8, y: 8), Pictures.color(2)))
  }

  @Test func aJPEGOfImageIOsIsDecodedByIkran() throws {
    let file = try Pictures.bitmap(2).encodedByImageIO(as: .jpeg(quality: 95))
    let picture = try CodecList.standard.decode(file.span)
    #expect(Pictures.isNear(picture.bitmap.color(x: 8, y: 8), Pictures.color(2)))
  }

  @Test func anHEICIsDecodedWhereThereIsAnEncoder() throws {
    guard let file = try? Pictures.bitmap(2).encodedByImageIO(as: .heic(quality: 95)) else {
      return
    }
    let picture = try CodecList.withImageIO.decode(file.span)
    #expect(Pictures.isNear(picture.bitmap.color(x: 8, y: 8), Pictures.color(2)))
  }

  @Test func aFileOverTheLimitsIsRefused() throws {
    let file = try Pictures.bitmap(2).encoded(as: .png)
    var rules = DecodeRules()
    rules.limits.maximumDimension = 8
    let picture = try? Self.codecs.decode(file.span, rules: rules)
    #expect(picture == nil)
  }

  @Test func allFramesOfAFileAreComposed() async throws {
    let file = try await Pictures.animation(1).encoded(as: .png)
    let source = try #require(try Self.codecs.frames(of: file))
    let animation = try Animation(source)
    let expected = try Pictures.animation(1)
    #expect(animation.frameCount == expected.frameCount)
    #expect(animation.durations == expected.durations)
    for number in 0..<animation.frameCount {
      let frame = try await animation.decodedFrame(at: number)
      let color = try await expected.decodedFrame(at: number).color(x: 8, y: 8)
      #expect(Pictures.isNear(frame.color(x: 8, y: 8), try #require(color)))
    }
  }

  @Test func anAnimatedPNGIsAStillForIkransOwnCodec() async throws {
    let file = try await Pictures.animation(1).encoded(as: .png)
    let frames = try CodecList.standard.frames(of: file)
    #expect(frames == nil)
    let picture = try CodecList.standard.decode(file.span)
    #expect(picture.bitmap.color(x: 8, y: 8) == Pictures.color(1))
  }
}
