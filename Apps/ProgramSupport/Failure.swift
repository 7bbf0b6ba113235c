/// A failed job: exit code 1.
package struct Failure: Error, Equatable {
  /// One sentence for the user.
  package let sentence: String

  package init(_ sentence: String) { self.sentence = sentence }

  /// The text of `error` as a ``clause(_:)``, then `advice`.
  package init(_ error: any Error, advice: String = "") {
    sentence = clause("\(error)") + advice
  }
}

extension Failure: CustomStringConvertible {
  package var description: String { sentence }
}

/// A library's sentence as a part of another one: without its full stop, and in lower case unless
/// it begins with a name.
package func clause(_ sentence: String) -> String {
  var text = sentence
  while text.hasSuffix(".") { text.removeLast() }
  let first = text.prefix { $0 != " " }
  guard openings.contains(String(first)) else { return text }
  return first.lowercased() + text.dropFirst(first.count)
}

/// The words that sentences of the libraries begin with; any other may be the name of a file.
private let openings: Set<String> = ["A", "An", "Another", "Could", "The", "There", "This"]
