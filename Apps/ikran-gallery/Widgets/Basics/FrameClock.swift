import CGTK

/// The frames of a window.
@MainActor
struct FrameClock {
  private let pointer: OpaquePointer

  /// The clock of a window that has been made.
  init?(of window: Window) {
    guard let clock = gtk_widget_get_frame_clock(window.pointer) else { return nil }
    pointer = clock
  }

  /// Calls closures before and after each frame is built.
  ///
  /// - Parameters:
  ///   - before: Before anything of the frame.
  ///   - after: When it is drawn, with the milliseconds since `before`.
  func onFrame(
    before: @escaping @MainActor () -> Void,
    after: @escaping @MainActor (Double) -> Void
  ) {
    var start = g_get_monotonic_time()
    Signals.connect(UnsafeMutableRawPointer(pointer), "before-paint") {
      start = g_get_monotonic_time()
      before()
    }
    Signals.connect(UnsafeMutableRawPointer(pointer), "after-paint", after: true) {
      after(Double(g_get_monotonic_time() - start) / 1000)
    }
  }

  /// Asks for one more frame.
  func requestFrame() { gdk_frame_clock_request_phase(pointer, GDK_FRAME_CLOCK_PHASE_PAINT) }

  /// Draws frame after frame, or only those that are needed.
  func run(_ isRunning: Bool) {
    if isRunning {
      gdk_frame_clock_begin_updating(pointer)
    } else {
      gdk_frame_clock_end_updating(pointer)
    }
  }

  /// Milliseconds since some moment in the past.
  static var now: Double { Double(g_get_monotonic_time()) / 1000 }
}
