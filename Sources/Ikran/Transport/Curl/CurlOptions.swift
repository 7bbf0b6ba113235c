/// How ``CurlTransport`` uses the network.
public struct CurlOptions: Sendable, Hashable {
  /// Connections to one host and port at a time; more transfers wait their turn.
  public var maximumConnectionsPerHost: Int
  /// Transfers at a time in all, and connections in all with the idle ones kept for reuse.
  public var maximumConnections: Int
  /// Transfers at a time to one host that speaks HTTP/2, where they share a connection.
  public var maximumStreamsPerHost: Int
  /// Redirects that one transfer follows.
  public var maximumRedirects: Int
  /// The `User-Agent` field, unless a request brings its own.
  public var userAgent: String
  /// A PEM file of certificate authorities to trust besides the system's; nil for none.
  ///
  /// Certificates are always verified: this is how a private authority is allowed.
  public var additionalCAFile: String?

  /// Creates options; numbers under 1 count as 1, a negative number of redirects as none.
  public init(
    maximumConnectionsPerHost: Int = 6,
    maximumConnections: Int = 64,
    maximumRedirects: Int = 5,
    userAgent: String = "Ikran/0.1",
    additionalCAFile: String? = nil
  ) {
    self.maximumConnectionsPerHost = maximumConnectionsPerHost
    self.maximumConnections = maximumConnections
    self.maximumStreamsPerHost = 64
    self.maximumRedirects = maximumRedirects
    self.userAgent = userAgent
    self.additionalCAFile = additionalCAFile
  }
}
