/// One request on its way through the daemon; only its connection's thread touches it.
final class Exchange {
  /// The most of a body that is kept.
  private static let maximumBodyBytes = 1 << 20

  private(set) var head: RequestHead
  /// What is sent after a pause.
  var answer: Answer?
  /// How the origin means to treat it.
  let course: Course
  /// Whether it appears in the statistics.
  let isCounted: Bool
  var hasWaited = false

  init(head: RequestHead, course: Course, isCounted: Bool) {
    self.head = head
    self.course = course
    self.isCounted = isCounted
  }

  /// Keeps a part of the request's body.
  func take(_ bytes: [UInt8]) {
    head.body += bytes.prefix(Self.maximumBodyBytes - head.body.count)
  }
}

/// Takes requests from the daemon's threads through their three steps: begin, proceed, end.
final class RequestHandler: Sendable {
  let log = RequestLog()
  let waits = Waits()
  let routes: Routes

  init(routes: Routes) { self.routes = routes }

  /// The head has arrived.
  func begin(_ head: RequestHead) -> Exchange {
    let isCounted = head.path != Routes.statsPath
    var head = head
    var number = 0
    if isCounted {
      (number, head.earlier) = log.begin(head.path, target: routes.target(of: head))
    }
    let course = routes.course(of: head, number: number)
    return Exchange(head: head, course: course, isCounted: isCounted)
  }

  /// The request is complete, or its pause is over; false closes the connection.
  func proceed(_ exchange: Exchange, on connection: ConnectionHandle) -> Bool {
    // Who was woken because the origin stops gets no answer before its time.
    guard !waits.isStopped else {
      log.answer(0)
      return false
    }
    if exchange.course.delay > .zero && !exchange.hasWaited {
      exchange.hasWaited = true
      return waits.pause(connection, for: exchange.course.delay)
    }
    guard let answer = exchange.answer ?? answer(exchange) else {
      log.answer(0)
      return false
    }
    if answer.delay > .zero && exchange.answer == nil {
      exchange.answer = answer
      return waits.pause(connection, for: answer.delay)
    }
    guard !answer.resets || answer.cut != nil else {
      log.answer(0)
      connection.reset()
      return false
    }
    if exchange.isCounted { log.answer(answer.status) }
    return connection.send(answer, waits: waits)
  }

  /// The answer is sent, or the connection is gone.
  func end(_ exchange: Exchange) {
    if exchange.isCounted { log.end(exchange.head.path) }
  }

  private func answer(_ exchange: Exchange) -> Answer? {
    guard exchange.head.path == Routes.statsPath else {
      return routes.answer(to: exchange.head, fate: exchange.course.fate)
    }
    let json = log.statistics.json
    var answer = Answer.text(200, json)
    answer.fields = [Field("Content-Type", "application/json"), Field("Cache-Control", "no-store")]
    return answer
  }
}
