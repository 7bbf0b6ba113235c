#if CLibraries
import CCurl

// Why a transfer failed where libcurl's code does not say: it took too long, or the proxy failed
// and not the server.

extension CurlTransfer {
  /// libcurl has one code for everything that takes too long; the time spent tells them apart.
  ///
  /// libcurl counts milliseconds, so it may end a transfer up to one of them before its time.
  func slowness(of request: TransportRequest, after time: Duration) -> TransportError {
    guard time + .milliseconds(1) < request.timeout else {
      return .timedOut(after: request.timeout)
    }
    // The request went out: it was neither the whole timeout nor that of the connection.
    if easy.number(CURLINFO_REQUEST_SIZE) > 0, let speed = options.limits.minimumSpeed {
      return .tooSlow(speed)
    }
    return .timedOut(after: min(request.connectTimeout, request.timeout))
  }

  /// The failure of the proxy that a hop goes through; nil when it is not the proxy that failed.
  func proxyFailure(_ code: CURLcode, at hop: HTTPHop) -> TransportError? {
    guard let proxy = proxy(of: hop) else { return nil }
    let connectStatus = easy.number(CURLINFO_HTTP_CONNECTCODE)
    switch code {
    case CURLE_COULDNT_RESOLVE_PROXY:
      return .proxyFailed(host: proxy, reason: "its name was not found")
    case CURLE_COULDNT_CONNECT where !isConnected:
      return .proxyFailed(host: proxy, reason: "the connection was refused")
    case CURLE_OPERATION_TIMEDOUT where !isConnected:
      return .proxyFailed(host: proxy, reason: "no connection in time")
    case CURLE_PROXY: return .proxyFailed(host: proxy, reason: easy.reason(code))
    case CURLE_COULDNT_CONNECT where connectStatus >= 300,
      CURLE_RECV_ERROR where connectStatus >= 300:
      return .proxyFailed(host: proxy, reason: "its status for CONNECT was \(connectStatus)")
    default: return nil
    }
  }

  /// Whether the connection to the proxy was opened, its handshake included.
  private var isConnected: Bool { easy.offset(CURLINFO_CONNECT_TIME_T) > 0 }

  /// The host and port of the proxy that a hop goes through, without credentials; nil when it goes
  /// through none.
  private func proxy(of hop: HTTPHop) -> String? {
    switch options.proxy {
    case .none: return nil
    case .server(let server):
      return server.serves(hop.address.host) ? ProxyServer.hostAndPort(server.url) : nil
    case .environment where options.destinations.addresses.refusesSome: return nil
    case .environment: return environmentProxy(of: hop.address).map(ProxyServer.hostAndPort)
    }
  }

  /// The proxy that libcurl takes from the environment, as its manual says.
  ///
  /// Only called after a failure. Of `no_proxy` the ranges of addresses (`10.0.0.0/8`) are not
  /// heeded: libcurl does not tell which proxy it used before 8.7.
  private func environmentProxy(of address: HTTPAddress) -> String? {
    let own = address.isSecure ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
    guard let proxy = Self.variable(own + ["all_proxy", "ALL_PROXY"]) else { return nil }
    let exempt = Self.variable(["no_proxy", "NO_PROXY"]) ?? ""
    if exempt == "*" { return nil }
    let names = exempt.split { $0 == "," || $0 == " " }.map { name in
      String(name.first == "." ? name.dropFirst() : name)
    }
    let server = ProxyServer(url: proxy, bypassedHosts: names)
    return server.serves(address.host) ? proxy : nil
  }

  /// The first of some variables that is set and not empty.
  ///
  /// `curl_getenv`.
  private static func variable(_ names: [String]) -> String? {
    for name in names {
      guard let raw = curl_getenv(name) else { continue }
      defer { curl_free(raw) }
      let value = String(cString: raw)
      if !value.isEmpty { return value }
    }
    return nil
  }
}

extension ProxyServer {
  /// The host and port of a proxy's URL, without its scheme and credentials.
  static func hostAndPort(_ url: String) -> String {
    var rest = url[...]
    if let scheme = rest.firstRange(of: "://") { rest = rest[scheme.upperBound...] }
    rest = rest.prefix { $0 != "/" }
    if let end = rest.lastIndex(of: "@") { rest = rest[rest.index(after: end)...] }
    return String(rest)
  }
}
#endif
