import IkranCodecs
import IkranPixels
import IkranPlayback
import IkranStores
import Support
import Testing

@Suite(.timeLimit(.minutes(10))) struct AnimationTests {
  @Test func anAnimationSaysWhatItsFileSays() throws {
    let source = FakeFrames([40, 5, 200], plays: 3)
    let animation = try Animation(source, store: JobList().store(byteLimit: 1 << 20))
    #expect(animation.size == PixelSize(width: 4, height: 4))
    #expect(animation.frameCount == 3)
    #expect(animation.durations == [40, 100, 200])
    #expect(animation.loopCount == 3)
    #expect(animation.cost == 3 * FakeFrames.frameBytes)
    #expect(animation.byteCount == 0)
  }

  @Test func aFrameIsThereOnceItWasDecoded() async throws {
    let animation = try Animation(FakeFrames([40, 40, 40]), store: AnimationStore(threads: 1))
    #expect(animation.frame(at: 1) == nil)
    let bitmap = try await animation.decodedFrame(at: 1)
    #expect(FakeFrames.number(in: bitmap) == 1)
    #expect(animation.frame(at: 3) == nil)
    #expect(animation.frame(at: -1) == nil)
  }

  @Test(arguments: ["animation-3-frames.gif", "animation-3-frames.png", "animation-3-frames.webp"])
  func framesAreThoseOfTheFile(name: String) async throws {
    let source = try #require(try CodecList.standard.frames(of: try Fixtures.bytes(name)))
    let animation = try Animation(source, store: AnimationStore(threads: 1))
    let composer = source.makeComposer()
    for number in [2, 0, 1] {
      let bitmap = try await animation.decodedFrame(at: number)
      #expect(Self.pixels(bitmap) == Self.pixels(try composer.compose(number)))
    }
  }

  @Test func aStyleAppliesToEveryFrame() async throws {
    let bytes = try Fixtures.bytes("animation-3-frames.gif")
    let source = try #require(try CodecList.standard.frames(of: bytes))
    let animation = try Animation(source, style: .circle(8), scale: 2, store: AnimationStore())
    #expect(animation.size == PixelSize(width: 16, height: 16))
    let composer = source.makeComposer()
    for number in 0..<3 {
      let bitmap = try await animation.decodedFrame(at: number)
      let expected = try composer.compose(number).styled(.circle(8), scale: 2)
      #expect(Self.pixels(bitmap) == Self.pixels(expected))
    }
  }

  @Test func aStyleWithAnInvalidLengthIsRefused() {
    #expect(throws: StyleError.self) {
      try Animation(FakeFrames([40]), style: .circle(-1), store: AnimationStore())
    }
  }

  @Test func aDamagedFrameThrows() async throws {
    var source = FakeFrames([40, 40])
    source.damaged = [1]
    let animation = try Animation(source, store: AnimationStore(threads: 1))
    await #expect(throws: PlaybackError.decode(FakeFrames.damage)) {
      try await animation.decodedFrame(at: 1)
    }
    #expect(FakeFrames.number(in: try await animation.decodedFrame(at: 0)) == 0)
  }

  @Test func aCancelledCallerReturnsWithoutTheFrame() async throws {
    let jobs = JobList()
    let animation = try Animation(FakeFrames([40]), store: jobs.store(byteLimit: 1 << 20))
    let task = Task { () -> PlaybackError? in
      do throws(PlaybackError) { _ = try await animation.decodedFrame(at: 0) } catch {
        return error
      }
      return nil
    }
    try await until { jobs.count == 1 }
    task.cancel()
    #expect(await task.value == .cancelled)
  }

  @Test func aFrameThatNoPlayerWaitsForIsGivenUp() async throws {
    var frames = FakeFrames([40])
    frames.endless = 0
    let animation = try Animation(frames, store: AnimationStore(threads: 1))
    let task = Task { try await animation.decodedFrame(at: 0) }
    #expect(await frames.isWaitedFor.wait())
    task.cancel()
    #expect((try? await task.value) == nil)
    // It is composed again for who comes next.
    #expect(FakeFrames.number(in: try await animation.decodedFrame(at: 0)) == 0)
    #expect(frames.composed == [0, 0])
  }

  @Test func aFrameThatIsReadForNoCallerIsGivenUp() async throws {
    var frames = FakeFrames([40])
    frames.endless = 0
    let reader = FrameReader(try Animation(frames, store: AnimationStore(threads: 1)))
    let task = Task { try await reader.frame(at: 0) }
    #expect(await frames.isWaitedFor.wait())
    task.cancel()
    #expect((try? await task.value) == nil)
    #expect(FakeFrames.number(in: try await reader.frame(at: 0)) == 0)
  }

  @Test func callersOnManyThreadsGetTheirFrames() async throws {
    let store = AnimationStore(byteLimit: 20 * FakeFrames.frameBytes, threads: 2)
    let animations = try (0..<4).map { _ in
      try Animation(FakeFrames(Array(repeating: 40, count: 12)), store: store)
    }
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<Rounds.fewer(2000, concurrent: true) {
        group.addTask {
          let bitmap = try await animations[number % 4].decodedFrame(at: number % 12)
          return FakeFrames.number(in: bitmap) == number % 12
        }
      }
      for try await isRight in group { #expect(isRight) }
    }
  }

  @Test func moreOfAFileBringsMoreFramesAndKeepsThoseThatAreThere() async throws {
    let animation = try Animation(
      FakeFrames([40, 40], end: .arriving),
      store: AnimationStore(threads: 1)
    )
    _ = try await animation.decodedFrame(at: 0)
    let whole = FakeFrames([40, 40, 40])
    animation.update(with: whole)
    #expect(animation.frameCount == 3)
    #expect(FakeFrames.number(in: try await animation.decodedFrame(at: 2)) == 2)
    animation.update(with: FakeFrames([40]))
    #expect(animation.frameCount == 3)
  }

  private static func pixels(_ bitmap: Bitmap) -> [UInt8] {
    (0..<bitmap.height).flatMap { y in
      bitmap.withRow(y) { row in row.indices.map { row[$0] } }
    }
  }
}
