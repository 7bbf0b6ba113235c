#if canImport(Glibc)
/// Calls a closure when memory becomes scarce, for as long as it lives.
///
/// The kernel wakes it; it does not poll. It listens to pressure stall information
/// (`/proc/pressure/memory`): warning when some task waits for memory for a tenth of two seconds,
/// critical when all do. A stall counts only while less than a fifth of the machine's memory is
/// available or the process's control group (version 2) nears its limit.
///
/// Without that file it listens to the events of the control group. An event counts only while the
/// group's memory without cached files nears the limit or the machine's memory is scarce. Where
/// both are missing it does nothing, and has no thread.
///
/// ```swift
/// let watch = PressureWatch { pressure in
///   cache.trim(toBytes: pressure == .critical ? 0 : cache.byteLimit / 2)
/// }
/// ```
package final class PressureWatch: Sendable {
  private let onPressure: @Sendable (MemoryPressure) -> Void
  private let gauge: Guarded<PressureGauge>
  private let alarm: PressureAlarm?

  /// Starts to watch.
  ///
  /// - Parameter onPressure: Called on the watch's thread, at most once a second. A call that has
  ///   started when the watch is released ends normally.
  package convenience init(_ onPressure: @escaping @Sendable (MemoryPressure) -> Void) {
    self.init(.standard, onPressure)
  }

  package init(
    _ paths: PressurePaths,
    _ onPressure: @escaping @Sendable (MemoryPressure) -> Void
  ) {
    self.onPressure = onPressure
    let gauge = Guarded(PressureGauge(paths))
    self.gauge = gauge
    alarm = PressureAlarm(paths) { level in
      // A signal alone is not enough: a control group's has no level, and tasks also wait for
      // memory while plenty is available.
      let confirmed = gauge.withLock {
        level == nil ? $0.newEvents() : $0.level(withStall: level)
      }
      if let confirmed { onPressure(confirmed) }
    }
  }

  deinit { alarm?.stop() }

  /// Whether the kernel reports pressure to this watch.
  package var isWatching: Bool { alarm != nil }

  /// Reads the pressure now, on this thread, and calls the closure if memory is scarce.
  ///
  /// - Returns: The level that the closure was called with; nil when it was not called.
  @discardableResult
  package func check() -> MemoryPressure? {
    let level = gauge.withLock { $0.read() }
    if let level { onPressure(level) }
    return level
  }
}
#endif
