import IkranTransport

/// The value of a `Content-Range` field (RFC 9110, section 14.4).
struct ContentRange: Sendable, Hashable {
  /// The bytes that the body is; nil in the response to a range that cannot be had.
  let range: Range<Int>?
  /// The length of the whole, when the origin knows it.
  let total: Int?

  /// Reads `bytes 0-99/200`, `bytes 0-99/*` or `bytes */200`; nil for anything else.
  init?(_ text: String) {
    let words = text.split(separator: " ", omittingEmptySubsequences: true)
    guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
    let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    let total = parts[1] == "*" ? nil : Self.number(parts[1])
    guard total != nil || parts[1] == "*" else { return nil }
    self.total = total
    if parts[0] == "*" {
      guard total != nil else { return nil }
      range = nil
      return
    }
    let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]),
      first <= last, last < total ?? .max
    else { return nil }
    range = first..<last + 1
  }

  /// Digits only; nil when they overflow.
  private static func number(_ text: Substring) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    return Int(text)
  }
}
