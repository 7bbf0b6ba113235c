import CMicroHTTPD

/// Wakes one sleeping thread: at a time, when rung, or when a watched client hangs up.
final class AlarmHandle: Sendable {
  private let set: CInt
  private let wake: CInt

  /// Nil when the system has no descriptors left.
  ///
  /// C functions: epoll_create1, eventfd, epoll_ctl.
  init?() {
    var wake: CInt = -1
    set = ikran_alarm_open(&wake)
    self.wake = wake
    guard set >= 0 else { return nil }
  }

  deinit {
    guard set >= 0 else { return }
    ikran_close(set)
    ikran_close(wake)
  }

  /// Ends the sleep, or the next one when nobody sleeps.
  func ring() { ikran_alarm_ring(wake) }

  /// Ends sleeps when the client on `socket` hangs up.
  func watch(_ socket: CInt, number: Int) { ikran_alarm_watch(set, socket, UInt64(number)) }

  /// Ends a watch.
  func forget(_ socket: CInt) { ikran_alarm_forget(set, socket) }

  /// Sleeps until `instant`, for ever when nil, and returns the numbers of those that hung up.
  ///
  /// C function: epoll_wait.
  func sleep(until instant: ContinuousClock.Instant?) -> [Int] {
    let capacity = 64
    return [UInt64](unsafeUninitializedCapacity: capacity) { numbers, count in
      let timeout = instant.map(Self.milliseconds) ?? -1
      count = Int(ikran_alarm_wait(set, wake, timeout, numbers.baseAddress, CInt(capacity)))
    }.map { Int($0) }
  }

  /// Rounded up: to wake too early would only mean to sleep again.
  private static func milliseconds(until instant: ContinuousClock.Instant) -> CInt {
    let (seconds, attoseconds) = (instant - .now).components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    let rest = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    return CInt(min(seconds, 1_000_000) * 1000 + rest)
  }
}
