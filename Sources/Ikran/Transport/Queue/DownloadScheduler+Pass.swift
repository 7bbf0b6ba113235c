import IkranStores

extension DownloadScheduler {
  /// Runs `body` when its turn has come.
  ///
  /// - Throws: What `body` throws, or ``ImageError/cancelled`` when the task is cancelled while it
  ///   waits.
  func pass<Value: Sendable>(
    host: String,
    _ interest: Interest,
    _ body: () async throws(ImageError) -> Value
  ) async throws(ImageError) -> Value {
    guard await enter(host, interest) else { throw .cancelled }
    defer { leave(host) }
    return try await body()
  }

  private func enter(_ host: String, _ interest: Interest) async -> Bool {
    let ticket = newTicket()
    let waiting = Guarded<CheckedContinuation<Bool, Never>?>(nil)
    let observer = interest.observe { self.move(ticket, to: interest.priority) }
    let isIn = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        waiting.withLock { $0 = continuation }
        enqueue(ticket, host: host, priority: interest.priority) {
          continuation.resume(returning: true)
        }
        // The priority may have changed, or the task have been cancelled, before it was enqueued.
        move(ticket, to: interest.priority)
        if Task.isCancelled, withdraw(ticket) { continuation.resume(returning: false) }
      }
    } onCancel: {
      if withdraw(ticket) { waiting.withLock { $0 }?.resume(returning: false) }
    }
    interest.stopObserving(observer)
    return isIn
  }
}
