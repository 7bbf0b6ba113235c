/// A URL as messages may show it: no user, password, query or fragment, and not endless.
///
/// Of a `data:` URL only the part before the data remains. What stands in the place of a port and
/// is none may be a password that was cut in two.
package func redacted(_ url: String) -> String {
  let scheme = urlScheme(of: url)
  if scheme == "data" {
    return shortened(url.prefix { $0 != "," }) + ",…"
  }
  let text = url.prefix { $0 != "?" && $0 != "#" }
  // User and password end at the last @ of the part between the slashes; without a scheme the
  // text may still start with them.
  var head = text.startIndex
  if let scheme {
    head = text.index(text.startIndex, offsetBy: scheme.count + 1)
    while head < text.endIndex, text[head] == "/" { head = text.index(after: head) }
  }
  let authority = text[head...].prefix { $0 != "/" }
  guard let at = authority.lastIndex(of: "@") else {
    guard let mark = badPort(authority) else { return shortened(text) }
    return shortened(text[...mark] + "…")
  }
  return shortened(text[..<head] + text[text.index(after: at)...])
}

/// The colon before what is no port; nil when there is a port or none.
private func badPort(_ authority: Substring) -> Substring.Index? {
  let afterAddress = authority.lastIndex(of: "]") ?? authority.startIndex
  guard let colon = authority[afterAddress...].firstIndex(of: ":") else { return nil }
  let isPort = authority[colon...].dropFirst().utf8.allSatisfy { (0x30...0x39).contains($0) }
  return isPort ? nil : colon
}

private func shortened(_ text: Substring) -> String {
  text.count <= 200 ? String(text) : text.prefix(199) + "…"
}
