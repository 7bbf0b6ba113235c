import IkranSystem

/// The memory of this process.
enum ProcessMemory {
  /// The peak resident memory in bytes; nil where the system does not report it.
  ///
  /// VmHWM of proc_pid_status(5): `ru_maxrss` would include the program that started this one.
  static var peak: Int? {
    // Without /proc the value is unknown, which is no failure.
    guard let bytes = try? Files.read("/proc/self/status", maximumBytes: 1 << 16) else {
      return nil
    }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    let fields = lines.first { $0.hasPrefix("VmHWM:") }?.split { $0 == " " || $0 == "\t" }
    guard let fields, fields.count > 1, let kilobytes = Int(fields[1]) else { return nil }
    return kilobytes * 1024
  }
}
