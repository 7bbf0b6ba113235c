import IkranSystem

/// Runs `body` on several threads and waits for all of them.
package func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  let ends = (0..<count).map { _ in ThreadLatch() }
  for (number, end) in ends.enumerated() {
    let isStarted = BackgroundThread.start(name: "worker \(number)") {
      body(number)
      end.open()
    }
    precondition(isStarted, "The system has no thread for a test.")
  }
  for end in ends { end.wait() }
}
