package import IkranPixels

/// Tells the decoder, which a job waits for, that no caller waits for the job.
package final class JobCancellation: DecodeCancellation {
  private struct State {
    var isCancelled = false
    var action: (@Sendable () -> Void)?
  }

  private let state = Guarded(State())

  package init() {}

  package func onCancel(_ action: @escaping @Sendable () -> Void) -> Bool {
    state.withLock { state in
      if !state.isCancelled { state.action = action }
      return !state.isCancelled
    }
  }

  package var isCancelled: Bool { state.withLock { $0.isCancelled } }

  package func ignore() { state.withLock { $0.action = nil } }

  package func cancel() {
    let action = state.withLock { state in
      state.isCancelled = true
      return state.action.take()
    }
    action?()
  }
}

extension Workspace {
  /// Does work whose waits for a decoder in another process a cancellation ends.
  package func work<Result>(
    until cancellation: JobCancellation,
    _ body: () -> Result
  ) -> Result {
    self.cancellation = cancellation
    defer { self.cancellation = nil }
    return body()
  }
}
