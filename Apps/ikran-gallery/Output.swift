import Glibc

/// The only file that prints: data to standard output, messages to standard error.
struct Output: Sendable {
  /// Writes text and a line feed to standard output.
  func line(_ text: String) { Self.send(text + "\n", to: STDOUT_FILENO) }

  /// Writes one sentence to standard error.
  func complain(_ sentence: String) {
    var text = sentence
    while text.hasSuffix(".") { text.removeLast() }
    let printable = text.unicodeScalars
      .map { $0.properties.generalCategory == .control ? " " : $0 }
    let line = String(String.UnicodeScalarView(printable))
    Self.send("ikran-gallery: \(line)\n", to: STDERR_FILENO)
  }

  private static func send(_ text: String, to file: CInt) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = write(file, Array(rest), rest.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}
