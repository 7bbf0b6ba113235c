/// Waits for other tasks to bring about `condition`, and gives up when the test's time is over.
///
/// - Throws: `CancellationError`.
public func until(_ condition: () -> Bool) async throws {
  for round in 0... {
    if condition() { return }
    try await poll(round)
  }
}

/// Lets others go on before a condition is looked at once more: what it waits for, in this process or
/// another, needs the processors.
///
/// - Throws: `CancellationError`.
public func poll(_ round: Int) async throws {
  try Task.checkCancellation()
  if round < 20 { await Task.yield() } else { try await Task.sleep(for: .milliseconds(1)) }
}
