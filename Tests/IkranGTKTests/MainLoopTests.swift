import CGTK
import IkranGTK
import IkranStores
import Testing

extension GTKTests {
  /// Results on their way to the main thread.
  @Suite @MainActor
  struct MainLoopTests {
    @MainActor
    private final class Counter {
      var count = 0
    }

    @Test func closuresRunInTheirOrder() throws {
      try Display.open()
      var seen: [Int] = []
      for number in 0..<1000 { MainLoop.post { seen.append(number) } }
      #expect(seen.isEmpty)
      try Display.run { seen.count == 1000 }
      #expect(seen == Array(0..<1000))
    }

    @Test func closuresComeFromAnyThread() throws {
      try Display.open()
      let counter = Counter()
      for _ in 0..<4 {
        Task.detached { for _ in 0..<1000 { MainLoop.post { counter.count += 1 } } }
      }
      try Display.run { counter.count == 4000 }
    }

    /// What a closure holds, and what its end does.
    private final class Held: Sendable {
      let atEnd: @Sendable () -> Void
      init(_ atEnd: @escaping @Sendable () -> Void) { self.atEnd = atEnd }
      deinit { atEnd() }
    }

    private func post(holding held: Held, _ body: @escaping @MainActor @Sendable () -> Void) {
      MainLoop.post { withExtendedLifetime(held, body) }
    }

    @Test func theEndOfWhatAClosureHoldsMayPostAnother() throws {
      try Display.open()
      let counter = Counter()
      post(holding: Held { MainLoop.post { counter.count += 1 } }) {}
      try Display.run { counter.count == 1 }
    }

    @Test func aClosureIsReleasedAsSoonAsItHasRun() throws {
      try Display.open()
      let ended = Guarded(0)
      var endedBeforeTheLast = 0
      for _ in 0..<10 { post(holding: Held { ended.withLock { $0 += 1 } }) {} }
      var isDone = false
      MainLoop.post {
        endedBeforeTheLast = ended.withLock { $0 }
        isDone = true
      }
      try Display.run { isDone }
      #expect(endedBeforeTheLast == 10)
    }

    @Test func closuresRunInTheMainLoopOfADialog() throws {
      try Display.open()
      let counter = Counter()
      MainLoop.post {
        MainLoop.post { counter.count += 1 }
        while counter.count == 0 { g_main_context_iteration(nil, 1) }
        counter.count += 1
      }
      try Display.run { counter.count == 2 }
    }

    @Test func closuresRunWhileFramesTakeAllOfTheTime() throws {
      let window = try Window(width: 16, height: 16)
      try window.makeFramesSlow()
      var count = 0
      for _ in 0..<3 {
        MainLoop.post { count += 1 }
        try Display.run { count > 0 }
        count = 0
        try window.drawFrames(1)
      }
    }

    @Test func framesAreDrawnInAFloodOfResults() throws {
      let window = try Window(width: 16, height: 16)
      let clock = try #require(gtk_widget_get_frame_clock(window.pointer))
      var done = 0
      let first = gdk_frame_clock_get_frame_counter(clock)
      let work: @MainActor @Sendable () -> Void = {
        // A tenth of a millisecond each.
        let end = g_get_monotonic_time() + 100
        while g_get_monotonic_time() < end {}
        done += 1
      }
      for _ in 0..<5000 { MainLoop.post(work) }
      try Display.run { done == 5000 }
      // Half a second of work: without turns, one frame would be drawn.
      #expect(gdk_frame_clock_get_frame_counter(clock) - first >= 10)
    }
  }
}
