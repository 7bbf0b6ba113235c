import IkranCodecs
import IkranPixels
import IkranSystem

/// Tells the decoder, which a job waits for, that no caller waits for the job.
final class JobCancellation: DecodeCancellation {
  private struct State {
    var isCancelled = false
    var action: (@Sendable () -> Void)?
  }

  private let state = Guarded(State())

  func onCancel(_ action: @escaping @Sendable () -> Void) -> Bool {
    state.withLock { state in
      if !state.isCancelled { state.action = action }
      return !state.isCancelled
    }
  }

  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  func ignore() { state.withLock { $0.action = nil } }

  func cancel() {
    let action = state.withLock { state in
      state.isCancelled = true
      return state.action.take()
    }
    action?()
  }
}
