import IkranHTTP

/// Sends the counts of a service, whatever the path.
final class StatisticsHandler: RequestHandling {
  final class Exchange: Sendable {}

  private let text: @Sendable () -> String

  init(_ text: @escaping @Sendable () -> String) { self.text = text }

  func begin(_ line: RequestLine, on connection: ConnectionHandle) -> Exchange { Exchange() }

  func receive(_ bytes: Span<UInt8>, of exchange: Exchange) {}

  func proceed(_ exchange: Exchange, on connection: ConnectionHandle) -> Bool {
    let type = Field("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
    let body = BodyBytes(Array(text().utf8))
    let response = ServiceResponse(status: 200, fields: [type], body: body)
    guard let handle = ResponseHandle(response) else { return false }
    return connection.send(status: 200, handle.pointer)
  }

  func end(_ exchange: Exchange, isComplete: Bool) {}
}
