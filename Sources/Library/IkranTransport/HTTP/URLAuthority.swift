/// What the turns and pauses of a URL's downloads are counted by: the origin of an `http:` or
/// `https:` URL; of others the scheme and what names a server, if anything does; empty for `file:`,
/// `data:`, and what cannot be sent.
package func downloadHost(of url: String) -> String {
  guard let scheme = urlScheme(of: url) else { return "" }
  switch scheme {
  case "file", "data": return ""
  case "http", "https": return (try? HTTPAddress(url))?.origin ?? ""
  default:
    guard let part = authority(of: url, scheme) else { return scheme + ":" }
    let start = part.lastIndex(of: UInt8(ascii: "@")).map(part.index(after:))
    return "\(scheme)://" + Substring(part[(start ?? part.startIndex)...]).lowercased()
  }
}

/// Whether a URL has a user or a password; so it counts when an `http:` or `https:` URL is broken
/// and has an `@`.
package func hasUserInfo(_ url: String) -> Bool {
  guard url.utf8.contains(UInt8(ascii: "@")) else { return false }
  let scheme = urlScheme(of: url)
  guard let scheme, scheme != "http", scheme != "https" else {
    return (try? HTTPAddress(url))?.hasUserInfo ?? true
  }
  if let part = authority(of: url, scheme) { return part.contains(UInt8(ascii: "@")) }
  let first = url.utf8.dropFirst(scheme.utf8.count + 1).prefix { $0 != UInt8(ascii: "/") }
  // A user and a password; an @ alone is in names, too.
  guard let end = first.lastIndex(of: UInt8(ascii: "@")) else { return false }
  return first[..<end].contains(UInt8(ascii: ":"))
}

/// What lies between the two slashes and the path; nil where a URL has no such part.
private func authority(of url: String, _ scheme: String) -> Substring.UTF8View? {
  let rest = url.utf8.dropFirst(scheme.utf8.count + 1)
  guard rest.starts(with: "//".utf8) else { return nil }
  return rest.dropFirst(2).prefix {
    $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#")
  }
}
