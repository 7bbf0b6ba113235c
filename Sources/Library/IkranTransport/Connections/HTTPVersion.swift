/// Which version of HTTP ``CurlTransport`` speaks.
public enum HTTPVersion: Sendable, Hashable {
  /// HTTP/2 where TLS agrees on it, HTTP/1.1 elsewhere.
  case automatic
  /// HTTP/1.1 only.
  case http1
  /// HTTP/2 where TLS agrees on it, and over plain `http:` without asking the server first.
  case http2
  /// HTTP/3, falling back to older versions; every transfer fails with
  /// ``TransportError/unsupported(_:)`` when the installed libcurl has none.
  case http3
}
