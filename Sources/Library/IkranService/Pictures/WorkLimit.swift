import IkranSystem

/// Counts what keeps a service busy: requests that are open, and pictures that are still being made
/// though all who asked for them have left.
final class WorkLimit: Sendable {
  private let maximum: Int?
  private let count = Guarded(0)

  /// Takes the most there may be; nil is any number.
  init(_ maximum: Int?) { self.maximum = maximum }

  /// Counts a request, unless there are too many; ``leave()`` has to follow.
  func enter() -> Bool {
    count.withLock { count in
      if let maximum, count >= maximum { return false }
      count += 1
      return true
    }
  }

  /// Takes back what was counted.
  func leave() { count.withLock { $0 -= 1 } }

  /// Counts what has begun already.
  fileprivate func add() { count.withLock { $0 += 1 } }

  /// Does work that may go on after its task was cancelled; it is counted until it really ends.
  func counting<Value: Sendable>(_ body: (RunningWork) async -> Value) async -> Value {
    let work = RunningWork(self)
    return await withTaskCancellationHandler {
      await body(work)
    } onCancel: {
      work.abandon()
    }
  }
}

/// Work that requests wait for, and that cannot always be ended when they have left.
final class RunningWork: Sendable {
  private struct State {
    var isRunning = false
    var isAbandoned = false
  }

  private let limit: WorkLimit
  private let state = Guarded(State())

  fileprivate init(_ limit: WorkLimit) { self.limit = limit }

  /// It begins on its thread; ``end()`` has to follow.
  func begin() {
    state.withLock { state in
      state.isRunning = true
      if state.isAbandoned { limit.add() }
    }
  }

  /// It has ended.
  func end() {
    state.withLock { state in
      state.isRunning = false
      if state.isAbandoned { limit.leave() }
    }
  }

  /// No request waits for it any more, so none is counted in its place.
  fileprivate func abandon() {
    state.withLock { state in
      guard !state.isAbandoned else { return }
      state.isAbandoned = true
      if state.isRunning { limit.add() }
    }
  }
}
