import IkranStores

extension DownloadScheduler {
  /// Runs `body` when its turn has come.
  ///
  /// - Throws: What `body` throws, or ``ImageError/cancelled`` when the task is cancelled while it
  ///   waits.
  func pass<Value: Sendable>(
    host: String,
    _ subscription: Subscription,
    _ body: () async throws(ImageError) -> Value
  ) async throws(ImageError) -> Value {
    guard await enter(host, subscription) else { throw .cancelled }
    defer { leave(host) }
    return try await body()
  }

  private func enter(_ host: String, _ subscription: Subscription) async -> Bool {
    let ticket = newTicket()
    let waiting = Guarded<CheckedContinuation<Bool, Never>?>(nil)
    let observer = subscription.observe { self.move(ticket, to: subscription.priority) }
    let isIn = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        waiting.withLock { $0 = continuation }
        enqueue(ticket, host: host, priority: subscription.priority) {
          continuation.resume(returning: true)
        }
        // The priority may have changed, or the task have been cancelled, before it was enqueued.
        move(ticket, to: subscription.priority)
        if Task.isCancelled, withdraw(ticket) { continuation.resume(returning: false) }
      }
    } onCancel: {
      if withdraw(ticket) { waiting.withLock { $0 }?.resume(returning: false) }
    }
    subscription.stopObserving(observer)
    return isIn
  }
}
