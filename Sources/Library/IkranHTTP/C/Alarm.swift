import CMicroHTTPD

/// Wakes one sleeping thread: at a time, when rung, or when a watched client disconnects.
final class Alarm: Sendable {
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

  /// Ends the sleep, or the next one when the thread is not sleeping.
  func ring() { ikran_alarm_ring(wake) }

  /// Ends sleeps when the client on `socket` disconnects.
  func watch(_ socket: CInt, number: Int) { ikran_alarm_watch(set, socket, UInt64(number)) }

  /// Ends a watch.
  func forget(_ socket: CInt) { ikran_alarm_forget(set, socket) }

  /// Sleeps until `instant`, forever when nil, and returns the numbers of disconnected clients.
  ///
  /// C function: epoll_wait.
  func sleep(until instant: ContinuousClock.Instant?) -> [Int] {
    let capacity = 64
    return [UInt64](unsafeUninitializedCapacity: capacity) { numbers, count in
      let timeout = instant.map(Self.milliseconds) ?? -1
      count = Int(ikran_alarm_wait(set, wake, timeout, numbers.baseAddress, CInt(capacity)))
    }.map { Int($0) }
  }

  /// Rounded up: a thread that wakes too early would only sleep again.
  private static func milliseconds(until instant: ContinuousClock.Instant) -> CInt {
    let (seconds, attoseconds) = (instant - .now).components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    let rest = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    return CInt(min(seconds, 1_000_000) * 1000 + rest)
  }
}
