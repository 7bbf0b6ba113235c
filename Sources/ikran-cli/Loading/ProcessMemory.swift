import IkranStores

/// The memory of this process.
enum ProcessMemory {
  /// The most bytes it ever had resident; nil where the system does not say.
  ///
  /// `ru_maxrss` would count the program that started this one too; see proc_pid_status(5), VmHWM.
  static var peak: Int? {
    // No /proc is no failure: nil says that nobody knows.
    guard let bytes = try? Files.read("/proc/self/status", maximumBytes: 1 << 16) else {
      return nil
    }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    let fields = lines.first { $0.hasPrefix("VmHWM:") }?.split { $0 == " " || $0 == "\t" }
    guard let fields, fields.count > 1, let kilobytes = Int(fields[1]) else { return nil }
    return kilobytes * 1024
  }
}
