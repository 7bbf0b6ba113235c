import IkranStores

/// Lets one caller in at a time for each key, in the order of arrival.
///
/// Two requests that may read different caches do not share a download, and still one source is
/// never downloaded twice at once.
final class KeyedTurns: Sendable {
  private struct Waiter {
    let id: Int
    let turn: CheckedContinuation<Bool, Never>
  }

  private struct State {
    /// Whoever waits, for each key that somebody holds.
    var waiters: [String: [Waiter]] = [:]
    var last = 0
  }

  private let state = Guarded(State())

  /// Runs `body` when nobody else does for the key.
  ///
  /// - Throws: What `body` throws, or ``ImageError/cancelled`` when the task is cancelled while it
  ///   waits.
  func pass<Value: Sendable>(
    _ key: String,
    _ body: () async throws(ImageError) -> Value
  ) async throws(ImageError) -> Value {
    if !enter(key) {
      guard await wait(key) else { throw .cancelled }
    }
    defer { leave(key) }
    return try await body()
  }

  private func enter(_ key: String) -> Bool {
    state.withLock { state in
      guard state.waiters[key] == nil else { return false }
      state.waiters[key] = []
      return true
    }
  }

  private func wait(_ key: String) async -> Bool {
    let id = state.withLock { state in
      state.last += 1
      return state.last
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { turn in
        let isFree = state.withLock { state in
          guard state.waiters[key] != nil else {
            state.waiters[key] = []
            return true
          }
          state.waiters[key]?.append(Waiter(id: id, turn: turn))
          return false
        }
        if isFree { return turn.resume(returning: true) }
        if Task.isCancelled { withdraw(key, id) }
      }
    } onCancel: {
      withdraw(key, id)
    }
  }

  private func withdraw(_ key: String, _ id: Int) {
    let waiter = state.withLock { state -> Waiter? in
      guard let index = state.waiters[key]?.firstIndex(where: { $0.id == id }) else { return nil }
      return state.waiters[key]?.remove(at: index)
    }
    waiter?.turn.resume(returning: false)
  }

  private func leave(_ key: String) {
    let next = state.withLock { state -> Waiter? in
      guard let waiters = state.waiters[key], !waiters.isEmpty else {
        state.waiters[key] = nil
        return nil
      }
      return state.waiters[key]?.removeFirst()
    }
    next?.turn.resume(returning: true)
  }
}
