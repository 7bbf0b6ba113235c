import Glibc

/// How much memory this process may use.
package enum PhysicalMemory {
  /// The bytes of RAM, or of the control group's limit when that is smaller.
  ///
  /// Reads `sysconf`, and `memory.max` of the process's cgroup (version 2) and of those above it.
  package static func bytes() -> Int {
    let pages = sysconf(CInt(_SC_PHYS_PAGES))
    let pageSize = sysconf(CInt(_SC_PAGESIZE))
    let ram = pages > 0 && pageSize > 0 ? Int(pages) * Int(pageSize) : 1 << 30
    return controlGroupLimits().reduce(ram, min)
  }

  private static func controlGroupLimits() -> [Int] {
    // Outside a control group, or without version 2, the files are missing and nothing limits us.
    guard let text = text(of: "/proc/self/cgroup"),
      let line = text.split(separator: "\n").first(where: { $0.hasPrefix("0::/") })
    else { return [] }
    var parts = line.dropFirst(4).split(separator: "/")
    var limits: [Int] = []
    while true {
      let folder = (["/sys/fs/cgroup"] + parts.map(String.init)).joined(separator: "/")
      // The word "max" is no number: no limit at this level.
      let limit = self.text(of: "\(folder)/memory.max").flatMap { Int($0.dropLast()) }
      if let limit, limit > 0 { limits.append(limit) }
      guard parts.popLast() != nil else { return limits }
    }
  }

  private static func text(of path: String) -> String? {
    guard let bytes = try? Files.read(path, maximumBytes: 1 << 20) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }
}
