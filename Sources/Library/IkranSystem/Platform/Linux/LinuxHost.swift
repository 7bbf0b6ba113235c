#if canImport(Glibc)
import Glibc

extension Platform {
  /// A clock that is never set back and is faster to read than exact.
  static let coarseClock = CLOCK_MONOTONIC_COARSE

  /// A text that differs after every boot; nil where there is none.
  static var bootText: [UInt8]? {
    try? Files.read("/proc/sys/kernel/random/boot_id", maximumBytes: 256)
  }

  /// What a process's number is valid in: the number of its PID namespace.
  static var processNamespace: UInt64 {
    var status = stat()
    return stat("/proc/self/ns/pid", &status) == 0 ? UInt64(status.st_ino) : 0
  }

  /// The bytes of RAM, or of the control group's limit when that is smaller.
  ///
  /// Reads `sysconf`, and `memory.max` of the process's cgroup (version 2) and of its parents.
  static var memoryByteCount: Int {
    let pages = sysconf(CInt(_SC_PHYS_PAGES))
    let pageSize = sysconf(CInt(_SC_PAGESIZE))
    let ram = pages > 0 && pageSize > 0 ? Int(pages) * Int(pageSize) : 1 << 30
    return controlGroupLimits().reduce(ram, min)
  }

  private static func controlGroupLimits() -> [Int] {
    // The word "max" instead of a number means no limit.
    ControlGroup.folders().compactMap { ControlGroup.number(in: "\($0)/memory.max") }
      .filter { $0 > 0 }
  }
}
#endif
