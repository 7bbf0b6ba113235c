import Glibc
import IkranSystem

/// A folder of its own for one test, removed with the last reference.
public final class TemporaryDirectory: Sendable {
  /// The folder's absolute path.
  public let path: String

  /// Makes the folder below the system's temporary folder.
  public init() throws {
    let root = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    let name = String(UInt64.random(in: 0 ... .max), radix: 36)
    path = "\(root)/ikran-test-\(name)"
    try Files.createDirectories(path)
  }

  deinit {
    // What is left of a temporary folder is the system's to remove.
    try? Files.removeTree(path)
  }
}
