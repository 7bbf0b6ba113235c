/// Tells when memory becomes scarce, for as long as it lives.
///
/// The kernel wakes it; nothing is polled. It listens to pressure stall information
/// (`/proc/pressure/memory`: warning when some task waits for memory for a tenth of two seconds,
/// critical when all do), which counts only while less than a fifth of the machine's memory is
/// available or the process's control group nears its limit; or where that is missing to the limits
/// of the control group (version 2), which count only while its memory without files nears them or
/// the machine's is scarce. Where neither is there it does nothing, and has no thread.
///
/// ```swift
/// let watch = PressureWatch { pressure in
///   cache.trim(toBytes: pressure == .critical ? 0 : cache.byteLimit / 2)
/// }
/// ```
public final class PressureWatch: Sendable {
  private let onPressure: @Sendable (MemoryPressure) -> Void
  private let gauge: Guarded<PressureGauge>
  private let alarm: PressureAlarm?

  /// Begins to watch.
  ///
  /// - Parameter onPressure: Called on the watch's own thread, at most once a second, also once
  ///   more just after the watch is released when it was about to.
  public convenience init(_ onPressure: @escaping @Sendable (MemoryPressure) -> Void) {
    self.init(.standard, onPressure)
  }

  package init(
    _ places: PressurePlaces,
    _ onPressure: @escaping @Sendable (MemoryPressure) -> Void
  ) {
    self.onPressure = onPressure
    let gauge = Guarded(PressureGauge(places))
    self.gauge = gauge
    alarm = PressureAlarm(places) { level in
      // The alarm of a control group only says that something happened, and tasks wait for memory
      // also where there is plenty.
      let judged = gauge.withLock { level == nil ? $0.newEvents() : $0.judge(level) }
      if let judged { onPressure(judged) }
    }
  }

  deinit { alarm?.stop() }

  /// Whether the kernel will tell of pressure.
  public var isWatching: Bool { alarm != nil }

  /// Looks now, on this thread, and calls the closure if memory is scarce.
  ///
  /// - Returns: What the closure was told; nil when it was not called.
  @discardableResult
  public func check() -> MemoryPressure? {
    let level = gauge.withLock { $0.read() }
    if let level { onPressure(level) }
    return level
  }
}
