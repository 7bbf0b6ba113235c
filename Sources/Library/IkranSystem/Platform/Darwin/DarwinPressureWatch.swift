#if canImport(Darwin)
import Dispatch

/// Calls a closure when memory becomes scarce, for as long as it lives.
///
/// The kernel wakes it; it does not poll.
package final class PressureWatch: Sendable {
  private let onPressure: @Sendable (MemoryPressure) -> Void
  private let source: any DispatchSourceMemoryPressure
  /// The level that was last reported; nil while memory is plentiful.
  private let level: Guarded<MemoryPressure?>

  /// Starts to watch.
  ///
  /// - Parameter onPressure: Called on a thread of the system's. A call that has started when the
  ///   watch is released ends normally.
  package init(_ onPressure: @escaping @Sendable (MemoryPressure) -> Void) {
    self.onPressure = onPressure
    let source = DispatchSource.makeMemoryPressureSource(eventMask: [.normal, .warning, .critical])
    let level = Guarded<MemoryPressure?>(nil)
    (self.source, self.level) = (source, level)
    // The source keeps its closure until it is cancelled.
    source.setEventHandler { [weak source] in
      guard let event = source?.data else { return }
      let now = Self.level(of: event)
      level.withLock { $0 = now }
      if let now { onPressure(now) }
    }
    source.activate()
  }

  deinit { source.cancel() }

  /// Whether the kernel reports pressure to this watch.
  package var isWatching: Bool { true }

  /// Reads the pressure that was last reported, and calls the closure if memory is scarce.
  ///
  /// - Returns: The level that the closure was called with; nil when it was not called.
  @discardableResult
  package func check() -> MemoryPressure? {
    let level = level.withLock { $0 }
    if let level { onPressure(level) }
    return level
  }

  private static func level(of event: DispatchSource.MemoryPressureEvent) -> MemoryPressure? {
    event.contains(.critical) ? .critical : event.contains(.warning) ? .warning : nil
  }
}
#endif
