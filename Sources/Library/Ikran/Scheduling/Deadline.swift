import IkranTransport

/// Work that may never end, and for how long it is waited for.
enum Deadline {
  /// How the waiting ended; the first of the three counts.
  enum Ending<Value: Sendable>: Sendable {
    case finished(Result<Value, any Error>)
    case timedOut
    case cancelled
  }

  /// Waits until `work` ends, `sleep` returns or the caller's task is cancelled, whichever is
  /// first.
  ///
  /// Work that still runs then is cancelled and not waited for.
  static func race<Value: Sendable>(
    sleep: @escaping @Sendable () async throws -> Void,
    _ work: @escaping @Sendable () async throws -> Value
  ) async -> Ending<Value> {
    if Task.isCancelled { return .cancelled }
    let ending = OneShot<Ending<Value>>()
    let working = Task {
      do { ending.resume(.finished(.success(try await work()))) } catch {
        ending.resume(.finished(.failure(error)))
      }
    }
    // A sleep that throws does not end the race: it was cancelled, or there is no time limit.
    let sleeping = Task {
      guard (try? await sleep()) != nil else { return }
      ending.resume(.timedOut)
      working.cancel()
    }
    defer {
      working.cancel()
      sleeping.cancel()
    }
    return await withTaskCancellationHandler {
      await ending.value
    } onCancel: {
      ending.resume(.cancelled)
      working.cancel()
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
}
