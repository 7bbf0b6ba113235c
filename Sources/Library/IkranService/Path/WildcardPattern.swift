/// A text in which each `*` is any number of characters but `/`; it is the beginning of URLs.
struct WildcardPattern: Sendable, Hashable {
  /// What a URL has of the pattern.
  struct Match: Sendable, Hashable {
    /// Where the pattern ends.
    var end = 0
    /// What each `*` is, as long as possible from the first to the last.
    var stars: [Range<Int>] = []
  }

  let text: String
  /// What is between the stars.
  private let parts: [[UInt8]]

  init(_ text: String) {
    self.text = text
    parts = text.utf8.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false)
      .map(Array.init)
  }

  /// How a URL begins with the pattern; nil when it does not.
  func match(of url: [UInt8]) -> Match? {
    var search = WildcardSearch(parts: parts, url: url)
    guard search.finds(part: 0, at: 0) else { return nil }
    return Match(end: search.end, stars: search.stars.reversed())
  }
}

/// One search for a pattern.
private struct WildcardSearch {
  let parts: [[UInt8]]
  let url: [UInt8]
  /// From the last to the first.
  var stars: [Range<Int>] = []
  var end = 0
  /// The end of the star that begins at each place.
  private let limits: [Int]
  /// Where each part is known not to begin, so that the time stays linear in the URL's length.
  private var failed: [Range<Int>]

  init(parts: [[UInt8]], url: [UInt8]) {
    self.parts = parts
    self.url = url
    failed = Array(repeating: 0..<0, count: parts.count)
    limits = parts.count > 1 ? Self.limits(in: url) : []
  }

  /// The next `/` from each place, or the URL's end.
  private static func limits(in url: [UInt8]) -> [Int] {
    var limits = [Int](repeating: url.count, count: url.count + 1)
    for place in url.indices.reversed() {
      limits[place] = url[place] == UInt8(ascii: "/") ? place : limits[place + 1]
    }
    return limits
  }

  /// Whether a part is at a place, and the others follow.
  mutating func finds(part: Int, at position: Int) -> Bool {
    guard url[position...].starts(with: parts[part]) else { return false }
    let start = position + parts[part].count
    guard part + 1 < parts.count else {
      end = start
      return true
    }
    let limit = limits[start]
    var next = limit
    while next >= start {
      if failed[part + 1].contains(next) {
        next = failed[part + 1].lowerBound - 1
        continue
      }
      if finds(part: part + 1, at: next) {
        stars.append(start..<next)
        return true
      }
      next -= 1
    }
    failed[part + 1] = start..<(limit + 1)
    return false
  }
}
