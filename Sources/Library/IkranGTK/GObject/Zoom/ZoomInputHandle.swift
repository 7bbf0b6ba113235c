import CGTK

private typealias Plain = @convention(c) (gpointer?, gpointer?, gpointer?) -> Void
private typealias AtPoint = @convention(c) (gpointer?, Double, Double, gpointer?) -> Void
private typealias Scroll = @convention(c) (gpointer?, Double, Double, gpointer?) -> gboolean
private typealias Click = @convention(c) (gpointer?, CInt, Double, Double, gpointer?) -> Void
private typealias Scale = @convention(c) (gpointer?, Double, gpointer?) -> Void
private typealias Press =
  @convention(c) (
    gpointer?, CUnsignedInt, CUnsignedInt, GdkModifierType, gpointer?
  ) -> gboolean

/// What the controllers of a widget have: a reference that does not keep the picture.
private final class Receiver: Sendable {
  @MainActor weak var content: ZoomContent?

  @MainActor init(_ content: ZoomContent) { self.content = content }

  /// Passes on what a controller has; whether the picture took it.
  @discardableResult
  static func receive(_ input: ZoomInput, _ data: gpointer?) -> gboolean {
    guard let data else { return 0 }
    let receiver = Unmanaged<Receiver>.fromOpaque(data).takeUnretainedValue()
    return MainActor.assumeIsolated { receiver.content?.receive(input) == true ? 1 : 0 }
  }
}

extension WidgetHandle {
  /// Lets the mouse, fingers and keys zoom and move a picture.
  func addZoomInput(_ content: ZoomContent) {
    gtk_widget_set_focusable(pointer, 1)
    let receiver = Receiver(content)
    addMouse(receiver)
    addWheel(receiver)
    addClicks(receiver)
    addDrag(receiver)
    addPinch(receiver)
    addKeys(receiver)
  }

  private func addMouse(_ receiver: Receiver) {
    guard let motion = gtk_event_controller_motion_new() else { return }
    let moved: AtPoint = { Receiver.receive(.mouse(x: $1, y: $2), $3) }
    Self.connect(motion, "motion", to: unsafeBitCast(moved, to: GCallback.self), for: receiver)
    Self.connect(motion, "enter", to: unsafeBitCast(moved, to: GCallback.self), for: receiver)
    gtk_widget_add_controller(pointer, motion)
  }

