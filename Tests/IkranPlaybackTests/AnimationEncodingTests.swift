import IkranCodecs
import IkranPixels
import IkranPlayback
import IkranStores
import Support
import Testing

@Suite(.timeLimit(.minutes(10))) struct AnimationEncodingTests {
  private static let files = [
    "animation-3-frames.gif", "animation-3-frames.png", "animation-3-frames.webp",
  ]

  private func frames(_ bytes: [UInt8]) throws -> any FrameSource {
    try #require(try CodecList.standard.frames(of: bytes))
  }

  private func straight(_ source: any FrameSource) throws -> [[UInt8]] {
    let composer = source.makeComposer()
    return try source.info.frames.indices.map { try composer.compose($0).straightRGBA() }
  }

  @Test(arguments: files, [ImageEncoding.gif, .png, .webpLossless])
  func aFileInAnotherFormatHasTheSameFrames(_ name: String, _ encoding: ImageEncoding) async throws
  {
    let source = try frames(Fixtures.bytes(name))
    let animation = try Animation(source, store: AnimationStore(threads: 1))
    let copy = try frames(try await animation.encoded(as: encoding))
    #expect(copy.info.format == encoding.format)
    #expect(copy.info.plays == source.info.plays)
    #expect(copy.info.hasAlpha == source.info.hasAlpha)
    let durations = source.info.frames.map(\.duration)
    let stored = encoding == .gif ? durations.map { max(20, $0) } : durations
    #expect(copy.info.frames.map(\.duration) == stored)
    let isSame = try straight(copy) == straight(source)
    #expect(isSame)
  }

  @Test(arguments: [ImageEncoding.png, .webpLossless])
  func framesAreInTheStyleOfTheAnimation(_ encoding: ImageEncoding) async throws {
    let source = try frames(Fixtures.bytes("animation-3-frames.gif"))
    let animation = try Animation(source, style: .circle(10), store: AnimationStore(threads: 1))
    let copy = try frames(try await animation.encoded(as: encoding))
    #expect(copy.info.size == PixelSize(width: 10, height: 10))
    let composer = source.makeComposer()
    let circles = try (0..<3).map {
      try composer.compose($0).styled(.circle(10), scale: 1).straightRGBA()
    }
    let isSame = try straight(copy) == circles
    #expect(isSame)
  }

  @Test func aCircleInGIFHasClearCorners() async throws {
    let source = try frames(Fixtures.bytes("animation-3-frames.gif"))
    let animation = try Animation(source, style: .circle(10), store: AnimationStore(threads: 1))
    let copy = try straight(frames(try await animation.encoded(as: .gif)))
    #expect(copy.map { $0[3] } == [0, 0, 0])
    #expect(copy.map { $0[(5 * 10 + 5) * 4 + 3] } == [255, 255, 255])
  }

  @Test func alphaOfALaterFrameIsKept() async throws {
    let style = Style.freeform(name: "clear", version: 1) { picture in
      let isFirst = FakeFrames.number(in: picture) == 0
      var canvas = try Canvas(size: picture.size, format: isFirst ? .bgrx : .bgra)
      canvas.withMutableBytes { bytes in
        for place in bytes.indices where isFirst { bytes[place] = 255 }
      }
      return canvas.finish()
    }
    let store = AnimationStore(threads: 1)
    let animation = try Animation(FakeFrames([40, 50, 60]), style: style, store: store)
    let copy = try frames(try await animation.encoded(as: .png))
    #expect(copy.info.frames.map(\.duration) == [40, 50, 60])
    #expect(try straight(copy).map { $0[3] } == [255, 0, 0])
  }

  @Test func jpegIsRefused() async throws {
    let animation = try Animation(FakeFrames([40, 40]), store: AnimationStore(threads: 1))
    await #expect(throws: PlaybackError.encode(.noAnimations(.jpeg))) {
      try await animation.encoded(as: .jpeg())
    }
  }

  @Test func aDamagedFrameIsAnError() async throws {
    var source = FakeFrames([40, 40, 40])
    source.damaged = [1]
    let animation = try Animation(source, store: AnimationStore(threads: 1))
    await #expect(throws: PlaybackError.decode(FakeFrames.damage)) {
      try await animation.encoded(as: .png)
    }
  }

  @Test func aFileThatBreaksOffIsAnError() async throws {
    let source = FakeFrames([40, 40], end: .broken(FakeFrames.damage))
    let animation = try Animation(source, store: AnimationStore(threads: 1))
    await #expect(throws: PlaybackError.decode(FakeFrames.damage)) {
      try await animation.encoded(as: .gif)
    }
    #expect(source.composed == [])
  }

  @Test func framesAreComposedOneAtATimeAndNotKept() async throws {
    let jobs = JobList()
    let source = FakeFrames([40, 50, 60, 70])
    let animation = try Animation(source, store: jobs.store(byteLimit: 1 << 20))
    let task = Task { try await animation.encoded(as: .gif) }
    for number in 0..<4 {
      try await until { jobs.count == 1 }
      #expect(source.composed == Array(0..<number))
      jobs.runOne()
    }
    let copy = try frames(await task.value)
    #expect(copy.info.frames.map(\.duration) == [40, 50, 60, 70])
    #expect(animation.byteCount == 0)
  }

  @Test func aCancelledCallerReturnsWithoutTheFile() async throws {
    let jobs = JobList()
    let source = FakeFrames([40, 40, 40])
    let animation = try Animation(source, store: jobs.store(byteLimit: 1 << 20))
    let task = Task { () -> PlaybackError? in
      do throws(PlaybackError) { _ = try await animation.encoded(as: .gif) } catch { return error }
      return nil
    }
    try await until { jobs.count == 1 }
    jobs.runOne()
    try await until { jobs.count == 1 }
    task.cancel()
    #expect(await task.value == .cancelled)
    jobs.runOne()
    #expect(jobs.count == 0)
    #expect(source.composed == [0])
  }

  @Test func aTaskThatWasCancelledBeforeStartsNothing() async throws {
    let jobs = JobList()
    let animation = try Animation(FakeFrames([40]), store: jobs.store(byteLimit: 1 << 20))
    let latch = Latch()
    let task = Task { () -> PlaybackError? in
      _ = await latch.wait()
      do throws(PlaybackError) { _ = try await animation.encoded(as: .gif) } catch { return error }
      return nil
    }
    task.cancel()
    latch.open()
    #expect(await task.value == .cancelled)
    #expect(jobs.count == 0)
  }
}
