package import Glibc

/// Starts a program with the variables of this one.
///
/// Threads of a test may block signals, and a child inherits that: in this one none is blocked.
///
/// - Parameters:
///   - command: Its path, and the arguments.
///   - connect: Says what its streams are.
/// - Returns: The number of an error, or 0, and the process.
package func startProgram(
  _ command: [String],
  connect: (inout posix_spawn_file_actions_t) -> Void
) -> (code: CInt, process: pid_t) {
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  connect(&actions)
  var noSignals = sigset_t()
  sigemptyset(&noSignals)
  var attributes = posix_spawnattr_t()
  posix_spawnattr_init(&attributes)
  defer { posix_spawnattr_destroy(&attributes) }
  posix_spawnattr_setsigmask(&attributes, &noSignals)
  posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
  var words: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
  defer { for word in words { free(word) } }
  var process = pid_t()
  let code = posix_spawn(&process, command[0], &actions, &attributes, &words, environ)
  return (code, process)
}
