import Glibc
import IkranSystem

/// What this process has of the system, as counted by checks for leaks.
package enum OwnProcesses {
  /// The processes that it has started and not waited for.
  package static func children() throws -> [Int32] {
    try Files.list("/proc").compactMap { entry in
      guard let number = Int32(entry), let parent = fields(of: number)?.dropFirst().first else {
        return nil
      }
      return Int32(parent) == getpid() ? number : nil
    }
  }

  /// Those of them that run another program by now.
  ///
  /// One that is stopped before holds the thread that starts it in the kernel (vfork(2)).
  package static func programs() throws -> [Int32] {
    let own = program(of: getpid())
    return try children().filter { child in
      program(of: child).map { $0 != own } ?? false
    }
  }

  /// The path of a process's program; nil when it has ended.
  private static func program(of process: Int32) -> String? {
    guard let path = realpath("/proc/\(process)/exe", nil) else { return nil }
    defer { free(path) }
    return String(cString: path)
  }

  /// Stops a process, which takes the kernel a moment.
  package static func stop(_ process: Int32) {
    kill(process, SIGSTOP)
    while let state = fields(of: process)?.first, state != "T" { BackgroundThread.yield() }
  }

  /// What `stat` says after the name, which may have any characters: its state, its parent … (proc(5)).
  private static func fields(of process: Int32) -> [Substring]? {
    guard let bytes = try? Files.read("/proc/\(process)/stat") else { return nil }
    let text = String(decoding: bytes, as: UTF8.self)
    return text.split(separator: ")").last?.split(separator: " ")
  }

  /// Its open descriptors; the one that reads them is counted each time.
  package static func descriptorCount() throws -> Int { try Files.list("/proc/self/fd").count }

  /// Its mappings of memory that processes share.
  package static func sharedMappingCount() throws -> Int {
    let text = String(decoding: try Files.read("/proc/self/maps"), as: UTF8.self)
    return text.split(separator: "\n").count { $0.contains("memfd:") }
  }
}
