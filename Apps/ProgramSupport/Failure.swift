/// A failed job: exit code 1.
package struct Failure: Error, Equatable {
  /// One sentence for the user.
  package let sentence: String

  package init(_ sentence: String) { self.sentence = sentence }

  /// The text of `error` without its full stop, then `advice`.
  package init(_ error: any Error, advice: String = "") {
    var text = "\(error)"
    while text.hasSuffix(".") { text.removeLast() }
    sentence = text + advice
  }
}
