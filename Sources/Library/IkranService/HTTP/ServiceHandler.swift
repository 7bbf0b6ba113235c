import IkranHTTP
import IkranSystem
import Synchronization

/// Takes the requests of the daemon's threads: what is in memory is sent at once, all else is made
/// by a task while the connection is suspended.
final class ServiceHandler: RequestHandling {
  let suspended = SuspendedConnections()
  private let responses: ResponseMaker
  /// How long a request may take.
  private let limit: Duration
  /// Whether each response is the last of its connection.
  private let isClosing: Atomic<Bool>

  init(_ responses: ResponseMaker, _ timeouts: TimeoutSettings) {
    (self.responses, limit) = (responses, timeouts.request)
    isClosing = Atomic(timeouts.keepAlive == .zero)
  }

  /// Keeps no connection for another request.
  func closeConnections() { isClosing.store(true, ordering: .relaxed) }

  func begin(_ line: RequestLine, on connection: ConnectionHandle) -> ServiceExchange {
    responses.metrics.begin()
    let settings = responses.settings
    var request = ClientRequest(line, on: connection, settings.formats.negotiation)
    if request.trace == nil, settings.sources.http.beginsTraces { request.trace = TraceContext() }
    request.isLocal = !settings.caching.folder.tables.isEmpty && connection.isLocal
    return ServiceExchange(request)
  }

  /// No request needs a body: it is not waited for.
  func isEarly(_ exchange: ServiceExchange) -> Bool {
    exchange.request.hasBody || exchange.request.isAmbiguous
  }

  func receive(_ bytes: Span<UInt8>, of exchange: ServiceExchange) {}

  func proceed(_ exchange: ServiceExchange, on connection: ConnectionHandle) -> Bool {
    guard !suspended.isStopped else { return false }
    switch exchange.nextStep() {
    case .send(let response): return send(response, of: exchange, on: connection)
    case .begin: return begin(exchange, on: connection)
    case .giveUp:
      exchange.cancel()
      let isLate = ContinuousClock.now - exchange.arrival >= limit
      let error: ServiceError = isLate ? .timedOut : .clientLeft
      return send(responses.response(to: error, of: exchange.request), of: exchange, on: connection)
    }
  }

  func end(_ exchange: ServiceExchange, isComplete: Bool) {
    exchange.cancel()
    responses.end(exchange, isComplete: isComplete)
  }

  private func begin(_ exchange: ServiceExchange, on connection: ConnectionHandle) -> Bool {
    switch responses.step(for: exchange.request) {
    case .send(let response): return send(response, of: exchange, on: connection)
    case .make(let job):
      guard let wait = suspended.begin(connection, for: limit) else { return false }
      exchange.run(
        Task { [responses, suspended] in
          exchange.finish(await responses.response(to: job))
          suspended.end(wait)
        }
      )
      return true
    }
  }

  private func send(
    _ response: ServiceResponse,
    of exchange: ServiceExchange,
    on connection: ConnectionHandle
  ) -> Bool {
    exchange.send(response)
    if let error = response.error { responses.metrics.count(error) }
    var response = response
    if isEarly(exchange) || isClosing.load(ordering: .relaxed) {
      response.fields.append(Field("Connection", "close"))
    }
    guard let handle = ResponseHandle(response) else { return false }
    return connection.send(status: response.status, handle.pointer)
  }
}
