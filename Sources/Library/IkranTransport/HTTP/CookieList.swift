import IkranSystem

/// The cookies that a transport keeps, at one moment.
///
/// It says for a URL which of them are sent, so that `Vary: Cookie` can be kept. A cookie too many
/// only means that a stored response is not used: what is for secure connections alone is not told
/// apart.
struct CookieList: Sendable, Hashable {
  private struct Cookie: Hashable {
    /// Without a dot before it.
    let domain: Substring
    let servesSubdomains: Bool
    let path: Substring
    /// Seconds since 1970; 0 for one that lasts as long as the transport.
    let expires: Int64
    let text: String
  }

  private var cookies: [Cookie] = []

  init() {}

  /// Reads lines of Netscape's cookie file; others are skipped.
  ///
  /// Domain, whether subdomains have it, path, whether it is secure, when it expires, name and
  /// value, separated by tabs.
  init(_ lines: [String]) {
    cookies = lines.compactMap { line in
      let mark = "#HttpOnly_"
      let fields = (line.hasPrefix(mark) ? line.dropFirst(mark.count) : Substring(line))
        .split(separator: "\t", maxSplits: 6, omittingEmptySubsequences: false)
      guard fields.count == 7, let expires = Int64(fields[4]) else { return nil }
      return Cookie(
        domain: fields[0].drop { $0 == "." },
        servesSubdomains: fields[1] == "TRUE",
        path: fields[2],
        expires: expires,
        text: "\(fields[5])=\(fields[6])"
      )
    }
  }

  /// The `Cookie` field that a request to an address is sent with; nil when it is sent none.
  func field(
    for address: HTTPAddress,
    at seconds: Int64 = WallClock.microseconds() / 1_000_000
  ) -> HeaderField? {
    guard !cookies.isEmpty else { return nil }
    let host = address.host.filter { $0 != "[" && $0 != "]" }
    let path = address.path
    let sent = cookies.filter { cookie in
      let domain = cookie.domain.lowercased().filter { $0 != "[" && $0 != "]" }
      let isHost = domain == host || cookie.servesSubdomains && host.hasSuffix("." + domain)
      return isHost && path.hasPrefix(cookie.path)
        && (cookie.expires == 0 || cookie.expires > seconds)
    }
    guard !sent.isEmpty else { return nil }
    return HeaderField("Cookie", sent.map(\.text).sorted().joined(separator: "; "))
  }
}

extension HTTPAddress {
  /// The path, `/` when the URL has none.
  fileprivate var path: String {
    let rest = url.dropFirst(isSecure ? 8 : 7).drop { $0 != "/" && $0 != "?" && $0 != "#" }
    let path = rest.prefix { $0 != "?" && $0 != "#" }
    return path.isEmpty ? "/" : String(path)
  }
}

extension ClientIdentity {
  /// The fields that a transport without cookies adds to requests for an address, and that say who
  /// asks.
  package func addedFields(for address: HTTPAddress) -> [HeaderField] {
    addedFields(for: address, CookieList())
  }

  /// The fields that a transport adds to requests for an address, and that say who asks.
  ///
  /// That of a credential has its parts in clear: it is compared, never sent.
  func addedFields(for address: HTTPAddress, _ cookies: CookieList) -> [HeaderField] {
    var fields: [HeaderField] = []
    if let credential, address.userInfo.isEmpty, address.origin == credential.canonicalOrigin {
      fields.append(HeaderField("Authorization", "\(credential.user):\(credential.password)"))
    }
    if let cookie = cookies.field(for: address) { fields.append(cookie) }
    return fields
  }
}
