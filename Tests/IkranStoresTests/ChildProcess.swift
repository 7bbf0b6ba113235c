import Glibc
import IkranStores
import TestBasics
import Testing

/// Counts the programs started, one at a time.
private let oneAtATime = Guarded(0)

/// The torture program, started by a test.
final class ChildProcess {
  private let process: pid_t
  private let output: CInt
  private var isRunning = true

  /// The path of the torture program, which is built into the folder of the tests.
  static func program() throws -> String {
    var buffer = [CChar](repeating: 0, count: 4096)
    let length = readlink("/proc/self/exe", &buffer, buffer.count - 1)
    try #require(length > 0)
    let tests = String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return "\(tests[..<(try #require(tests.lastIndex(of: "/")))])/StoreTorture"
  }

  /// Starts the torture program.
  convenience init(_ arguments: [String]) throws {
    try self.init(command: [Self.program()] + arguments)
  }

  /// Starts any program; the first word is its path.
  init(command: [String]) throws {
    // Otherwise another child could inherit the pipe before it is marked close-on-exec.
    let (code, process, output) = oneAtATime.withLock { started in
      started += 1
      return Self.spawn(command)
    }
    (self.process, self.output) = (process, output)
    try #require(code == 0, "\(command[0]): error \(code)")
  }

  private static func spawn(_ command: [String]) -> (code: CInt, process: pid_t, output: CInt) {
    var ends: [CInt] = [-1, -1]
    guard pipe(&ends) == 0 else { return (errno, 0, -1) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let (code, process) = startProgram(command) { actions in
      _ = posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    }
    close(ends[1])
    return (code, process, ends[0])
  }

  deinit {
    if isRunning { kill() }
    close(output)
  }

  /// Waits until the program has written this many bytes; false when it ended before.
  func waitForOutput(_ count: Int) -> Bool {
    var bytes = [UInt8](repeating: 0, count: max(1, count))
    var seen = 0
    while seen < count {
      let read = Glibc.read(output, &bytes, count - seen)
      if read <= 0 { return false }
      seen += read
    }
    return true
  }

  /// Kills the program with SIGKILL; false when it had already ended.
  @discardableResult
  func kill() -> Bool {
    Glibc.kill(process, SIGKILL)
    var status: CInt = 0
    waitpid(process, &status, 0)
    isRunning = false
    return status & 0x7F == SIGKILL
  }

  /// Sends a signal.
  func send(_ signal: CInt) { Glibc.kill(process, signal) }

  /// The rest of the program's output, once it has ended.
  func rest() -> String {
    var text: [UInt8] = []
    var bytes = [UInt8](repeating: 0, count: 4096)
    while true {
      let read = Glibc.read(output, &bytes, bytes.count)
      if read <= 0 { break }
      text += bytes[..<read]
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Waits for the end; returns the exit code and what was written.
  func finish() -> (code: Int, output: String) {
    let text = rest()
    var status: CInt = 0
    waitpid(process, &status, 0)
    isRunning = false
    // The exit code of a program that ended by itself; -1 for one that a signal ended.
    let code = status & 0x7F == 0 ? Int(status >> 8 & 0xFF) : -1
    return (code, text)
  }
}
