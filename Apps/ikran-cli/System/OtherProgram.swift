import Glibc
import IkranSystem

// Decision 18: `ikran cache record` becomes the command.
/// Another program that replaces this one.
enum OtherProgram {
  /// Replaces this process by another program, with one more environment variable.
  ///
  /// Exit code and signals are then those of the other program.
  ///
  /// C functions: `setenv` and `execvp`.
  ///
  /// - Throws: ``Failure`` when it cannot be run.
  static func become(_ words: [String], variable: String, value: String) throws -> Never {
    _ = value.withPath { setenv(variable, $0, 1) }
    Interruption.undo()
    var arguments = words.map { $0.withPath { strdup($0) } } + [nil]
    _ = words[0].withPath { execvp($0, &arguments) }
    let code = errno
    for text in arguments { free(text) }
    Interruption.prepare()
    throw Failure("\(words[0]) cannot be run (\(String(cString: strerror(code))))")
  }
}
