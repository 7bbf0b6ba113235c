import CGTK
import IkranViews

/// A call at each frame of a widget's window, until it is cancelled or the widget ends.
@MainActor
final class TickCallback: FrameCallback {
  private var widget: WidgetHandle?
  private var id: CUnsignedInt = 0

  /// Begins.
  ///
  /// - Parameters:
  ///   - widget: A widget in a window.
  ///   - body: Given the frame's time in microseconds; returns whether it is to be called again.
  init(_ widget: WidgetHandle, _ body: @escaping @MainActor (Int) -> Bool) {
    self.widget = widget
    let data = Unmanaged.passRetained(Ticks(body, self)).toOpaque()
    id = Self.add(widget.pointer, data)
  }

  /// Whether it has not been cancelled, and the widget is there.
  var isRunning: Bool { widget != nil }

  /// Ends it; calling it again does nothing.
  func cancel() {
    guard let widget else { return }
    self.widget = nil
    gtk_widget_remove_tick_callback(widget.pointer, id)
  }

  private final class Ticks {
    let body: @MainActor (Int) -> Bool
    weak var handle: TickCallback?

    init(_ body: @escaping @MainActor (Int) -> Bool, _ handle: TickCallback) {
      (self.body, self.handle) = (body, handle)
    }
  }

  nonisolated private static func add(
    _ widget: UnsafeMutablePointer<GtkWidget>,
    _ data: UnsafeMutableRawPointer
  ) -> CUnsignedInt {
    gtk_widget_add_tick_callback(
      widget,
      { _, clock, data in
        guard let clock, let data else { return 0 }
        let time = gdk_frame_clock_get_frame_time(clock)
        nonisolated(unsafe) let raw = data  // GTK calls on its thread
        return MainActor.assumeIsolated {
          Unmanaged<Ticks>.fromOpaque(raw).takeUnretainedValue().body(time) ? 1 : 0
        }
      },
      data,
      { data in
        guard let data else { return }
        nonisolated(unsafe) let raw = data  // GTK ends widgets on its thread
        MainActor.assumeIsolated {
          Unmanaged<Ticks>.fromOpaque(raw).takeRetainedValue().handle?.widget = nil
        }
      }
    )
  }
}
