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
    var sent = Sent()
  }

  /// What was sent.
  struct Sent {
    /// 0 before.
    var status = 0
    var error: ServiceError?
    var wanted: ServiceRequest?
    /// When it began to be sent; nil before.
    var began: ContinuousClock.Instant?
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
    let sent = Sent(
      status: response.status,
      error: response.error,
      wanted: response.wanted,
      began: .now
    )
    state.withLock { $0.sent = sent }
  }

  /// What was sent, for the log.
  var sent: Sent { state.withLock { $0.sent } }

  /// Ends the task, if it still runs.
  func cancel() {
    let task = state.withLock { $0.task.take() }
    task?.cancel()
  }
}
