import IkranTransport

/// Where Redis is: `redis://USER:PASSWORD@HOST:PORT/DATABASE`.
struct RedisPlace: Sendable, Hashable {
  var host: String
  var port = 6379
  var user: String?
  var password: String?
  var database = 0

  /// Reads a URL; nil for what is none.
  init?(_ url: String) {
    guard urlScheme(of: url) == "redis", url.utf8.dropFirst(6).starts(with: "//".utf8) else {
      return nil
    }
    var rest = url.dropFirst("redis://".count)
    if let sign = rest.lastIndex(of: "@") {
      let user = rest[..<sign]
      let parts = user.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      let texts = parts.compactMap { percentDecoded($0.utf8) }
        .map { String(decoding: $0, as: UTF8.self) }
      guard texts.count == 2 else { return nil }
      (self.user, password) = (texts[0].isEmpty ? nil : texts[0], texts[1])
      rest = rest[rest.index(after: sign)...]
    }
    if let slash = rest.firstIndex(of: "/") {
      let text = rest[rest.index(after: slash)...]
      guard text.isEmpty || Int(text) != nil else { return nil }
      database = Int(text) ?? 0
      rest = rest[..<slash]
    }
    guard let (host, port) = hostAndPort(rest, port: 6379) else { return nil }
    (self.host, self.port) = (host, port)
  }
}

/// The host and the port of `HOST:PORT`, where IPv6 has brackets; nil for what is none.
func hostAndPort(_ text: some StringProtocol, port standard: Int) -> (host: String, port: Int)? {
  var host = String(text)
  var port = standard
  if let colon = host.lastIndex(of: ":"), !host.hasSuffix("]") {
    guard let number = UInt16(host[host.index(after: colon)...]), number > 0 else { return nil }
    (host, port) = (String(host[..<colon]), Int(number))
  }
  if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
  return host.isEmpty || host.contains("/") ? nil : (host, port)
}
