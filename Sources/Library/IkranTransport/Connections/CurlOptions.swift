#if CLibraries
/// How ``CurlTransport`` uses the network.
public struct CurlOptions: Sendable, Hashable {
  /// How many connections there may be.
  public var connections: ConnectionLimits
  /// What ends a transfer, next to the limits of its request.
  public var limits: TransferLimits
  /// Where transfers may go.
  public var destinations: Destinations
  /// The `User-Agent` that servers see.
  public var identity: ClientIdentity
  /// Which servers to trust, and how the client proves its identity.
  public var tls: TLSOptions
  /// What stands between here and the servers.
  public var proxy: ProxyOptions
  /// Which version of HTTP to speak.
  public var httpVersion: HTTPVersion

  /// Creates options.
  public init(
    connections: ConnectionLimits = ConnectionLimits(),
    limits: TransferLimits = TransferLimits(),
    destinations: Destinations = Destinations(),
    identity: ClientIdentity = ClientIdentity(),
    tls: TLSOptions = TLSOptions(),
    proxy: ProxyOptions = .environment,
    httpVersion: HTTPVersion = .automatic
  ) {
    self.connections = connections
    self.limits = limits
    self.destinations = destinations
    self.identity = identity
    self.tls = tls
    self.proxy = proxy
    self.httpVersion = httpVersion
  }
}
#endif
