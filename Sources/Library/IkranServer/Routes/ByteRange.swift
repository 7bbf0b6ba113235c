/// The Range header of one request against a body of known length (RFC 9110, section 14).
enum ByteRange: Equatable {
  /// No usable range: the whole body is sent.
  case whole
  /// These bytes.
  case part(Range<Int>)
  /// The range starts after the end.
  case unsatisfiable

  /// Reads `bytes=a-b`, `bytes=a-` or `bytes=-n`; several ranges and invalid ones mean the whole
  /// body, as the RFC allows.
  init(_ header: String, count: Int) {
    self = .whole
    guard header.hasPrefix("bytes=") else { return }
    let ends = header.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2 else { return }
    if ends[0].isEmpty {
      guard let length = Self.number(ends[1]) else { return }
      self = length == 0 || count == 0 ? .unsatisfiable : .part(max(0, count - length)..<count)
      return
    }
    guard let first = Self.number(ends[0]) else { return }
    guard let last = ends[1].isEmpty ? Int.max : Self.number(ends[1]), last >= first else { return }
    self = first < count ? .part(first..<min(last, count - 1) + 1) : .unsatisfiable
  }

  /// Decimal digits only; a number that does not fit an `Int` becomes its maximum.
  private static func number(_ text: Substring) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    return Int(text) ?? Int.max
  }
}
