import IkranSystem

/// Work that no caller waits for, until ``finish()`` does.
final class BackgroundTasks: Sendable {
  private struct State {
    var tasks: [Int: Task<Void, Never>] = [:]
    var last = 0
  }

  private let state = Guarded(State())

  /// Starts a task, which is held until it ends.
  func start(_ work: @escaping @Sendable () async -> Void) {
    state.withLock { state in
      state.last += 1
      let id = state.last
      // The task's last step takes this lock, so it cannot be removed before it is stored.
      state.tasks[id] = Task {
        await work()
        self.state.withLock { $0.tasks[id] = nil }
      }
    }
  }

  /// Returns when every task started so far has ended; at once when the caller's task is cancelled.
  func finish() async {
    let tasks = state.withLock { Array($0.tasks.values) }
    guard !tasks.isEmpty else { return }
    await Deadline.waitCancellably { for task in tasks { await task.value } }
  }

  /// Cancels every task; each is removed when it ends.
  func cancelAll() {
    for task in state.withLock({ Array($0.tasks.values) }) { task.cancel() }
  }
}
