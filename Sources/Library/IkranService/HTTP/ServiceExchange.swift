import IkranHTTP
import IkranSystem

/// One request and where its response is made.
final class ServiceExchange: Sendable {
  /// What its connection's thread has to do.
  enum Step: Sendable {
    /// It has just arrived.
    case begin
    case send(ServiceResponse)
    /// It was resumed before it had a response: its time is over, or its client is gone.
    case giveUp
  }

  private struct State {
    var hasBegun = false
    var response: ServiceResponse?
    var task: Task<Void, Never>?
    var status = 0
    var error: ServiceError?
    var sendingBegan: ContinuousClock.Instant?
  }

  let request: ClientRequest
  let arrival = ContinuousClock.now
  private let state = Guarded(State())

  init(_ request: ClientRequest) { self.request = request }

  /// The next step; the first is ``Step/begin``.
  func nextStep() -> Step {
    state.withLock { state in
      if let response = state.response { return .send(response) }
      guard state.hasBegun else {
        state.hasBegun = true
        return .begin
      }
      return .giveUp
    }
  }

  /// Takes the task that makes the response.
  func run(_ task: Task<Void, Never>) { state.withLock { $0.task = task } }

  /// Takes the response.
  func finish(_ response: ServiceResponse) { state.withLock { $0.response = response } }

  /// Takes note of the response that is sent.
  func send(_ response: ServiceResponse) {
    let now = ContinuousClock.now
    state.withLock { state in
      (state.status, state.error, state.sendingBegan) = (response.status, response.error, now)
    }
  }

  /// When the response began to be sent; nil before.
  var sendingBegan: ContinuousClock.Instant? { state.withLock { $0.sendingBegan } }

  /// What was sent, for the log; a status of 0 before.
  var sent: (status: Int, error: ServiceError?) { state.withLock { ($0.status, $0.error) } }

  /// Ends the task, if it still runs.
  func cancel() {
    let task = state.withLock { $0.task.take() }
    task?.cancel()
  }
}
