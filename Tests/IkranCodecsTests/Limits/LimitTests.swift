import IkranCodecs
import IkranPixels
import TestBasics
import Testing

@Suite(.timeLimit(.minutes(10))) struct LimitTests {
  @Test func tooManyPixelsAreRefused() throws {
    var limits = DecodeLimits()
    limits.maximumPixels = 48 * 32 - 1
    let error = failure(of: try Fixtures.bytes("areas-420.jpg"), limits: limits)
    #expect(error == .overLimit(.pixels, value: 48 * 32, limit: 48 * 32 - 1))
  }

  @Test func aTooLongSideIsRefused() throws {
    let error = failure(of: try Fixtures.bytes("header-100000x100000.png"))
    #expect(error == .overLimit(.dimension, value: 100_000, limit: 65_535))
  }

  @Test func billionsOfPixelsAreRefused() throws {
    let error = failure(of: try Fixtures.bytes("header-65500x65500.jpg"))
    #expect(error == .overLimit(.declaredPixels, value: 4_290_250_000, limit: 1_000_000_000))
  }

  @Test(arguments: ["animation-3-frames.gif", "animation-3-frames.png", "animation-3-frames.webp"])
  func tooManyFramesAreRefused(_ name: String) throws {
    var limits = DecodeLimits()
    limits.maximumFrames = 2
    let error = failure(of: try Fixtures.bytes(name), limits: limits)
    #expect(error == .overLimit(.frames, value: 3, limit: 2))
  }

  @Test func tooManyBytesAreRefused() throws {
    let bytes = try Fixtures.bytes("indexed.gif")
    var limits = DecodeLimits()
    limits.maximumBytes = bytes.count - 1
    let wanted = DecodeError.overLimit(.bytes, value: bytes.count, limit: bytes.count - 1)
    #expect(failure(of: bytes, limits: limits) == wanted)
  }

  @Test func exactlyTheLimitIsFine() throws {
    let bytes = try Fixtures.bytes("areas-420.jpg")
    var limits = DecodeLimits()
    limits.maximumPixels = 48 * 32
    limits.maximumDimension = 48
    limits.maximumFrames = 1
    limits.maximumBytes = bytes.count
    #expect(failure(of: bytes, limits: limits) == nil)
  }

  @Test func aCodecChecksLimitsWithoutAList() throws {
    let bytes = try Fixtures.bytes("areas-420.jpg")
    var limits = DecodeLimits()
    limits.maximumBytes = 10
    #expect(throws: DecodeError.overLimit(.bytes, value: bytes.count, limit: 10)) {
      try JPEGDecoder()
        .decode(
          bytes.span,
          fitting: .original,
          rules: DecodeRules(limits: limits),
          workspace: Workspace()
        )
    }
  }
}
