import CGTK
import Glibc
import IkranSystem

/// The program itself, run once more in a process of its own.
@MainActor
enum Subprocess {
  /// Runs it to its end.
  ///
  /// - Returns: What it wrote to standard output; nil when it failed.
  static func run(_ words: [String]) -> String? {
    var arguments: [UnsafePointer<CChar>?] = ([executable] + words)
      .map { $0.withPath { strdup($0) }.map { UnsafePointer($0) } }
    defer { for word in arguments { free(UnsafeMutablePointer(mutating: word)) } }
    arguments.append(nil)
    guard let process = g_subprocess_newv(arguments, G_SUBPROCESS_FLAGS_STDOUT_PIPE, nil) else {
      return nil
    }
    defer { g_object_unref(UnsafeMutableRawPointer(process)) }
    var text: UnsafeMutablePointer<CChar>?
    guard g_subprocess_communicate_utf8(process, nil, nil, &text, nil, nil) != 0, let text else {
      return nil
    }
    defer { g_free(text) }
    return g_subprocess_get_successful(process) != 0 ? String(cString: text) : nil
  }

  private static var executable: String {
    guard let path = realpath("/proc/self/exe", nil) else { return CommandLine.arguments[0] }
    defer { free(path) }
    return String(path: path)
  }
}
