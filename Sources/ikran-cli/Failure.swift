/// A job that could not be done: exit code 1.
struct Failure: Error, Equatable {
  /// One sentence for the user.
  let sentence: String

  init(_ sentence: String) { self.sentence = sentence }

  /// Says what `error` says, without the full stop, then `advice`.
  init(_ error: any Error, advice: String = "") {
    var text = "\(error)"
    while text.hasSuffix(".") { text.removeLast() }
    sentence = text + advice
  }
}
