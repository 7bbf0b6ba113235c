import CGTK
import Glibc

private typealias ScrollHandler = @convention(c) (gpointer?, Double, Double, gpointer?) -> gboolean

extension Widget {
  /// Calls a closure when a wheel is turned while Ctrl is pressed, with the turns away from the
  /// user.
  func onControlWheel(_ body: @escaping @MainActor (Double) -> Void) {
    guard let controller = gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_VERTICAL)
    else { return }
    gtk_event_controller_set_propagation_phase(controller, GTK_PHASE_CAPTURE)
    let handler: ScrollHandler = { controller, _, turns, data in
      guard let controller = controller.map({ OpaquePointer($0) }), hasControl(controller) else {
        return 0
      }
      CallbackData<Double, Void>.call(data, -turns)
      return 1
    }
    g_signal_connect_data(
      UnsafeMutableRawPointer(controller),
      "scroll",
      unsafeBitCast(handler, to: GCallback.self),
      CallbackData<Double, Void>(body).retained(),
      { data, _ in releaseCallbackData(data) },
      GConnectFlags(0)
    )
    gtk_widget_add_controller(pointer, controller)
  }

  /// Scrolls smoothly when a wheel is turned; touchpads are left to GTK.
  ///
  /// With Ctrl it does not scroll. Where frames take long, many turns of a wheel come within one:
  /// followed at once, such jumps make GtkGridView of GTK 4.8 lose its rows.
  ///
  /// - Parameter move: Moves by so many points, never more than half of what is to be seen.
  func addWheelScrolling(_ move: @escaping @MainActor (Double) -> Void) {
    guard let controller = gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_VERTICAL)
    else { return }
    gtk_event_controller_set_propagation_phase(controller, GTK_PHASE_CAPTURE)
    let handler: ScrollHandler = { controller, _, turns, data in
      guard let controller = controller.map({ OpaquePointer($0) }),
        gtk_event_controller_scroll_get_unit(controller) == GDK_SCROLL_UNIT_WHEEL,
        !hasControl(controller)
      else { return 0 }
      CallbackData<Double, Void>.call(data, turns)
      return 1
    }
    let wheel = Wheel(self, move)
    g_signal_connect_data(
      UnsafeMutableRawPointer(controller),
      "scroll",
      unsafeBitCast(handler, to: GCallback.self),
      CallbackData<Double, Void> { wheel.turn(by: $0) }.retained(),
      { data, _ in releaseCallbackData(data) },
      GConnectFlags(0)
    )
    gtk_widget_add_controller(pointer, controller)
  }
}

/// Whether Ctrl is pressed in the event that a controller handles.
private func hasControl(_ controller: OpaquePointer) -> Bool {
  let state = gtk_event_controller_get_current_event_state(controller)
  return state.rawValue & GDK_CONTROL_MASK.rawValue != 0
}

/// How far a wheel was turned, and how far that was followed.
@MainActor
private final class Wheel {
  private let widget: any Widget
  private let move: @MainActor (Double) -> Void
  /// The points that are still to be scrolled.
  private var rest = 0.0
  private var isMoving = false

  init(_ widget: any Widget, _ move: @escaping @MainActor (Double) -> Void) {
    (self.widget, self.move) = (widget, move)
  }

  func turn(by turns: Double) {
    // The other way round it turns at once.
    if rest * turns < 0 { rest = 0 }
    // As far as GTK scrolls for a turn.
    rest += turns * pow(Double(widget.height), 2.0 / 3)
    guard !isMoving else { return }
    isMoving = true
    let step: GtkTickCallback = { _, _, data in
      CallbackData<Void, Bool>.call(data, ()) == true ? 1 : 0
    }
    let callback = CallbackData<Void, Bool> { [weak self] in self?.step() ?? false }
    gtk_widget_add_tick_callback(widget.pointer, step, callback.retained(), releaseCallbackData)
  }

  /// Moves for a frame; whether there is more to do.
  private func step() -> Bool {
    let most = Double(widget.height) / 2
    let part = abs(rest) < 2 ? rest : min(max(rest * 0.3, -most), most)
    move(part)
    rest -= part
    isMoving = rest != 0
    return isMoving
  }
}