  private func addWheel(_ receiver: Receiver) {
    guard let wheel = gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES) else {
      return
    }
    let turned: Scroll = { controller, x, y, data in
      let wheel = OpaquePointer(controller)
      let state = gtk_event_controller_get_current_event_state(wheel).rawValue
      let isTouchpad = gtk_event_controller_scroll_get_unit(wheel) == GDK_SCROLL_UNIT_SURFACE
      let zooms = state & GDK_CONTROL_MASK.rawValue != 0
      let isSideways = state & GDK_SHIFT_MASK.rawValue != 0 && x == 0
      let (x, y) = isSideways ? (y, 0) : (x, y)
      return Receiver.receive(.wheel(x: x, y: y, isTouchpad: isTouchpad, zooms: zooms), data)
    }
    Self.connect(wheel, "scroll", to: unsafeBitCast(turned, to: GCallback.self), for: receiver)
    gtk_widget_add_controller(pointer, wheel)
  }

  private func addClicks(_ receiver: Receiver) {
    guard let clicks = gtk_gesture_click_new() else { return }
    let pressed: Click = { Receiver.receive(.clicks(Int($1), x: $2, y: $3), $4) }
    Self.connect(clicks, "pressed", to: unsafeBitCast(pressed, to: GCallback.self), for: receiver)
    gtk_widget_add_controller(pointer, clicks)
  }

  private func addDrag(_ receiver: Receiver) {
    guard let drag = gtk_gesture_drag_new() else { return }
    let began: AtPoint = { _, _, _, data in Receiver.receive(.dragBegan, data) }
    let moved: AtPoint = { Receiver.receive(.dragged(x: $1, y: $2), $3) }
    Self.connect(drag, "drag-begin", to: unsafeBitCast(began, to: GCallback.self), for: receiver)
    Self.connect(drag, "drag-update", to: unsafeBitCast(moved, to: GCallback.self), for: receiver)
    gtk_widget_add_controller(pointer, drag)
  }

  private func addPinch(_ receiver: Receiver) {
    guard let pinch = gtk_gesture_zoom_new() else { return }
    let began: Plain = { _, _, data in Receiver.receive(.pinchBegan, data) }
    let scaled: Scale = { gesture, factor, data in
      var (x, y) = (0.0, 0.0)
      gtk_gesture_get_bounding_box_center(OpaquePointer(gesture), &x, &y)
      Receiver.receive(.pinched(factor, x: x, y: y), data)
    }
    let ended: Plain = { _, _, data in Receiver.receive(.pinchEnded, data) }
    Self.connect(pinch, "begin", to: unsafeBitCast(began, to: GCallback.self), for: receiver)
    Self.connect(pinch, "end", to: unsafeBitCast(ended, to: GCallback.self), for: receiver)
    Self.connect(pinch, "cancel", to: unsafeBitCast(ended, to: GCallback.self), for: receiver)
    Self.connect(
      pinch,
      "scale-changed",
      to: unsafeBitCast(scaled, to: GCallback.self),
      for: receiver
    )
    gtk_widget_add_controller(pointer, pinch)
  }

  private func addKeys(_ receiver: Receiver) {
    guard let keys = gtk_event_controller_key_new() else { return }
    let pressed: Press = { _, key, _, state, data in
      let others = GDK_CONTROL_MASK.rawValue | GDK_ALT_MASK.rawValue | GDK_SUPER_MASK.rawValue
      guard state.rawValue & others == 0, let key = ZoomInput.Key(CInt(bitPattern: key)),
        state.rawValue & GDK_SHIFT_MASK.rawValue == 0 || !key.moves
      else { return 0 }
      return Receiver.receive(.key(key), data)
    }
    Self.connect(keys, "key-pressed", to: unsafeBitCast(pressed, to: GCallback.self), for: receiver)
    gtk_widget_add_controller(pointer, keys)
  }

  private static func connect(
    _ controller: OpaquePointer,
    _ signal: String,
    to handler: GCallback,
    for receiver: Receiver
  ) {
    g_signal_connect_data(
      UnsafeMutableRawPointer(controller),
      signal,
      handler,
      Unmanaged.passRetained(receiver).toOpaque(),
      { data, _ in if let data { Unmanaged<Receiver>.fromOpaque(data).release() } },
      GConnectFlags(0)
    )
  }
}

extension ZoomInput.Key {
  /// A key of GDK's; nil for one that does nothing to a picture.
  fileprivate init?(_ key: CInt) {
    switch key {
    case GDK_KEY_plus, GDK_KEY_equal, GDK_KEY_KP_Add: self = .zoomIn
    case GDK_KEY_minus, GDK_KEY_KP_Subtract: self = .zoomOut
    case GDK_KEY_0, GDK_KEY_KP_0: self = .whole
    case GDK_KEY_1, GDK_KEY_KP_1: self = .pixels
    case GDK_KEY_Left, GDK_KEY_KP_Left: self = .left
    case GDK_KEY_Right, GDK_KEY_KP_Right: self = .right
    case GDK_KEY_Up, GDK_KEY_KP_Up: self = .up
    case GDK_KEY_Down, GDK_KEY_KP_Down: self = .down
    case GDK_KEY_Page_Up, GDK_KEY_KP_Page_Up: self = .pageUp
    case GDK_KEY_Page_Down, GDK_KEY_KP_Page_Down: self = .pageDown
    case GDK_KEY_Home, GDK_KEY_KP_Home: self = .start
    case GDK_KEY_End, GDK_KEY_KP_End: self = .end
    default: return nil
    }
  }
}
