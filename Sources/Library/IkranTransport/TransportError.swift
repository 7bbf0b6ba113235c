/// Why no response arrived.
@nonexhaustive
public enum TransportError: Error, Sendable, Hashable {
  /// The caller's task was cancelled, or the transport was shut down.
  case cancelled
  /// The URL cannot be fetched; the text says why.
  case invalidURL(String)
  /// The host's name has no address.
  case hostNotFound(String)
  /// Nothing listens at the host's address.
  case cannotConnect(String)
  /// The proxy cannot be reached, or refuses its part; the server was not asked. The text says why.
  case proxyFailed(host: String, reason: String)
  /// A time-out passed; the duration is the one that was set.
  case timedOut(after: Duration)
  /// The TLS handshake or the certificate was refused; the text says why.
  case tls(String)
  /// More redirects than allowed.
  case tooManyRedirects(limit: Int)
  /// A redirect led to a scheme that is neither http nor https, or not allowed.
  case forbiddenRedirect(String)
  /// The body is larger than the request allows.
  case bodyTooLarge(limit: Int)
  /// The headers of the response, redirects included, are longer than allowed.
  case headersTooLarge(limit: Int)
  /// The transfer was slower than allowed for too long; the speed is the one that was set.
  case tooSlow(MinimumSpeed)
  /// All addresses of the host are ones that the ``AddressPolicy`` refuses, or do not respond.
  case forbiddenAddress(String)
  /// The system has networks, but none that the options or the user allow.
  case forbiddenNetwork(NetworkRefusal)
  /// The installed network library cannot do what the options want; the text says what.
  case unsupported(String)
  /// The response breaks the rules of HTTP, so that the end of its body is unknown; the text says
  /// how.
  case invalidResponse(String)
  /// The body's content or transfer encoding cannot be removed; the text says which, and why.
  case contentEncoding(String)
  /// The connection ended before the body did.
  case connectionLost(received: Int)
  /// A local file could not be read; the text is the system's.
  case file(path: String, reason: String)
  /// Anything else the network library reports, in its words.
  case failed(code: Int, reason: String)

  /// Why the system has no network for a transfer.
  public enum NetworkRefusal: Sendable, Hashable {
    /// The user wants to save data on the network that there is.
    case constrained
    /// The network that there is costs money, such as a mobile one.
    case expensive
    /// The user has forbidden this program to use mobile networks: no request can have one.
    case cellular
  }
}

extension TransportError.NetworkRefusal: CustomStringConvertible {
  /// The reason in a clause.
  public var description: String {
    switch self {
    case .constrained: "data is to be saved on this network"
    case .expensive: "this network is expensive"
    case .cellular: "mobile networks are not allowed for this program"
    }
  }
}

extension TransportError: CustomStringConvertible {
  /// One sentence a user can act on, without a URL and without secrets.
  public var description: String {
    switch self {
    case .cancelled: "the transfer was cancelled"
    case .invalidURL(let reason): reason
    case .hostNotFound(let host): "the host “\(host)” was not found; check the name and the network"
    case .cannotConnect(let host): "no server answers at \(host); check the address and the server"
    case .proxyFailed(let host, let reason):
      "the proxy \(host) failed: \(reason); check the proxy's address and the proxy"
    case .timedOut(let limit): "the time-out of \(Self.text(limit)) passed; try again later"
    case .tls(let reason): "the secure connection was refused: \(reason)"
    case .tooManyRedirects(let limit):
      "the server redirects in a circle, or more than \(limit) times"
    case .forbiddenRedirect(let target):
      "the server redirects to “\(target)”, which is neither http nor https, or not allowed"
    case .bodyTooLarge(let limit): "the body is larger than the limit of \(limit) bytes"
    case .headersTooLarge(let limit):
      "the header of the answer is longer than the limit of \(limit) bytes"
    case .tooSlow(let speed):
      "less than \(speed.bytesPerSecond) bytes a second arrived for \(Self.text(speed.duration));"
        + " try again later"
    case .forbiddenAddress(let host):
      "“\(host)” is not on the public internet, or not in a network that may be connected to"
    case .forbiddenNetwork(let reason): "no network may be used now: \(reason)"
    case .unsupported(let reason): reason
    case .invalidResponse(let reason): "the server's response is not valid HTTP: \(reason)"
    case .contentEncoding(let reason): reason
    case .connectionLost(let received):
      "the connection ended after \(received) bytes, before the body did; try again"
    case .file(let path, let reason): "cannot read “\(path)”: \(reason)"
    case .failed(let code, let reason):
      // URLSession's codes are below zero, libcurl's above.
      "the transfer failed: \(reason) (\(code < 0 ? "URLSession" : "libcurl") \(code))"
    }
  }

  private static func text(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    let milliseconds = attoseconds / 1_000_000_000_000_000
    if milliseconds == 0 { return "\(seconds) s" }
    if seconds == 0 { return "\(milliseconds) ms" }
    return "\(Double(seconds) + Double(milliseconds) / 1000) s"
  }
}
