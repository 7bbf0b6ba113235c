import IkranStores

/// Bytes that have arrived and wait for the next stage: bounded, so that a slow stage slows the
/// network instead of filling memory.
final class Backlog: Sendable {
  private struct State {
    var bytes = 0
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let limit: Int
  private let state = Guarded(State())

  init(limit: Int) { self.limit = limit }

  /// The bytes that wait.
  var bytes: Int { state.withLock { $0.bytes } }

  /// Adds bytes, and waits while there are too many.
  ///
  /// A cancelled caller waits, too: the stage that drains it never waits for the network.
  func reserve(_ bytes: Int) async {
    let isOver = state.withLock { state in
      state.bytes += bytes
      return state.bytes > limit
    }
    guard isOver else { return }
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        guard state.bytes > limit else { return true }
        state.waiting.append(continuation)
        return false
      }
      if isFree { continuation.resume() }
    }
  }

  /// Takes bytes off.
  func release(_ bytes: Int) {
    guard bytes > 0 else { return }
    let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      state.bytes -= bytes
      guard state.bytes <= limit, !state.waiting.isEmpty else { return [] }
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }
}
