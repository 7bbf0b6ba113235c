import Glibc

/// The memory that this process may use.
package enum PhysicalMemory {
  /// The bytes of RAM, or of the control group's limit when that is smaller.
  ///
  /// Reads `sysconf`, and `memory.max` of the process's cgroup (version 2) and of its parents.
  package static func bytes() -> Int {
    let pages = sysconf(CInt(_SC_PHYS_PAGES))
    let pageSize = sysconf(CInt(_SC_PAGESIZE))
    let ram = pages > 0 && pageSize > 0 ? Int(pages) * Int(pageSize) : 1 << 30
    return controlGroupLimits().reduce(ram, min)
  }

  /// What a cache may take: an eighth of ``bytes()``, but at least 16 MiB and at most 512 MiB.
  package static let cacheShare = min(max(bytes() / 8, 16 << 20), 512 << 20)

  private static func controlGroupLimits() -> [Int] {
    // The word "max" instead of a number means no limit.
    ControlGroup.folders().compactMap { ControlGroup.number(in: "\($0)/memory.max") }
      .filter { $0 > 0 }
  }
}
