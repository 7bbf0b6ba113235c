/// A request that has ended, for a log.
package struct RequestRecord: Sendable {
  /// The name of the request, which its response has, too.
  package let id: String
  /// The number of the client's address; nil for a Unix socket.
  package let client: String?
  /// The method, as the client sent it.
  package let method: String
  /// The path without the signature, the query, and what is secret in the source's URL.
  package let path: String
  /// The status; 0 for a client that left before it was sent.
  package let status: Int
  /// Why there was no picture; nil where there was one.
  package let error: String?
  /// The id of the trace that it belongs to (W3C Trace Context); nil for none.
  package let trace: String?
  /// From the head's arrival to the end of the response.
  package let duration: Duration

  /// How much it matters.
  package var level: LogLevel { Self.level(status: status, hasError: error != nil) }

  /// How much a request with such an end matters.
  static func level(status: Int, hasError: Bool) -> LogLevel {
    // A client that left has an error, too, but it is not the service's, nor its source's.
    if status == 0 || status == 499 { return .warn }
    if hasError || status >= 500 { return .error }
    return (200..<400).contains(status) ? .info : .warn
  }
}
