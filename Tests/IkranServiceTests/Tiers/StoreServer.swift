import Glibc
import IkranSystem
import Support
import TestBasics
import Testing

/// A server of memcached or Redis on this machine, with nothing in it.
final class StoreServer: Sendable {
  /// The programs, as Debian has them.
  enum Program: String, CaseIterable, Sendable {
    case memcached = "/usr/bin/memcached"
    case redis = "/usr/bin/redis-server"

    var isInstalled: Bool { access(rawValue, X_OK) == 0 }
  }

  static let reason: Comment = "needs the servers that Scripts/bootstrap --with tests installs"

  let port: Int
  private let process: pid_t

  /// Starts a server; it listens when this returns.
  init(_ program: Program, arguments: [String] = []) async throws {
    // Another program may take the port before the server does.
    for _ in 0..<20 {
      let port = try Self.freePort()
      let process = try Self.start(program, port, arguments)
      guard try await Self.listens(process, at: port) else {
        Self.end(process)
        continue
      }
      (self.port, self.process) = (port, process)
      return
    }
    throw ClientError.notConnected(EADDRINUSE)
  }

  private static func start(
    _ program: Program,
    _ port: Int,
    _ more: [String]
  ) throws -> pid_t {
    let arguments =
      switch program {
      case .memcached: ["-l", "127.0.0.1", "-p", "\(port)", "-U", "0", "-u", "root"]
      case .redis: ["--port", "\(port)", "--bind", "127.0.0.1", "--save", "", "--dir", "/tmp"]
      }
    let command = [program.rawValue] + arguments + more
    let (code, process) = startProgram(command) { actions in
      for output in [STDOUT_FILENO, STDERR_FILENO] {
        _ = posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0)
      }
    }
    try #require(code == 0)
    return process
  }

  /// Waits until a server listens, or has ended.
  private static func listens(_ process: pid_t, at port: Int) async throws -> Bool {
    for round in 0... {
      var state = siginfo_t()
      // Its end stays to be waited for.
      let code = waitid(P_PID, id_t(process), &state, WEXITED | WNOHANG | WNOWAIT)
      guard code == 0, state.si_signo == 0 else { return false }
      if (try? RawClient(port)) != nil { return true }
      try await poll(round)
    }
    return false
  }

  private static func end(_ process: pid_t) {
    kill(process, SIGKILL)
    var status: CInt = 0
    waitpid(process, &status, 0)
  }

  /// Ends it; a test calls this when it is over, so that the server lives until then.
  func stop() { Self.end(process) }

  /// The next port to try: two servers of these tests never try the same one.
  private static let next = Guarded(Int.random(in: 20_000..<32_000))

  /// A port of this machine that nothing listens to.
  ///
  /// It is none of those that the system gives to connections, of which the tests make thousands: the
  /// server binds it a moment later.
  private static func freePort() throws -> Int {
    for _ in 0..<1_000 {
      let port = next.withLock { port in
        port = port == 31_999 ? 20_000 : port + 1
        return UInt16(port)
      }
      let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(socket) }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      let code = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      if code == 0 { return Int(port) }
    }
    throw ClientError.notConnected(EADDRINUSE)
  }
}
