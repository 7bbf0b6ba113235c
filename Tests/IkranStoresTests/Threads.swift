import IkranStores
import Support
import Testing

/// Runs `body` on several threads and waits for all of them.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  let ends = (0..<count).map { _ in ThreadLatch() }
  for (number, end) in ends.enumerated() {
    let isStarted = BackgroundThread.start(name: "worker \(number)") {
      body(number)
      end.open()
    }
    #expect(isStarted)
    if !isStarted { end.open() }
  }
  for end in ends { end.wait() }
}
