import IkranStores

/// Work that may never end, and for how long it is waited for.
enum Deadline {
  /// How the waiting ended; the first of the three counts.
  enum Ending<Value: Sendable>: Sendable {
    case finished(Result<Value, any Error>)
    case timedOut
    case cancelled
  }

  /// Waits until `work` ends, `sleep` returns or the caller's task is cancelled, whichever is first.
  ///
  /// What still runs then is cancelled and not waited for.
  static func race<Value: Sendable>(
    sleep: @escaping @Sendable () async throws -> Void,
    _ work: @escaping @Sendable () async throws -> Value
  ) async -> Ending<Value> {
    let race = Race<Value>()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        race.start(continuation) {
          let working = Task {
            do { race.end(.finished(.success(try await work()))) } catch {
              race.end(.finished(.failure(error)))
            }
          }
          // A sleep that throws does not end the race: it was cancelled, or there is no time limit.
          let sleeping = Task { if (try? await sleep()) != nil { race.end(.timedOut) } }
          return [working, sleeping]
        }
        if Task.isCancelled { race.end(.cancelled) }
      }
    } onCancel: {
      race.end(.cancelled)
    }
  }

  /// Waits until `work` ends or the caller's task is cancelled, which cancels the task that runs
  /// `work`.
  static func waitCancellably(_ work: @escaping @Sendable () async -> Void) async {
    _ = await race {
      throw CancellationError()
    } _: {
      await work()
    }
  }

  /// One continuation and those who may resume it.
  private final class Race<Value: Sendable>: Sendable {
    private struct State {
      var continuation: CheckedContinuation<Ending<Value>, Never>?
      var tasks: [Task<Void, Never>] = []
      var isOver = false
    }

    private let state = Guarded(State())

    func start(
      _ continuation: CheckedContinuation<Ending<Value>, Never>,
      _ run: () -> [Task<Void, Never>]
    ) {
      let isOver = state.withLock { state in
        guard !state.isOver else { return true }
        state.continuation = continuation
        state.tasks = run()
        return false
      }
      if isOver { continuation.resume(returning: .cancelled) }
    }

    func end(_ ending: Ending<Value>) {
      let (continuation, tasks) = state.withLock { state in
        defer { state = State(isOver: true) }
        return (state.continuation, state.tasks)
      }
      for task in tasks { task.cancel() }
      continuation?.resume(returning: ending)
    }
  }
}
