import IkranSystem

/// The time as the pipeline sees it; tests set it.
package struct PipelineClock: Sendable {
  /// Microseconds since 1970.
  package let now: @Sendable () -> Int64
  /// Waits; throws only when the task is cancelled.
  package let sleep: @Sendable (Duration) async throws -> Void

  package init(
    now: @escaping @Sendable () -> Int64,
    sleep: @escaping @Sendable (Duration) async throws -> Void
  ) {
    self.now = now
    self.sleep = sleep
  }

  /// The machine's own time.
  package static let system = PipelineClock(now: WallClock.microseconds) {
    try await Task.sleep(for: $0)
  }
}
