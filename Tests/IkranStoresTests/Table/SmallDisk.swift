import Support
import Testing

/// A tmpfs of 1,500 KB in one program's mount namespace; it disappears with the program.
enum SmallDisk {
  static let byteCount = 1500 << 10

  /// Why tests are skipped where it cannot be mounted.
  static let reason: Comment = "needs unshare, and the right to mount in a namespace"

  /// Whether a program can mount one.
  static let isAvailable = unshare != nil

  /// The command that starts a program in a new mount namespace, as root or as a mapped root user.
  private static let unshare: [String]? = [["-m"], ["-r", "-m"]]
    .map { ["/usr/bin/unshare"] + $0 }
    .first { words in
      // If the command or the mount fails, the next command is tried.
      (try? run(words, setUp: "", "true", on: "/tmp"))?.code == 0
    }

  /// Runs a shell command on such a disk, mounted over `folder`; `$0` is the program, `$1` the
  /// folder.
  static func run(
    _ program: String,
    setUp: String,
    _ command: String,
    on folder: String
  ) throws -> (code: Int, output: String) {
    try run(#require(unshare), setUp: setUp, "exec \"$0\" \(command) \"$1\"", program, on: folder)
  }

  private static func run(
    _ unshare: [String],
    setUp: String,
    _ command: String,
    _ program: String = "sh",
    on folder: String
  ) throws -> (code: Int, output: String) {
    let script = """
      set -e
      mount -t tmpfs -o size=\(byteCount) none "$1"
      \(setUp)
      \(command)
      """
    return try ChildProcess(command: unshare + ["/bin/sh", "-c", script, program, folder]).finish()
  }
}
