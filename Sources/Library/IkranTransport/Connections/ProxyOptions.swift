/// What stands between ``CurlTransport`` and the servers.
public enum ProxyOptions: Sendable, Hashable {
  /// What `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` say, as libcurl reads them.
  ///
  /// With ``AddressPolicy/publicOnly`` the environment is not asked: there is no proxy then.
  case environment
  /// None.
  case none
  /// This one.
  case server(ProxyServer)
}

/// One proxy.
public struct ProxyServer: Sendable, Hashable {
  /// Scheme, host and port: `http://`, `https://`, `socks5://` or `socks5h://`.
  public var url: String
  /// The user's name, when the proxy wants one.
  public var user: String?
  /// The password, when the proxy wants one.
  public var password: String?
  /// Hosts that are reached directly, without port, IPv6 addresses in brackets; a name stands for
  /// its subdomains, too.
  public var bypassedHosts: [String]

  /// Creates a proxy; by default it is used for every host and without credentials.
  public init(
    url: String,
    user: String? = nil,
    password: String? = nil,
    bypassedHosts: [String] = []
  ) {
    self.url = url
    self.user = user
    self.password = password
    self.bypassedHosts = bypassedHosts
  }

  /// Whether a host, in ASCII and lower case, is reached through the proxy.
  func serves(_ host: String) -> Bool {
    !bypassedHosts.contains { bypassed in
      let name = HostName.converted(bypassed[...]) ?? bypassed.lowercased()
      return !name.isEmpty && (host == name || host.hasSuffix("." + name))
    }
  }
}
