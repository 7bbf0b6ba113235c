/// Why no answer arrived.
public enum TransportError: Error, Sendable, Hashable {
  /// The caller's task was cancelled.
  case cancelled
  /// The URL cannot be fetched; the text says why.
  case invalidURL(String)
  /// The host's name has no address.
  case hostNotFound(String)
  /// Nobody answered at the host's address.
  case cannotConnect(String)
  /// A time-out passed; the duration is the one that was set.
  case timedOut(after: Duration)
  /// The TLS handshake or the certificate was refused; the text says why.
  case tls(String)
  /// More redirects than allowed.
  case tooManyRedirects(limit: Int)
  /// A redirect led to a scheme that is not http or https.
  case forbiddenRedirect(String)
  /// The body is larger than the request allows.
  case bodyTooLarge(limit: Int)
  /// The connection ended before the body did.
  case connectionLost(received: Int)
  /// A local file could not be read; the text is the system's.
  case file(path: String, reason: String)
  /// Anything else the network library reports, in its words.
  case failed(code: Int, reason: String)
}
