/// The types of the files that were recognized last, by their first bytes.
///
/// A list asks each of its codecs about one file, and there are as many as ImageIO has types: the
/// prefix is shown to ImageIO once. It remembers several, as several threads decode.
package struct RecentPrefixes: Sendable {
  /// The most bytes that ImageIO is shown.
  package static let mostBytes = 4096
  /// More than the threads that decode at a time.
  package static let mostFiles = 16

  private struct Entry: Sendable {
    let prefix: [UInt8]
    let type: String?
  }

  /// The latest last.
  private var entries: [Entry] = []

  package init() {}

  /// The type of a file that begins like this, nil inside for none; nil when it is not remembered.
  ///
  /// Cost: reads the prefix once, and copies nothing.
  ///
  /// - Parameter prefix: At most ``mostBytes``.
  /// - Returns: What was remembered.
  package func type(of prefix: Span<UInt8>) -> String?? {
    // The codecs of one list come one after the other: the latest is the likeliest.
    for entry in entries.reversed() where Self.isEqual(prefix, entry.prefix) {
      return .some(entry.type)
    }
    return nil
  }

  /// Remembers the type of a file, which may have none; the oldest is forgotten for it.
  package mutating func remember(_ type: String?, of prefix: [UInt8]) {
    guard !prefix.isEmpty else { return }
    if entries.count >= Self.mostFiles { entries.removeFirst() }
    entries.append(Entry(prefix: prefix, type: type))
  }

  private static func isEqual(_ one: Span<UInt8>, _ other: [UInt8]) -> Bool {
    guard one.count == other.count else { return false }
    for (index, byte) in other.enumerated() where one[index] != byte { return false }
    return true
  }
}
