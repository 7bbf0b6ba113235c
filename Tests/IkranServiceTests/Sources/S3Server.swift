import Glibc
import IkranSystem
import Support
import TestBasics
import Testing

/// Counts the servers started, one at a time.
private let oneAtATime = Guarded(0)

/// A server of S3's protocol that checks signatures, `rclone serve s3`, with a folder of its own.
final class S3Server: Sendable {
  /// Its port, and so its address: `http://127.0.0.1:PORT`.
  let port: Int
  private let folder: TemporaryDirectory
  private let process: pid_t
  /// Open as long as it runs: it ends when it cannot log.
  private let output: CInt

  static let reason: Comment = "needs rclone 1.75.2, which Scripts/bootstrap --with tests installs"

  /// The path of the program; nil where there is none.
  static let program: String? = {
    func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
    let caches = variable("XDG_CACHE_HOME") ?? variable("HOME").map { $0 + "/.cache" }
    let installed = caches.map { $0 + "/ikran/rclone-1.75.2/bin/rclone" }
    return [variable("IKRAN_RCLONE"), installed].compactMap { $0 }
      .first { access($0, X_OK) == 0 }
  }()

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - files: What it has, by paths that begin with the bucket.
  ///   - key: Who may read, as `ID,SECRET`, where `ID` is longer than this; nil lets anyone.
  ///   - arguments: Of the program.
  /// - Throws: An expectation's failure, when it does not start.
  init(_ files: [String: [UInt8]], key: String? = "READER,SECRET", arguments: [String] = []) throws
  {
    folder = try TemporaryDirectory()
    for (path, bytes) in files {
      let file = "\(folder.path)/\(path)"
      let end = try #require(file.lastIndex(of: "/"))
      try Files.createDirectories(String(file[..<end]))
      try Files.writeAtomically(bytes, to: file, durable: false)
    }
    var command = [try #require(Self.program), "serve", "s3", "--addr", "127.0.0.1:0"]
    // Its folders' names stay in memory: without that, stores at once keep it busy for a minute.
    command += ["--config", "/dev/null", "--dir-cache-time", "1h"] + arguments
    if let key { command += ["--auth-key", key] }
    command.append(folder.path)
    // Otherwise another child could inherit the pipe before it is marked close-on-exec.
    let started = try oneAtATime.withLock { count in
      count += 1
      return try Self.start(command)
    }
    (process, output, port) = started
  }

  /// Ends it; a test calls this when it is over, so that the server lives until then.
  func stop() {
    kill(process, SIGTERM)
    var status: CInt = 0
    waitpid(process, &status, 0)
    close(output)
  }

  /// The names in one of its folders; none where it does not exist.
  func list(_ path: String) -> [String] { (try? Files.list("\(folder.path)/\(path)")) ?? [] }

  private static func start(
    _ command: [String]
  ) throws -> (process: pid_t, output: CInt, port: Int) {
    var ends: [CInt] = [-1, -1]
    try #require(pipe(&ends) == 0)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let (code, process) = startProgram(command) { actions in
      _ = posix_spawn_file_actions_adddup2(&actions, ends[1], 2)
    }
    close(ends[1])
    try #require(code == 0, "\(command[0]): error \(code)")
    let text = line(of: ends[0], with: "http://127.0.0.1:")
    let digits = text.firstRange(of: "http://127.0.0.1:").map { text[$0.upperBound...] } ?? ""
    let port = try #require(Int(digits.prefix { $0.isNumber }), "it says: \(text)")
    return (process, ends[0], port)
  }

  /// What a program writes up to the end of a line with a text.
  private static func line(of output: CInt, with text: String) -> String {
    var seen: [UInt8] = []
    var byte: UInt8 = 0
    while read(output, &byte, 1) == 1 {
      seen.append(byte)
      if byte == UInt8(ascii: "\n"), String(decoding: seen, as: UTF8.self).contains(text) { break }
    }
    return String(decoding: seen, as: UTF8.self)
  }

  /// The variables of a service that reads from it.
  var environment: [String: String] {
    [
      "IKRAN_USE_S3": "1", "IKRAN_S3_ENDPOINT": "http://127.0.0.1:\(port)",
      "AWS_ACCESS_KEY_ID": "READER", "AWS_SECRET_ACCESS_KEY": "SECRET",
      "AWS_EC2_METADATA_DISABLED": "true",
    ]
  }
}
