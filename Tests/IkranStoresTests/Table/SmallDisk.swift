import Support
import Testing

/// A disk of 1,500 KB that only one program sees: it vanishes with the program.
enum SmallDisk {
  static let byteCount = 1500 << 10

  /// Why tests are skipped where no disk can be mounted.
  static let reason: Comment = "needs unshare, and the right to mount in a namespace"

  /// Whether a program can have one.
  static let isAvailable = unshare != nil

  /// The command that gives a program mounts of its own, as root or as a user that becomes root.
  private static let unshare: [String]? = [["-m"], ["-r", "-m"]]
    .map { ["/usr/bin/unshare"] + $0 }
    .first { words in
      // Without a program, or without a mount, the next one is tried.
      (try? run(words, setUp: "", "true", on: "/tmp"))?.code == 0
    }

  /// Runs a shell command on such a disk, mounted over `folder`; `$0` is the program, `$1` the folder.
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
