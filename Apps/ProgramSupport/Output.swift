import Glibc
import IkranSystem

// Decision 9: the programs write here only.
/// The only type that prints: data to standard output, messages to standard error.
package struct Output: Sendable {
  /// The reader of standard output has closed it.
  package struct Closed: Error {}

  private let program: String

  /// Writes for a program, whose name is before each message.
  package init(program: String) { self.program = program }

  /// Whether standard output is a terminal, which cannot show image bytes.
  package var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Writes bytes to standard output.
  package func write(_ bytes: [UInt8]) throws {
    guard Self.send(bytes, to: STDOUT_FILENO) else {
      let code = errno
      if code == EPIPE { throw Closed() }
      throw Failure("standard output cannot be written (\(String(cString: strerror(code))))")
    }
  }

  /// Writes text and a line feed to standard output; names of files in it have their own bytes.
  package func line(_ text: String) throws { try write((text + "\n").pathBytes) }

  /// Writes an object to standard output: as one line of JSON, or as aligned lines.
  package func report(_ object: JSON, asJSON: Bool) throws {
    for line in asJSON ? [object.text] : object.lines.map(Self.printable) { try self.line(line) }
  }

  /// Writes one sentence to standard error.
  package func complain(_ sentence: String) {
    _ = Self.send(Array("\(program): \(Self.printable(sentence))\n".utf8), to: STDERR_FILENO)
  }

  /// Writes a line for programs to standard error, such as one of a log.
  package func log(_ line: String) { _ = Self.send(Array("\(line)\n".utf8), to: STDERR_FILENO) }

  /// Draws over the current line of a terminal on standard error.
  package func draw(_ text: String) {
    _ = Self.send(Array("\r\u{1B}[K\(text)".utf8), to: STDERR_FILENO)
  }

  /// Text as one line without control characters, so that a server's or a file's text cannot
  /// control the terminal.
  package static func printable(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.displayedPath.unicodeScalars.map { isUnprintable($0) ? " " : $0 }
      )
    )
  }

  /// Whether a character controls the terminal, or the order of the letters around it.
  package static func isUnprintable(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory == .control || (0x202A...0x202E).contains(scalar.value)
      || (0x2066...0x2069).contains(scalar.value)
  }

  /// Writes all bytes to an open file; on false, `errno` has the reason.
  package static func send(_ bytes: [UInt8], to file: CInt) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = Array(rest.prefix(1 << 16))
      let count = Glibc.write(file, piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
