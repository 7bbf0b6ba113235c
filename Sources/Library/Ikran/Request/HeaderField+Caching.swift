import IkranTransport

extension HeaderField {
  /// Whether it speaks to caches alone, and does not decide which bytes arrive.
  var isForCaches: Bool { isNamed("cache-control") || isNamed("pragma") }

  /// Whether it is part of a source's key and may be a secret, such as a password or a program's
  /// own token.
  var mayBeSecret: Bool {
    let name = name.lowercased()
    return !isForCaches && !name.hasPrefix("accept") && !name.hasPrefix("sec-")
      && !["user-agent", "referer", "origin", "range", "dpr", "width", "save-data"].contains(name)
  }

  /// Whether it says who asks: another token seldom means another image.
  var isCredential: Bool {
    isNamed("authorization") || isNamed("proxy-authorization") || isNamed("cookie")
  }
}
