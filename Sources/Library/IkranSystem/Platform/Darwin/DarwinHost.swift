#if canImport(Darwin)
import Darwin

extension Platform {
  /// A clock that is never set back and is faster to read than exact.
  static let coarseClock = CLOCK_MONOTONIC_RAW_APPROX

  /// A text that differs after every boot; nil where there is none.
  ///
  /// C function: `sysctlbyname`, `kern.bootsessionuuid`, or else the time of the boot.
  static var bootText: [UInt8]? { value(of: "kern.bootsessionuuid") ?? value(of: "kern.boottime") }

  /// What a process's number is valid in: the machine.
  static var processNamespace: UInt64 { 0 }

  /// The bytes of RAM.
  ///
  /// C function: `sysctlbyname`, `hw.memsize`.
  static var memoryByteCount: Int {
    guard let bytes = value(of: "hw.memsize"), bytes.count == 8 else { return 1 << 30 }
    let count = bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
    return Int(clamping: count)
  }

  /// The bytes of a value of the kernel, of at most 64; nil when it has none of that name.
  private static func value(of name: String) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 64)
    var count = bytes.count
    guard sysctlbyname(name, &bytes, &count, nil, 0) == 0, count > 0 else { return nil }
    return Array(bytes.prefix(count))
  }
}
#endif
