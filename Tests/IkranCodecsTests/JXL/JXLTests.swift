#if JXL
import IkranCodecs
import IkranPixels
import TestBasics
import Testing

@Suite(.timeLimit(.minutes(10))) struct JXLTests {
  @Test func onePixelIsDecoded() throws {
    let info = try probe(JXLSample.pixel).get()
    #expect(info.size == PixelSize(width: 1, height: 1))
    #expect(info.format == .jpegXL)
    let bitmap = try outcome(of: JXLSample.pixel).get()
    #expect(bitmap.size == info.size)
    #expect(bitmap.format == .bgrx)
    #expect(bitmap.pixels[0][0].alpha == 255)
  }

  @Test func displayP3HasTheWhiteOfScreens() throws {
    let samples = try Fixtures.bytes("areas-wide.png")
    let rules = DecodeRules(colors: .untouched)
    let wide = try outcome(of: samples, by: rules).get().bitmap
    let plain = try wide.encoded(as: .png)
    let named = ColorFiles.png(plain, [("cICP", [12, 13, 0, 1])])
    let expected = try outcome(of: named).get()
    let found = try outcome(of: Fixtures.bytes("areas-p3.jxl")).get()
    #expect(found.distance(to: expected) <= 1)
    #expect(found.distance(to: wide) > 5)
  }

  @Test func onePixelIsEnlarged() throws {
    let size = PixelSize(width: 5, height: 3)
    let first = try outcome(of: JXLSample.pixel).get().pixels[0][0]
    let bitmap = try outcome(of: JXLSample.pixel, .cover(size)).get()
    #expect(bitmap.size == size)
    #expect(bitmap.pixels.joined().allSatisfy { $0.distance(to: first) <= 1 })
  }

  @Test func theFirstFrameOfAnAnimationIsItsStill() throws {
    let bitmap = try outcome(of: JXLSample.animation).get()
    #expect(bitmap.size == PixelSize(width: 48, height: 36))
    let frames = try animation(JXLSample.animation).composed()
    #expect(bitmap.pixels == frames[0].pixels)
    #expect(bitmap.pixels[0][0] == Pixel(0, 0, 0))
  }

  @Test func theHeaderHasTheFramesAndTheirTiming() throws {
    let info = try probe(JXLSample.animation).get()
    #expect(info.frames == 4)
    #expect(info.durations == [100, 250, 40, 500])
    #expect(info.loops == 0)
    #expect(info.hasAlpha)
    let frames = try animation(JXLSample.animation).info
    #expect(frames.frames.map(\.duration) == [100, 250, 40, 500])
    #expect(frames.plays == nil)
    #expect(frames.isComplete)
    #expect(frames.hasAlpha)
  }

  @Test func framesAreComposedInAnyOrder() throws {
    let source = try animation(JXLSample.animation)
    let frames = try source.composed()
    #expect(Set(frames.map(\.pixels)).count == 4)
    let composer = source.makeComposer()
    for frame in [3, 1, 1, 0, 2] {
      #expect(try composer.compose(frame).pixels == frames[frame].pixels)
    }
    let size = PixelSize(width: 12, height: 9)
    let small = try composer.compose(2, from: nil, fitting: .cover(size), workspace: Workspace())
    #expect(small.size == size)
    #expect(throws: DecodeError.self) { try composer.compose(4) }
  }

  @Test func theBeginningOfAnAnimationHasTheFramesThatAreThere() throws {
    let bytes = JXLSample.animation
    let whole = try animation(bytes).composed()
    var counts: Set<Int> = []
    for count in stride(from: 20, to: bytes.count, by: 7) {
      let part = Array(bytes[..<count])
      guard let source = try? animation(part, isPrefix: true) else { continue }
      #expect(source.info.end == .arriving)
      counts.insert(source.info.frames.count)
      for (frame, bitmap) in try source.composed().enumerated() {
        #expect(bitmap.pixels == whole[frame].pixels)
      }
      let broken = try animation(part)
      #expect(broken.info.end == .broken(.truncated(.jpegXL, offset: count)))
    }
    #expect(counts == [1, 2, 3])
  }

  @Test func channelsOtherThanColoursAndAlphaAreNotShown() throws {
    let plain = try outcome(of: Fixtures.bytes("areas-lossless.jxl")).get()
    let found = try outcome(of: Fixtures.bytes("areas-depth.jxl")).get()
    #expect(found.format == .bgrx)
    #expect(found.pixels == plain.pixels)
    let many = failure(of: try Fixtures.bytes("areas-five-channels.jxl"))
    #expect(many == .unsupported(.jpegXL, feature: "more channels than a picture has"))
  }

  @Test func aLaterBeginningIsSharper() throws {
    // Four groups, which arrive one after the other once the means are there.
    let sample = PNGSample(size: PixelSize(width: 512, height: 512)) { x, y in
      [UInt16(x * 127), UInt16((x ^ y) & 31) << 11, UInt16(y * 127)]
    }
    let file = try outcome(of: sample.bytes).get().encoded(as: .jpegXL())
    let whole = try outcome(of: file).get()
    let faults = try stride(from: 16, through: 64, by: 16).compactMap { part -> Double? in
      let picture = try CodecList.standard.decodePrefix(
        Array(file[..<(file.count * part / 66)]).span,
        fitting: .original,
        rules: DecodeRules(),
        workspace: Workspace()
      )
      return picture.map { BothDecoders.meanDistance($0.bitmap, whole) }
    }
    #expect(faults.count >= 2)
    #expect(zip(faults, faults.dropFirst()).allSatisfy { $0 > $1 }, "\(faults)")
  }

  @Test func everyBeginningIsAnErrorOrAPicture() {
    for bytes in [JXLSample.pixel, JXLSample.animation] {
      for count in 0..<bytes.count {
        let part = Array(bytes[..<count])
        _ = probe(part)
        _ = outcome(of: part, by: DecodeRules(acceptsCutFiles: true))
      }
    }
    let cut = Array(JXLSample.pixel.dropLast(3))
    #expect(failure(of: cut) == .truncated(.jpegXL, offset: cut.count))
  }

  @Test func changedBytesAreErrorsOrPictures() {
    var random = SeededGenerator(seed: 20_261_126)
    for _ in 0..<Rounds.fewer(600, atLeast: 60) {
      var bytes = JXLSample.animation
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: 2..<bytes.count, using: &random)
        bytes[place] = UInt8.random(in: 0...255, using: &random)
      }
      var limits = DecodeLimits()
      limits.maximumPixels = 1_000_000
      _ = outcome(of: bytes, limits: limits)
      guard let source = try? animation(bytes, limits: limits) else { continue }
      let composer = source.makeComposer()
      for frame in source.info.frames.indices.prefix(4) { _ = try? composer.compose(frame) }
    }
  }

  @Test func limitsAreKept() {
    var limits = DecodeLimits()
    limits.maximumPixels = 1_727
    let error = failure(of: JXLSample.animation, limits: limits)
    #expect(error == .overLimit(.pixels, value: 1_728, limit: 1_727))
    limits = DecodeLimits()
    limits.maximumFrames = 3
    #expect(throws: DecodeError.overLimit(.frames, value: 4, limit: 3)) {
      try animation(JXLSample.animation, limits: limits)
    }
  }
}
#endif
