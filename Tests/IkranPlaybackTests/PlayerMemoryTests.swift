import IkranPlayback
import IkranStores
import Testing

@Suite(.timeLimit(.minutes(10))) struct PlayerMemoryTests {
  @Test func framesAreReleasedUnderMemoryPressure() throws {
    let jobs = JobList()
    let store = jobs.store(byteLimit: 32 * FakeFrames.frameBytes)
    let animation = try Animation(FakeFrames(Array(repeating: 40, count: 32)), store: store)
    let player = Player(animation)
    player.play()
    player.advance(to: .zero)
    jobs.runAll()
    #expect(store.byteCount == 32 * FakeFrames.frameBytes)
    store.relieveMemory(.warning)
    #expect(store.byteCount <= 16 * FakeFrames.frameBytes)
    store.relieveMemory(.critical)
    #expect(store.byteCount <= 4 * FakeFrames.frameBytes)
    #expect(animation.frame(at: 0) != nil)
  }

  @Test func aHiddenAnimationKeepsOneFrame() throws {
    let jobs = JobList()
    let store = jobs.store(byteLimit: 1 << 20)
    let animation = try Animation(FakeFrames([40, 40, 40]), store: store)
    let player = Player(animation)
    player.play()
    player.advance(to: .zero)
    jobs.runAll()
    #expect(animation.byteCount == 3 * FakeFrames.frameBytes)
    player.isVisible = false
    #expect(animation.byteCount == FakeFrames.frameBytes)
  }

  @Test func aReleasedAnimationLeavesItsShareToOthers() throws {
    let jobs = JobList()
    let store = jobs.store(byteLimit: 20 * FakeFrames.frameBytes)
    let durations = Array(repeating: 40, count: 20)
    let player = Player(try Animation(FakeFrames(durations), store: store))
    var other: Player? = Player(try Animation(FakeFrames(durations), store: store))
    player.play()
    player.advance(to: .zero)
    other?.play()
    other?.advance(to: .zero)
    jobs.runAll()
    #expect(player.animation.byteCount == 8 * FakeFrames.frameBytes)
    other = nil
    jobs.runAll()
    #expect(player.animation.byteCount == 20 * FakeFrames.frameBytes)
  }
}
