/// Waits for other tasks to bring about `condition`, and gives up when the test's time is over.
///
/// - Throws: `CancellationError`.
public func until(_ condition: () -> Bool) async throws {
  while !condition() {
    try Task.checkCancellation()
    await Task.yield()
  }
}
