import IkranCodecs
import IkranPixels
import TestBasics
import Testing

@testable import IkranIsolation

/// What travels between two processes, also when the other one runs a stranger's code.
@Suite struct WireTests {
  private func sent<Value: Wired>(_ value: Value) throws -> Value {
    var writer = WireWriter()
    value.write(to: &writer)
    var reader = WireReader(writer.bytes)
    return try Value(from: &reader)
  }

  @Test(arguments: [
    DecodeError.empty, .unknownFormat(hint: nil), .unknownFormat(hint: "a ZIP file"),
    .truncated(.avif, offset: 7), .malformed(.svg, offset: 0, reason: "ünïcode"),
    .overLimit(.animationPixels, value: .max, limit: 1), .unsupported(.tiff, feature: "x"),
    .bitmap(.outOfMemory(bytes: 5)), .bitmap(.invalidAngle), .noPage(.tiff, -3, count: 2),
    .bitmap(
      .outside(PixelRectangle(x: 1, y: 2, width: 3, height: 4), of: PixelSize(width: 5, height: 6))
    ),
  ])
  func anErrorArrivesAsItIs(error: DecodeError) throws { #expect(try sent(error) == error) }

  @Test func everythingThatIsKnownOfAFileArrives() throws {
    var info = ImageInfo(format: .gif, size: PixelSize(width: 3, height: 2))
    (info.orientation, info.frames, info.durations) = (.leftMirrored, 2, [10, 0])
    (info.loops, info.hasAlpha, info.bitsPerChannel, info.hasICCProfile) = (0, true, 16, true)
    #expect(try sent(info) == info)
    let animation = AnimationInfo(
      format: .png,
      size: PixelSize(width: 4, height: 5),
      hasAlpha: true,
      frames: [.init(duration: 40, isKey: true, isBase: false)],
      plays: 3,
      end: .broken(.truncated(.png, offset: 9))
    )
    #expect(try sent(animation) == animation)
  }

  @Test func rulesArriveAsTheyAre() throws {
    var limits = DecodeLimits()
    limits.maximumPixels = 5
    var rules = DecodeRules(
      limits: limits,
      colors: .keepProfile,
      acceptsCutFiles: true,
      scalesDownOverLimit: true,
      page: 7
    )
    rules.usesThumbnails = false
    #expect(try sent(rules) == rules)
  }

  @Test func aRequestOfAnotherVersionIsRefused() throws {
    var writer = WireWriter()
    DecoderRequest.probe(.png).write(to: &writer)
    var bytes = writer.bytes
    bytes[0] += 1
    var reader = WireReader(bytes)
    #expect(throws: WireReader.Garbled.self) { try DecoderRequest(from: &reader) }
  }

  @Test func bytesThatAreNoAnswerAreRefusedAndNeverTrap() throws {
    let seed = UInt64.random(in: 0 ... .max)
    print("seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    var writer = WireWriter()
    let picture = DecoderResponse.Picture(
      size: PixelSize(width: 3, height: 2),
      format: .bgra,
      profile: [1, 2, 3],
      notes: [.checksumWrong, .profileIgnored(reason: "none")]
    )
    DecoderResponse.picture(picture).write(to: &writer)
    for _ in 0..<Rounds.fewer(100_000) {
      var bytes = writer.bytes
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        bytes[place] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &generator) ?? 0
      }
      bytes.removeLast(Int.random(in: 0...bytes.count, using: &generator))
      var reader = WireReader(bytes)
      if case .picture(let picture) = try? DecoderResponse(from: &reader) { _ = picture.byteCount }
    }
  }

  @Test func sizesThatNoPictureHasAreRefused() throws {
    var writer = WireWriter()
    writer.add(0)
    ImageInfo(format: .png, size: PixelSize(width: .max, height: 2)).write(to: &writer)
    var reader = WireReader(writer.bytes)
    #expect(throws: WireReader.Garbled.self) { try DecoderResponse(from: &reader) }
  }

  @Test(arguments: [
    (DecoderResponse.Picture(size: PixelSize(width: 100, height: 100), format: .bgra), true),
    (.init(size: PixelSize(width: 101, height: 100), format: .bgra), false),
    (.init(size: PixelSize(width: 10, height: 10), format: .gray), false),
  ])
  func aPictureIsTakenWithinTheLimits(_ picture: DecoderResponse.Picture, isTaken: Bool) {
    var rules = DecodeRules()
    rules.limits.maximumPixels = 10_000
    let request = DecoderRequest.decode(.avif, .original, rules)
    #expect(request.mayBring(.picture(picture)) == isTaken)
  }

  @Test func whatPadsRowsIsNoReasonToRefuseALargePicture() {
    let request = DecoderRequest.decode(.tiff, .original, DecodeRules())
    let large = PixelSize(width: 10_954, height: 9_128)
    #expect(request.mayBring(.picture(.init(size: large, format: .bgra))))
  }

  @Test func aHeaderBringsNoPictureAndNoFrames() {
    let picture = DecoderResponse.Picture(size: PixelSize(width: 1, height: 1), format: .bgra)
    #expect(!DecoderRequest.probe(.avif).mayBring(.picture(picture)))
    #expect(!DecoderRequest.decode(.avif, .original, DecodeRules()).mayBring(.notOpen))
  }

  @Test func rowsOfNarrowPicturesTakeNoMoreMemoryThanTheLimitsGive() {
    let request = DecoderRequest.decode(.avif, .original, DecodeRules())
    let narrow = PixelSize(width: 1, height: 33_000_000)
    #expect(!request.mayBring(.picture(.init(size: narrow, format: .bgra))))
  }

  @Test func noMoreFramesAreTakenThanTheLimitsAllow() {
    var rules = DecodeRules()
    rules.limits.maximumFrames = 2
    let request = DecoderRequest.frames(.init(format: .avif, isPrefix: false, rules: rules))
    let frame = AnimationInfo.Frame(duration: 40, isKey: true, isBase: false)
    for count in [2, 3] {
      let info = AnimationInfo(
        format: .avif,
        size: PixelSize(width: 4, height: 4),
        hasAlpha: false,
        frames: Array(repeating: frame, count: count),
        plays: nil
      )
      #expect(request.mayBring(.frames(info)) == (count == 2))
    }
  }
}
