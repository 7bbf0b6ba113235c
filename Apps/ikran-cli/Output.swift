import Glibc

// Decision 9: system calls are here and in System/ only.
/// The only file that prints: data to standard output, messages to standard error.
struct Output: Sendable {
  /// The reader of standard output has closed it.
  struct Closed: Error {}

  /// Whether standard output is a terminal, which cannot show image bytes.
  var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Writes bytes to standard output.
  func write(_ bytes: [UInt8]) throws {
    guard OutputFile.send(bytes, to: STDOUT_FILENO) else {
      let code = errno
      if code == EPIPE { throw Closed() }
      throw Failure("standard output cannot be written (\(String(cString: strerror(code))))")
    }
  }

  /// Writes text and a line feed to standard output.
  func line(_ text: String) throws { try write(Array((text + "\n").utf8)) }

  /// Writes an object to standard output: as one line of JSON, or as aligned lines.
  func report(_ object: JSON, asJSON: Bool) throws {
    for line in asJSON ? [object.text] : object.lines.map(Self.printable) { try self.line(line) }
  }

  /// Writes one sentence to standard error.
  func complain(_ sentence: String) {
    _ = OutputFile.send(Array("ikran: \(Self.printable(sentence))\n".utf8), to: STDERR_FILENO)
  }

  /// Draws over the current line of a terminal on standard error.
  func draw(_ text: String) {
    _ = OutputFile.send(Array("\r\u{1B}[K\(text)".utf8), to: STDERR_FILENO)
  }

  /// Text as one line without control characters, so that a server's or a file's text cannot
  /// control the terminal.
  static func printable(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { isUnprintable($0) ? " " : $0 }
      )
    )
  }

  /// Whether a character controls the terminal, or the order of the letters around it.
  static func isUnprintable(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory == .control || (0x202A...0x202E).contains(scalar.value)
      || (0x2066...0x2069).contains(scalar.value)
  }
}
