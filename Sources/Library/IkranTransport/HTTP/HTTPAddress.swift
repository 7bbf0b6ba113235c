import IkranPixels

/// An `http:` or `https:` URL, checked and ready for the wire.
package struct HTTPAddress: Sendable, Hashable {
  /// The URL with its host in ASCII, and with spaces and non-ASCII characters behind it
  /// percent-encoded.
  package let url: String
  /// Scheme, host and port in lower case, without user, password and the scheme's usual port.
  package let origin: String
  /// True for https.
  package let isSecure: Bool
  /// User and password as the URL has them, percent-encoded; empty when it has none.
  package let userInfo: String

  /// Whether the URL has a user or a password.
  package var hasUserInfo: Bool { !userInfo.isEmpty }

  /// Checks a URL.
  ///
  /// - Throws: ``TransportError/invalidURL(_:)`` that says what is wrong.
  package init(_ url: String) throws(TransportError) {
    let scheme = urlScheme(of: url)
    guard let scheme, scheme == "http" || scheme == "https" else {
      throw .invalidURL("the URL does not start with http:// or https://")
    }
    let rest = url.utf8.dropFirst(scheme.utf8.count + 1)
    guard rest.starts(with: "//".utf8) else {
      throw .invalidURL("the URL lacks “//” after “\(scheme):”")
    }
    let authority = rest.dropFirst(2).prefix { !Self.endsAuthority($0) }
    let userEnd = authority.lastIndex(of: UInt8(ascii: "@")).map(authority.index(after:))
    let host = authority[(userEnd ?? authority.startIndex)...]
    guard let first = host.first, first != UInt8(ascii: ":") else {
      throw .invalidURL("the URL names no host")
    }
    var needsEncoding = false
    for byte in url.utf8 {
      guard byte >= 0x20 && byte != 0x7F else {
        throw .invalidURL("the URL contains a control character")
      }
      if byte == 0x20 || byte > 0x7F { needsEncoding = true }
    }
    guard !authority.contains(0x20) else {
      throw .invalidURL("the host in the URL contains a space")
    }
    isSecure = scheme == "https"
    userInfo = String(Substring(authority[..<host.startIndex].dropLast()))
    let usualPort = isSecure ? ":443" : ":80"
    let written = Substring(host)
    let needsConversion =
      first != UInt8(ascii: "[") && host.contains { $0 > 0x7F || $0 == UInt8(ascii: "%") }
    let hostAndPort = try needsConversion ? Self.converted(written) : written.lowercased()
    let end = hostAndPort.hasSuffix(usualPort) ? usualPort.utf8.count : 0
    origin = "\(scheme)://\(hostAndPort.dropLast(end))"
    let head = needsConversion ? url[..<host.startIndex] + hostAndPort : url[..<host.endIndex]
    self.url =
      needsEncoding || needsConversion ? String(head) + Self.encoded(url[host.endIndex...]) : url
  }

  /// A host and its port with the host in ASCII.
  private static func converted(_ hostAndPort: Substring) throws(TransportError) -> String {
    let colon = hostAndPort.utf8.lastIndex(of: UInt8(ascii: ":")) ?? hostAndPort.endIndex
    guard let host = HostName.converted(hostAndPort[..<colon]) else {
      throw .invalidURL("the host in the URL is not a name that can be looked up")
    }
    return host + hostAndPort[colon...]
  }

  /// Host and port, as the URL has them.
  package var hostAndPort: String { String(origin.dropFirst(isSecure ? 8 : 7)) }

  /// The host alone.
  package var host: String {
    let text = hostAndPort
    if text.hasPrefix("["), let end = text.lastIndex(of: "]") { return String(text[...end]) }
    return String(text.prefix { $0 != ":" })
  }

  /// The URL without user and password, its scheme in lower case.
  package var urlWithoutUserInfo: String {
    let start = isSecure ? "https://" : "http://"
    let user = hasUserInfo ? userInfo.utf8.count + 1 : 0
    return start + String(Substring(url.utf8.dropFirst(start.utf8.count + user)))
  }

  /// The same address with user and password in its URL, which has none.
  func adding(userInfo: String) -> HTTPAddress {
    guard !userInfo.isEmpty else { return self }
    let start = isSecure ? "https://" : "http://"
    let url = start + userInfo + "@" + String(Substring(url.utf8.dropFirst(start.utf8.count)))
    // The parts were checked before they were put together.
    return (try? HTTPAddress(url)) ?? self
  }

  private static func endsAuthority(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
  }

  private static func encoded(_ rest: Substring) -> String {
    PercentEncoding.encoded(rest, keeping: "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
  }
}

/// The scheme of a URL in lower case, or nil when the text does not start with one (RFC 3986, 3.1).
package func urlScheme(of url: String) -> String? {
  guard let colon = url.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
  let scheme = url.utf8[..<colon]
  guard let first = scheme.first, isASCIILetter(first) else { return nil }
  let isValid = scheme.allSatisfy { byte in
    isASCIILetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
  }
  return isValid ? Substring(scheme).lowercased() : nil
}

private func isASCIILetter(_ byte: UInt8) -> Bool {
  (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
}
