import IkranPOSIX

/// The time of day.
package enum WallClock {
  /// Microseconds since 1970-01-01 00:00 UTC.
  @Sendable package static func microseconds() -> Int64 {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1000
  }
}

extension WallClock {
  /// Nanoseconds of a clock that is never set back and moves every few milliseconds; faster to read
  /// than an exact one.
  package static func coarseNanoseconds() -> Int64 {
    var now = timespec()
    clock_gettime(Platform.coarseClock, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
  }
}

/// The numbers of this process and of others.
package enum ProcessTable {
  /// The number of this process.
  package static var current: Int32 { getpid() }

  /// The PID namespace that the number is valid in: each container numbers its processes
  /// separately.
  package static let namespace = Platform.processNamespace

  /// Whether a process with this number runs in this namespace.
  package static func isRunning(_ number: Int32) -> Bool {
    kill(number, 0) == 0 || errno == EPERM
  }
}
