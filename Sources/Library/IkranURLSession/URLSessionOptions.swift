public import IkranTransport

/// How ``URLSessionTransport`` uses the network.
///
/// Most of it has the types of `CurlOptions`. What URLSession cannot do is refused when a transport
/// is made with it, not ignored.
public struct URLSessionOptions: Sendable, Hashable {
  /// Connections to one host and port at a time; more transfers wait their turn.
  public var connectionsPerHost = 6
  /// What ends a transfer, next to the limits of its request.
  ///
  /// Headers are counted once they are complete; a minimum speed is refused.
  public var limits: TransferLimits
  /// Where transfers may go; of the addresses none can be refused.
  public var destinations: Destinations
  /// What requests say of their sender; cookies are refused.
  public var identity: ClientIdentity
  /// Which servers to trust; all but the defaults is refused.
  public var tls = TLSOptions()
  /// What stands between here and the servers: what the system says, which on Linux is the
  /// environment, or on Apple's platforms nothing.
  public var proxy = ProxyOptions.environment
  /// Which version of HTTP to speak; all but ``HTTPVersion/automatic`` is refused.
  public var httpVersion = HTTPVersion.automatic
  /// Which networks may be used, and when.
  public var networks: NetworkAccess

  /// Creates options; by default there is no minimum speed.
  public init(
    limits: TransferLimits = TransferLimits(minimumSpeed: nil),
    destinations: Destinations = Destinations(),
    identity: ClientIdentity = ClientIdentity(),
    networks: NetworkAccess = NetworkAccess()
  ) {
    self.limits = limits
    self.destinations = destinations
    self.identity = identity
    self.networks = networks
  }
}

/// Which networks ``URLSessionTransport`` may use, and when.
///
/// Linux has no such choice: all but the defaults is refused there.
public struct NetworkAccess: Sendable, Hashable {
  /// Whether a transfer without a network waits for one, until its timeout, rather than fail.
  ///
  /// Not together with networks that may not be used: it would wait for one that may, where an
  /// alternative could be loaded. That is refused.
  public var waitsForConnectivity: Bool
  /// Whether networks may be used that the system calls expensive, such as a mobile one.
  ///
  /// Transfers that have no other end with ``TransportError/forbiddenNetwork(_:)``; a pipeline then
  /// takes the request's alternative for low data, which may use them.
  public var allowsExpensive: Bool
  /// Whether networks may be used on which the user wants to save data.
  ///
  /// Transfers that have no other end with ``TransportError/forbiddenNetwork(_:)``; a pipeline then
  /// takes the request's alternative for low data, which may use them.
  public var allowsConstrained: Bool

  /// Creates a choice; by default every network may be used, and none is waited for.
  public init(
    waitsForConnectivity: Bool = false,
    allowsExpensive: Bool = true,
    allowsConstrained: Bool = true
  ) {
    self.waitsForConnectivity = waitsForConnectivity
    self.allowsExpensive = allowsExpensive
    self.allowsConstrained = allowsConstrained
  }

  /// What one request may use: what is made for low data may use every network.
  package func forRequest(isForLowData: Bool) -> NetworkAccess {
    guard isForLowData else { return self }
    return NetworkAccess(waitsForConnectivity: waitsForConnectivity)
  }
}
