import IkranSystem
import IkranTransport
import Synchronization

/// The place of a download that has its turn.
final class DownloadTurn: Sendable {
  /// How long the download waited for it.
  let waited: Duration
  private let host: String
  private let scheduler: DownloadScheduler
  private let answered = Atomic(false)
  private let isUsed = Atomic(false)

  fileprivate init(_ scheduler: DownloadScheduler, host: String, waited: Duration) {
    (self.scheduler, self.host, self.waited) = (scheduler, host, waited)
  }

  /// Marks that the host has sent something; later calls do nothing.
  func noteFirstByte() {
    guard !answered.exchange(true, ordering: .relaxed) else { return }
    scheduler.noteFirstByte(from: host)
  }

  /// Whether the host has sent something.
  var hasAnswered: Bool { answered.load(ordering: .relaxed) }

  /// Marks that a request is sent in this turn.
  func use() { isUsed.store(true, ordering: .relaxed) }

  /// Ends the turn: a byte that arrives later counts for no other download of the host.
  fileprivate func end() -> TransferQueue<DownloadScheduler.Start>.Ending {
    if answered.exchange(true, ordering: .relaxed) { return .answered }
    return isUsed.load(ordering: .relaxed) ? .unanswered : .unused
  }
}

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
    try await pass(host: host, subscription, ticket: newTicket()) {
      (turn) async throws(ImageError) in
      turn.use()
      return try await body()
    }
  }

  /// Runs `body` when the turn of a ticket has come: an earlier ticket's comes first.
  ///
  /// - Throws: What `body` throws, or ``ImageError/cancelled`` when the task is cancelled while it
  ///   waits.
  func pass<Value: Sendable>(
    host: String,
    _ subscription: Subscription,
    ticket: Ticket,
    _ body: (DownloadTurn) async throws(ImageError) -> Value
  ) async throws(ImageError) -> Value {
    let queued = clock.now()
    guard await enter(host, subscription, ticket: ticket) else { throw .cancelled }
    let waited = Duration.microseconds(max(0, clock.now() - queued))
    let turn = DownloadTurn(self, host: host, waited: waited)
    defer { leave(host, ending: turn.end()) }
    return try await body(turn)
  }

  private func enter(
    _ host: String,
    _ subscription: Subscription,
    ticket: Ticket
  ) async -> Bool {
    let waiting = Guarded<CheckedContinuation<Bool, Never>?>(nil)
    let observer = subscription.observe { self.move(ticket, to: { subscription.priority }) }
    let isIn = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        waiting.withLock { $0 = continuation }
        enqueue(ticket, host: host, priority: subscription.priority) {
          continuation.resume(returning: true)
        }
        // The priority may have changed, or the task have been cancelled, before it was enqueued.
        move(ticket, to: { subscription.priority })
        if Task.isCancelled, withdraw(ticket) { continuation.resume(returning: false) }
      }
    } onCancel: {
      if withdraw(ticket) { waiting.withLock { $0 }?.resume(returning: false) }
    }
    subscription.stopObserving(observer)
    return isIn
  }
}
