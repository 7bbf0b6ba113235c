import IkranTransport

/// The directives of a `Cache-Control` field (RFC 9111, section 5.2.2, RFC 5861 and RFC 8246), as
/// far as a cache for one user heeds it.
struct CacheControl: Sendable, Hashable {
  /// Nothing of the response may be stored.
  var noStore = false
  /// It may be stored, and must be revalidated before each use.
  var noCache = false
  /// It is for one user alone.
  var isPrivate = false
  /// It may be stored whatever its status: `public`, or `private`, as this cache is one user's.
  var isExplicitlyStorable = false
  /// It must not be used once stale, not even when the origin cannot be reached.
  var mustRevalidate = false
  /// Seconds that it is fresh.
  var maxAge: Int?
  /// Seconds for which a cache of several users may use it, in place of ``maxAge``; a cache of one
  /// user does not ask.
  var sharedMaxAge: Int?
  /// Seconds beyond freshness in which it may be used while it is revalidated.
  var staleWhileRevalidate: Int?
  /// Seconds beyond freshness in which it may be used when revalidation fails.
  var staleIfError: Int?

  /// Reads every `Cache-Control` field of a response; of two equal directives the stricter holds.
  init(_ headers: [HeaderField]) {
    for field in headers where field.isNamed("cache-control") {
      for directive in Self.directives(field.value) {
        apply(directive.name, value: directive.value)
      }
    }
  }

  private mutating func apply(_ name: String, value: String?) {
    switch name {
    case "no-store": noStore = true
    // `no-cache="field"` requires less; revalidating always is the safe reading.
    case "no-cache": noCache = true
    case "public": isExplicitlyStorable = true
    // `private="field"` keeps less from others; keeping all from them is the safe reading.
    case "private": (isExplicitlyStorable, isPrivate) = (true, true)
    case "must-revalidate": mustRevalidate = true
    case "max-age": maxAge = min(maxAge ?? .max, Self.seconds(value))
    case "s-maxage": sharedMaxAge = min(sharedMaxAge ?? .max, Self.seconds(value))
    case "stale-while-revalidate":
      staleWhileRevalidate = min(staleWhileRevalidate ?? .max, Self.seconds(value))
    case "stale-if-error": staleIfError = min(staleIfError ?? .max, Self.seconds(value))
    default: break
    }
  }

  /// Seconds as RFC 9111, section 1.2.2 reads them: at most 2³¹, and 0 for what is no number, so
  /// that a mistake of the origin's makes the response stale rather than eternal.
  static func seconds(_ text: String?) -> Int {
    guard let text, !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else {
      return 0
    }
    return min(Int(text) ?? 1 << 31, 1 << 31)
  }

  /// The names, in lower case, and values of a field's directives; quotes are taken off.
  private static func directives(_ text: String) -> [(name: String, value: String?)] {
    var found: [(String, String?)] = []
    for part in split(text) {
      let name = part.prefix { $0 != "=" }
      var value: Substring?
      if name.endIndex < part.endIndex { value = part[part.index(after: name.endIndex)...] }
      value = value.map { trimmed($0) }
      if let quoted = value, quoted.count >= 2, quoted.first == "\"", quoted.last == "\"" {
        value = quoted.dropFirst().dropLast()
      }
      found.append((trimmed(name).lowercased(), value.map(String.init)))
    }
    return found
  }

  /// The parts between commas that are in no quotes.
  private static func split(_ text: String) -> [Substring] {
    var isQuoted = false
    return text.split { character in
      if character == "\"" { isQuoted.toggle() }
      return character == "," && !isQuoted
    }
  }
}
