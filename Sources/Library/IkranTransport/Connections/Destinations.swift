/// Where ``CurlTransport`` may go, with the first address of a request and with every redirect.
public struct Destinations: Sendable, Hashable {
  /// The schemes that may be used.
  public var schemes: Set<HTTPScheme>
  /// The network addresses that may be connected to.
  public var addresses: AddressPolicy

  /// Creates rules; by default everything is allowed.
  public init(schemes: Set<HTTPScheme> = [.http, .https], addresses: AddressPolicy = .any) {
    self.schemes = schemes
    self.addresses = addresses
  }

  /// Whether an address's scheme may be used.
  func allow(_ address: HTTPAddress) -> Bool {
    schemes.contains(address.isSecure ? .https : .http)
  }
}

/// A scheme that ``CurlTransport`` knows.
public enum HTTPScheme: Sendable, Hashable {
  /// In the clear.
  case http
  /// Over TLS.
  case https
}

/// Which network addresses may be connected to.
public enum AddressPolicy: Sendable, Hashable {
  /// All.
  case any
  /// Only addresses of the public internet: for programs that fetch URLs of strangers.
  ///
  /// It is a rule for `http:` and `https:` alone; ``Transport/untrustedURLs(_:)`` refuses local
  /// files as well.
  ///
  /// Refused are loopback, private, link-local, shared (carrier-grade NAT), multicast,
  /// unspecified, documentation, benchmarking and reserved addresses, and IPv6 addresses in which
  /// such an IPv4 address is hidden: mapped, compatible, 6to4, NAT64 and ISATAP; Teredo is refused
  /// altogether. A NAT64 prefix that a network chose for itself cannot be told from other public
  /// addresses.
  ///
  /// What is judged is the address of each connection, when it is opened. So every spelling of a
  /// host, every redirect, and a name whose address changes between look-ups are covered. A
  /// transfer ends with ``TransportError/forbiddenAddress(_:)``. With a ``ProxyOptions/server(_:)``
  /// the proxy decides where to connect: its own address is not judged, nor are the servers'.
  case publicOnly
  /// Those of the public internet, and of these networks: for servers in the networks of their
  /// sources.
  ///
  /// What is judged, and when, is as for ``publicOnly``.
  case publicAnd(LocalNetworks)

  /// Whether some addresses are refused.
  var refusesSome: Bool { self != .any }

  /// Whether an address may be connected to.
  func allows(_ address: NetworkAddress) -> Bool {
    switch self {
    case .any: true
    case .publicOnly: address.isPublic
    case .publicAnd(let networks):
      address.isPublic || !networks.isDisjoint(with: address.localNetwork)
    }
  }
}

/// Networks that are not of the public internet.
public struct LocalNetworks: OptionSet, Sendable, Hashable {
  /// One bit for each.
  public let rawValue: UInt8

  /// Makes a set from its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// This machine: 127.0.0.0/8 and ::1.
  public static let loopback = LocalNetworks(rawValue: 1)
  /// What is on the same cable: 169.254.0.0/16, where clouds have their metadata, and fe80::/10.
  public static let linkLocal = LocalNetworks(rawValue: 2)
  /// 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16 and fc00::/7.
  public static let privateUse = LocalNetworks(rawValue: 4)
}
