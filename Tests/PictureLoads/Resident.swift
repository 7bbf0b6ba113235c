import Glibc

/// Memory of processes.
enum Resident {
  /// Megabytes of a process that are in memory.
  static func megabytes(of process: pid_t = getpid()) -> Int { bytes(of: process) >> 20 }

  /// Bytes of a process that are in memory: the second number of `statm` counts them in pages
  /// (proc(5)).
  static func bytes(of process: pid_t = getpid()) -> Int {
    guard let file = fopen("/proc/\(process)/statm", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    guard fgets(&line, Int32(line.count), file) != nil else { return 0 }
    let text = line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    let words = String(decoding: text, as: UTF8.self).split(separator: " ")
    guard words.count > 1, let pages = Int(words[1]) else { return 0 }
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
  }

  /// The most bytes of this process that have been in memory.
  static func peakBytes() -> Int {
    var used = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &used)
    return used.ru_maxrss << 10
  }
}
