import IkranHTTP

/// One request and its state in the daemon; only its connection's thread uses it.
final class Exchange {
  /// The most bytes of a body that are stored.
  private static let maximumBodyBytes = 1 << 20

  private(set) var head: RequestHead
  /// The response that is sent after a pause.
  var response: Response?
  /// The delay and outcome chosen for it.
  let plan: RequestPlan
  /// Whether it appears in the statistics.
  let isCounted: Bool
  var hasWaited = false

  init(head: RequestHead, plan: RequestPlan, isCounted: Bool) {
    self.head = head
    self.plan = plan
    self.isCounted = isCounted
  }

  /// Stores a part of the request's body.
  func append(_ bytes: Span<UInt8>) {
    let count = min(bytes.count, Self.maximumBodyBytes - head.body.count)
    for index in 0..<count { head.body.append(bytes[index]) }
  }
}

/// Handles the requests of all the daemon's threads in three steps: begin, proceed, end.
final class RequestHandler: RequestHandling {
  let log = RequestLog()
  let suspended = SuspendedConnections()
  let routes: Routes

  init(routes: Routes) { self.routes = routes }

  /// Called when the head has arrived.
  func begin(_ line: RequestLine, on connection: ConnectionHandle) -> Exchange {
    var head = RequestHead(line, connection, withAllFields: routes.needsWholeRequests)
    let isCounted = head.path != Routes.statsPath
    var number = 0
    if isCounted {
      (number, head.earlier) = log.begin(head.path, target: routes.target(of: head))
    }
    let plan = routes.plan(for: head, number: number)
    return Exchange(head: head, plan: plan, isCounted: isCounted)
  }

  /// Only a custom handler needs the body; it is discarded otherwise.
  func receive(_ bytes: Span<UInt8>, of exchange: Exchange) {
    if routes.needsWholeRequests { exchange.append(bytes) }
  }

  /// Called when the request is complete, or its pause is over; false closes the connection.
  func proceed(_ exchange: Exchange, on connection: ConnectionHandle) -> Bool {
    // A connection that was resumed because the origin stops gets no early response.
    guard !suspended.isStopped else {
      log.count(status: 0)
      return false
    }
    if exchange.plan.delay > .zero && !exchange.hasWaited {
      exchange.hasWaited = true
      return suspended.pause(connection, for: exchange.plan.delay)
    }
    guard let response = exchange.response ?? response(exchange) else {
      log.count(status: 0)
      return false
    }
    if response.delay > .zero && exchange.response == nil {
      exchange.response = response
      return suspended.pause(connection, for: response.delay)
    }
    guard !response.resets || response.cut != nil else {
      log.count(status: 0)
      connection.reset()
      return false
    }
    if exchange.isCounted { log.count(status: response.status) }
    guard let handle = ResponseHandle(response, connection: connection, suspended: suspended) else {
      return false
    }
    return connection.send(status: response.status, handle.pointer)
  }

  /// The response was sent, or the connection is closed.
  func end(_ exchange: Exchange, isComplete: Bool) {
    if exchange.isCounted { log.end(exchange.head.path) }
  }

  private func response(_ exchange: Exchange) -> Response? {
    guard exchange.head.path == Routes.statsPath else {
      return routes.response(to: exchange.head, outcome: exchange.plan.outcome)
    }
    let json = log.statistics.json
    var response = Response.text(200, json)
    response.fields = [
      Field("Content-Type", "application/json"), Field("Cache-Control", "no-store"),
    ]
    return response
  }
}
