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
