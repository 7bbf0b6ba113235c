import Glibc
import Testing

/// How much memory this process has had at most.
enum ResidentMemory {
  /// Forgets the peak, and returns the bytes that are resident now.
  static func resetPeak() throws -> Int {
    let file = try #require(fopen("/proc/self/clear_refs", "w"))
    // 5: VmHWM becomes VmRSS (proc(5)).
    fputs("5", file)
    #expect(fclose(file) == 0)
    return try peak()
  }

  /// The peak in bytes since it was reset: VmHWM of proc(5).
  static func peak() throws -> Int {
    let file = try #require(fopen("/proc/self/status", "r"))
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, Int32(line.count), file) != nil {
      let text = line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      let fields = String(decoding: text, as: UTF8.self).split(whereSeparator: \.isWhitespace)
      if fields.first == "VmHWM:", fields.count > 1 {
        return try #require(Int(fields[1])) * 1_024
      }
    }
    throw NoPeak()
  }

  /// The system does not report it.
  struct NoPeak: Error {}
}
