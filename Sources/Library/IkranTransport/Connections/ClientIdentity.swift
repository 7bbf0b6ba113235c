/// What ``CurlTransport`` tells servers about who is asking.
public struct ClientIdentity: Sendable, Hashable {
  /// The `User-Agent` field, unless a request brings its own.
  public var userAgent: String
  /// A name and password for one server; nil for none.
  public var credential: Credential?
  /// Whether cookies that servers set are sent back to them; kept in memory, for this transport.
  ///
  /// A pipeline uses a stored response with `Vary: Cookie` only for requests that are sent equal
  /// cookies. It knows of them when its transport is this one, or a ``SchemeTransport`` with it.
  public var keepsCookies: Bool

  /// Creates an identity; by default there is no credential and cookies are ignored.
  public init(
    userAgent: String = "Ikran/0.1",
    credential: Credential? = nil,
    keepsCookies: Bool = false
  ) {
    self.userAgent = userAgent
    self.credential = credential
    self.keepsCookies = keepsCookies
  }
}

/// A name and password for one server, sent with basic authentication (RFC 7617).
///
/// They go out with the first request, once: a server that refuses them has its 401 as the
/// response. No other origin ever gets them, neither by a request nor by a redirect. A request
/// whose URL has a user and password of its own sends those.
public struct Credential: Sendable, Hashable {
  /// The user's name; it has no colon.
  public var user: String
  /// The password.
  public var password: String
  /// Scheme, host and port of the server, for example `https://images.example.com`.
  public var origin: String

  /// Creates a credential.
  public init(user: String, password: String, origin: String) {
    self.user = user
    self.password = password
    self.origin = origin
  }

  /// The origin in the form of ``HTTPAddress/origin``; nil when it is none.
  var canonicalOrigin: String? {
    // What is no address matches no request.
    (try? HTTPAddress(origin))?.origin
  }
}
