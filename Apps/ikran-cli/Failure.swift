/// A failed job: exit code 1.
struct Failure: Error, Equatable {
  /// One sentence for the user.
  let sentence: String

  init(_ sentence: String) { self.sentence = sentence }

  /// The text of `error` without its full stop, then `advice`.
  init(_ error: any Error, advice: String = "") {
    var text = "\(error)"
    while text.hasSuffix(".") { text.removeLast() }
    sentence = text + advice
  }
}
