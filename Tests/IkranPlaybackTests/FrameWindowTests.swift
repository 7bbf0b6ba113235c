import IkranPlayback
import Support
import Testing

@Suite(.timeLimit(.minutes(10))) struct FrameWindowTests {
  @Test func theFrameThatIsDueIsDecodedFirst() {
    var window = window(frames: 20, room: 5)
    watch(&window, step: 7)
    let plan = window.next()
    #expect(plan == FrameWindow.Plan(decode: 7, isDue: true))
    #expect(window.next().decode == nil)
  }

  @Test(
    arguments: [
      (.normal, [0, 1, 2, 3]), (.reverse, [4, 1, 2, 3]), (.bounce, [0, 1, 2, 3]),
    ] as [(PlaybackOptions.Direction, [Int])]
  )
  func framesAreDecodedInPlayingOrderAndBackwardRunsForwards(
    direction: PlaybackOptions.Direction,
    order: [Int]
  ) {
    var window = window(frames: 5, room: 4)
    watch(&window, step: 0, direction)
    #expect(decodeAll(&window) == order)
  }

  @Test func framesThatWereShownAreDropped() {
    var window = window(frames: 20, room: 3)
    watch(&window, step: 0)
    _ = decodeAll(&window)
    watch(&window, step: 2)
    #expect(window.next() == FrameWindow.Plan(decode: 3, drop: [0, 1]))
    window.finish(3, bytes: 100)
    #expect(decodeAll(&window) == [4])
    #expect(window.kept.sorted() == [2, 3, 4])
  }

  @Test func anAnimationThatFitsIsDecodedOnce() {
    var window = window(frames: 6, room: 6)
    watch(&window, step: 0)
    #expect(decodeAll(&window) == [0, 1, 2, 3, 4, 5])
    for step in 0..<6 {
      watch(&window, step: step)
      #expect(window.next() == FrameWindow.Plan())
    }
  }

  @Test func theAutomaticModeKeepsEightWhenNotAllFit() {
    var window = window(frames: 100, room: 50)
    watch(&window, step: 95)
    #expect(decodeAll(&window) == [95, 96, 97, 98, 99, 0, 1, 2])
  }

  @Test(
    arguments: [
      (.none, 1), (.frames(3), 3), (.frames(-1), 1), (.bytes(450), 4), (.bytes(5), 1), (.all, 10),
    ] as [(FrameBuffering, Int)]
  )
  func aModeSaysHowManyFramesAreKept(buffering: FrameBuffering, count: Int) {
    var window = window(frames: 100, room: 10, buffering)
    watch(&window, step: 0)
    #expect(decodeAll(&window).count == count)
  }

  @Test func playersOfOneAnimationShareTheFrames() {
    var window = window(frames: 20, room: 4)
    watch(&window, step: 0, id: 1)
    watch(&window, step: 1, id: 2)
    #expect(decodeAll(&window) == [0, 1, 2, 3])
  }

  @Test func theFramesThatAreShownAreWantedWhateverTheBudget() {
    var window = window(frames: 20, room: 0)
    watch(&window, step: 3, id: 1)
    watch(&window, step: 9, id: 2)
    #expect(decodeAll(&window) == [3, 9])
  }

  @Test func withoutPlayersNothingIsDecodedAndWhatFitsStays() {
    var window = window(frames: 20, room: 4)
    watch(&window, step: 5)
    _ = decodeAll(&window)
    window.setViewer(nil, of: 1)
    window.byteLimit = 100
    let plan = window.next()
    #expect(plan.decode == nil)
    #expect(plan.drop == [6, 7, 8])
  }

  @Test func aSmallerBudgetDropsTheFramesThatAreDueLast() {
    var window = window(frames: 4, room: 4)
    watch(&window, step: 2)
    _ = decodeAll(&window)
    window.byteLimit = 200
    #expect(window.next().drop == [0, 1])
  }

  @Test func aFrameThatCannotBeDecodedIsNotTriedAgain() {
    var window = window(frames: 3, room: 3)
    watch(&window, step: 0)
    _ = window.next()
    window.finish(0, bytes: nil)
    #expect(decodeAll(&window) == [1, 2])
    window.retryFailed()
    #expect(window.next().decode == 0)
  }

  @Test func aFrameThatComesLateIsKeptUntilItIsShown() {
    var window = window(frames: 20, room: 1)
    watch(&window, step: 5)
    #expect(window.next().decode == 5)
    watch(&window, step: 8, late: 4)
    #expect(window.next() == FrameWindow.Plan())
    window.finish(5, bytes: 100)
    #expect(window.next() == FrameWindow.Plan())
    #expect(window.viewer(1).flatMap { window.best(for: $0) }?.frame == 5)
    watch(&window, step: 8, late: 3)
    #expect(window.next() == FrameWindow.Plan(decode: 8, isDue: true, drop: [5]))
  }

  @Test func theLastLoopWantsNoFramesOfAnother() {
    var window = window(frames: 20, room: 6)
    let order = PlayingOrder(frameCount: 20, direction: .normal)
    window.setViewer(FrameWindow.Viewer(order: order, step: 18, repeats: false), of: 1)
    #expect(decodeAll(&window) == [18, 19])
  }

  private func window(
    frames: Int,
    room: Int,
    _ buffering: FrameBuffering = .automatic
  ) -> FrameWindow {
    FrameWindow(frameCount: frames, frameBytes: 100, byteLimit: room * 100, buffering: buffering)
  }

  private func watch(
    _ window: inout FrameWindow,
    step: Int,
    _ direction: PlaybackOptions.Direction = .normal,
    id: UInt64 = 1,
    late: Int = 1
  ) {
    let order = PlayingOrder(frameCount: window.frameCount, direction: direction)
    window.setViewer(FrameWindow.Viewer(order: order, step: step, late: late), of: id)
  }

  /// Decodes until nothing is wanted.
  private func decodeAll(_ window: inout FrameWindow) -> [Int] {
    var decoded: [Int] = []
    while let frame = window.next().decode {
      decoded.append(frame)
      window.finish(frame, bytes: 100)
    }
    return decoded
  }
}
