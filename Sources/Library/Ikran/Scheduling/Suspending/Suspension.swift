import IkranSystem

// Decision 96: what reads or writes files waits for the end of a suspension.
/// Stops the threads of a stage that read and write files, and closes these with all their locks,
/// until ``resume()``.
///
/// What the writing threads were given before is done first; jobs that come later wait in their
/// queues, in their order. Then jobs that read wait, too.
final class Suspension: Sendable {
  /// The files of a stage.
  struct Files: Sendable {
    /// Closes them; called on a writing thread, while no job runs.
    let close: @Sendable () -> Void
    /// Lets them be opened again, after `close`, by setting flags: it is called under a lock.
    let open: @Sendable () -> Void
  }

  private struct State {
    /// The number of the suspension that is wanted; nil for none.
    var wanted: Int?
    var last = 0
    /// Writing threads that have come to their end.
    var paused = 0
    /// Whether the files are being closed, and whether they are closed.
    var (isClosing, isDone) = (false, false)
    var files: Files?
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    var lastWaiting = 0

    mutating func takeWaiting() -> [CheckedContinuation<Void, Never>] {
      defer { waiting = [:] }
      return Array(waiting.values)
    }
  }

  private let state = Guarded(State())
  private let writing: [ThreadPool]
  private let reading: [ThreadPool]

  /// A stage that is in use.
  ///
  /// - Parameters:
  ///   - writing: Pools of one thread each.
  ///   - reading: Pools whose jobs change nothing.
  init(writing: [ThreadPool], reading: [ThreadPool] = []) {
    (self.writing, self.reading) = (writing, reading)
  }

  /// Returns when the files are closed, or when the suspension has ended; at once when the task is
  /// cancelled, and the suspension goes on.
  func finishClosing() async {
    let number = state.withLock { state in
      state.lastWaiting += 1
      return state.lastWaiting
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        let mustWait = state.withLock { state in
          guard state.wanted != nil, !state.isDone, !Task.isCancelled else { return false }
          state.waiting[number] = continuation
          return true
        }
        if !mustWait { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
    }
  }

  /// Begins a suspension, unless there is one.
  ///
  /// - Parameter files: What is open between two jobs; nil when that is nothing.
  func begin(_ files: Files?) {
    let begun = state.withLock { state -> (number: Int, pools: [ThreadPool])? in
      guard state.wanted == nil else { return nil }
      state.last += 1
      (state.wanted, state.files) = (state.last, files)
      // A pool that was given nothing needs no thread to stop; but one thread closes the files. One
      // that is closing them for an earlier suspension lets all pools go on when it is done.
      let mustClose = files != nil || !reading.isEmpty
      let used = writing.enumerated().filter { index, pool in
        index == 0 && mustClose || state.isClosing || !pool.pauseIfUnused()
      }
      state.paused = writing.count - used.count
      state.isDone = used.isEmpty
      return (state.last, used.map(\.element))
    }
    guard let (number, pools) = begun else { return }
    for pool in pools { pool.later { [self] in pause(pool, number) } }
  }

  /// On a writing thread, after what it was given before.
  private func pause(_ pool: ThreadPool, _ number: Int) {
    let (isLast, files) = state.withLock { state -> (Bool, Files?) in
      guard state.wanted == number else { return (false, nil) }
      // Under the lock, as a thread is not to stop once the suspension has ended.
      pool.isPaused = true
      state.paused += 1
      guard state.paused == writing.count else { return (false, nil) }
      for pool in reading { pool.isPaused = true }
      state.isClosing = true
      return (true, state.files)
    }
    guard isLast else { return }
    for pool in reading { pool.waitUntilIdle() }
    files?.close()
    let waiting = state.withLock { state in
      state.isClosing = false
      if state.wanted == number { state.isDone = true } else { reopen(files) }
      return state.isDone ? state.takeWaiting() : []
    }
    for continuation in waiting { continuation.resume() }
  }

  /// With the lock of the state held: the next suspension finds all threads at work.
  ///
  /// - Parameter files: Those that were closed: a thread may be at work with others.
  private func reopen(_ files: Files?) {
    // Under the lock: it only sets flags.
    files?.open()
    for pool in reading + writing { pool.isPaused = false }
  }

  /// Ends a suspension, if there is one: waiting jobs are done.
  func resume() {
    let waiting = state.withLock { state in
      state.wanted = nil
      // The thread that is closing the files opens them when it has done so.
      if !state.isClosing { reopen(state.isDone ? state.files : nil) }
      (state.isDone, state.files) = (false, nil)
      return state.takeWaiting()
    }
    for continuation in waiting { continuation.resume() }
  }
}
