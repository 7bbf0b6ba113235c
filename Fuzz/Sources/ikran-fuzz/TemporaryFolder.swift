import Glibc
@testable import IkranSystem

/// A folder of this process, in `TMPDIR`, which `Scripts/fuzz` removes.
enum TemporaryFolder {
  /// Its path.
  static let path: String = {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    let path = "\(parent)/ikran-fuzz-\(getpid())"
    do { try Files.createDirectories(path) } catch { report("\(path): \(error)") }
    return path
  }()

  /// An empty folder in it.
  static func empty(_ name: String) -> String {
    let path = "\(path)/\(name)"
    do throws(SystemError) {
      try Files.removeTree(path)
      try Files.createDirectories(path)
    } catch { report("\(path): \(error)") }
    return path
  }
}
