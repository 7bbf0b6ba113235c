/// What a daemon calls with each request, on any of its threads: begin, receive, proceed, end.
///
/// The calls of one request come one after the other, on its connection's thread.
package protocol RequestHandling: AnyObject, Sendable {
  /// One request and its state.
  associatedtype Exchange: AnyObject

  /// The head has arrived.
  func begin(_ line: RequestLine, on connection: ConnectionHandle) -> Exchange

  /// Whether the response is sent before the body arrives.
  ///
  /// Then ``proceed(_:on:)`` is called at once, and the connection closed where a body would come.
  func isEarly(_ exchange: Exchange) -> Bool

  /// A part of the body has arrived.
  func receive(_ bytes: Span<UInt8>, of exchange: Exchange)

  /// The request is complete, or its pause is over; false closes the connection.
  func proceed(_ exchange: Exchange, on connection: ConnectionHandle) -> Bool

  /// The response was sent, or the connection is closed; `isComplete` says which.
  func end(_ exchange: Exchange, isComplete: Bool)
}

extension RequestHandling {
  /// Waits for the whole request.
  package func isEarly(_ exchange: Exchange) -> Bool { false }
}

/// The first line of a request.
package struct RequestLine: Sendable {
  /// The method, as the client sent it.
  package let method: String
  /// The percent-decoded path without the query, or the target as it was sent where the daemon
  /// keeps it.
  package let target: String
}

/// How a daemon treats its clients.
package struct DaemonOptions: Sendable {
  /// How many threads serve requests, each with its own epoll loop.
  package var threads = 2
  /// More connections wait to be accepted.
  package var maximumConnections = 4096
  /// A connection that is silent for so long is closed.
  package var idleSeconds = 120
  /// Bytes for the head of a request, a larger one gets a 431; 0 leaves it to libmicrohttpd.
  package var headBytes = 0
  /// How long the parts of a connection may take in all; nil is for ever.
  package var limits: ConnectionLimits?
  /// Whether handlers get the target as it was sent, with its query and its escapes.
  package var keepsTarget = false
  /// Whether requests that break RFC 9112 are refused.
  package var isStrict = false

  /// Creates options.
  package init() {}
}
