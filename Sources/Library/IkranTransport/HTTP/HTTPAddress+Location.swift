import IkranPixels

// Where redirects lead.

extension HTTPAddress {
  /// The parts of a URL or a relative reference, by its bytes (RFC 3986, appendix B).
  private struct Reference {
    var authority: Substring.UTF8View?
    var path: Substring.UTF8View
    var query: Substring.UTF8View?

    /// Reads what follows the scheme; the fragment is dropped, as it is never sent.
    init(_ text: Substring) {
      var rest = text.utf8.prefix { $0 != UInt8(ascii: "#") }
      if rest.starts(with: "//".utf8) {
        rest = rest.dropFirst(2)
        let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        self.authority = authority
        rest = rest[authority.endIndex...]
      }
      path = rest.prefix { $0 != UInt8(ascii: "?") }
      query = path.endIndex < rest.endIndex ? rest[path.endIndex...] : nil
    }
  }

  /// The absolute URL to which a `Location` of this address leads (RFC 3986, section 5.2).
  ///
  /// What a URL cannot have is percent-encoded once: a `%` is kept whether or not two digits
  /// follow, as browsers do.
  ///
  /// - Parameter location: The field's value, absolute or relative.
  /// - Returns: A URL of any scheme, which need not be a valid address.
  package func url(ofLocation location: String) -> String {
    let bytes = FieldText.bytes(of: location).drop { $0 <= 0x20 }.filter { $0 != 0x09 }
    let end = bytes.lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? 0
    // A host in UTF-8 is converted later; anything else that is not ASCII is encoded.
    let isText = String(validating: bytes[..<end], as: UTF8.self) != nil
    let text = isText ? String(decoding: bytes[..<end], as: UTF8.self) : Self.encoded(bytes[..<end])
    let scheme = urlScheme(of: text)
    if let scheme, scheme != "http" && scheme != "https" { return text }
    var target = Reference(scheme.map { text.dropFirst($0.count + 1) } ?? text[...])
    if scheme != nil, target.authority == nil { return text }
    let base = Reference(url.dropFirst(isSecure ? 6 : 5))
    if target.authority == nil {
      if target.path.isEmpty {
        if target.query == nil { target.query = base.query }
        target.path = base.path
      } else if target.path.first != UInt8(ascii: "/") {
        let folder = base.path.lastIndex(of: UInt8(ascii: "/")).map { base.path[...$0] }
        let path = (folder.map { String(Substring($0)) } ?? "/") + String(Substring(target.path))
        target.path = path[...].utf8
      }
      target.authority = base.authority
    }
    let query = target.query.map { Self.encoded(Array($0)) } ?? ""
    return (scheme ?? (isSecure ? "https" : "http")) + "://"
      + String(Substring(target.authority ?? "".utf8[...]))
      + Self.encoded(Self.withoutDots(target.path)) + query
  }

  /// A path without `.` and `..` (RFC 3986, section 5.2.4).
  private static func withoutDots(_ path: Substring.UTF8View) -> [UInt8] {
    guard path.first == UInt8(ascii: "/") else { return Array(path) }
    var kept: [Substring.UTF8View] = []
    let slash = UInt8(ascii: "/")
    let parts = path.dropFirst().split(separator: slash, omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      let isLast = index == parts.count - 1
      if part.elementsEqual(".".utf8) {
        if isLast { kept.append("".utf8[...]) }
      } else if part.elementsEqual("..".utf8) {
        _ = kept.popLast()
        if isLast { kept.append("".utf8[...]) }
      } else {
        kept.append(part)
      }
    }
    return kept.flatMap { [UInt8(ascii: "/")] + $0 }
  }

  /// Encodes all bytes that no URL has; `%` and its digits are kept.
  private static func encoded(_ bytes: some Sequence<UInt8>) -> String {
    PercentEncoding.encoded(bytes: bytes, keeping: "!$%&'()*+,-./:;=?@[]_~")
  }
}
