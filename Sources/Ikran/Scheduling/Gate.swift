import IkranStores

/// Lets a bounded number of callers in at once, most urgent first.
final class Gate: Sendable {
  private struct State {
    var free: Int
    var lastID: UInt64 = 0
    var queue = JobQueue<CheckedContinuation<Bool, Never>>()
  }

  private let state: Guarded<State>

  init(limit: Int) { state = Guarded(State(free: max(1, limit))) }

  /// The number of callers that wait for room.
  var waiting: Int { state.withLock { $0.queue.count } }

  /// Runs `body` when there is room.
  ///
  /// - Throws: What `body` throws, or ``ImageError/cancelled`` when the task is cancelled while it
  ///   waits.
  func pass<Value: Sendable>(
    _ interest: Interest,
    _ body: () async throws(ImageError) -> Value
  ) async throws(ImageError) -> Value {
    guard await enter(interest) else { throw .cancelled }
    defer { exit() }
    return try await body()
  }

  private func enter(_ interest: Interest) async -> Bool {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    let observer = interest.observe { [self] in
      state.withLock { $0.queue.move(id, to: interest.priority.rawValue) }
    }
    let isIn = await withTaskCancellationHandler {
      await withCheckedContinuation { turn in
        let isFree = state.withLock { state in
          guard state.free == 0 else {
            state.free -= 1
            return true
          }
          state.queue.add(turn, id: id, priority: interest.priority.rawValue)
          return false
        }
        if isFree { return turn.resume(returning: true) }
        if Task.isCancelled { withdraw(id) }
      }
    } onCancel: {
      withdraw(id)
    }
    interest.stopObserving(observer)
    return isIn
  }

  private func withdraw(_ id: UInt64) {
    let turn = state.withLock { $0.queue.remove(id) }
    turn?.resume(returning: false)
  }

  private func exit() {
    let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      if let next = state.queue.next() { return next }
      state.free += 1
      return nil
    }
    next?.resume(returning: true)
  }
}
