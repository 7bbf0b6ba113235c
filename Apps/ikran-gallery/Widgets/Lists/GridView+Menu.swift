import CGTK

/// What a menu of a cell needs to know.
extension GridView {
  private typealias Press = @convention(c) (gpointer?, CInt, Double, Double, gpointer?) -> Void

  /// Calls a closure with the number of a cell's item, and where it is, at a click of the right
  /// button.
  func onRightClick(_ body: @escaping @MainActor (Int, Area) -> Void) {
    guard let gesture = gtk_gesture_click_new() else { return }
    gtk_gesture_single_set_button(gesture, 3)
    gtk_event_controller_set_propagation_phase(gesture, GTK_PHASE_CAPTURE)
    let press: Press = { _, _, x, y, data in
      CallbackData<(x: Double, y: Double), Void>.call(data, (x: x, y: y))
    }
    let callback = CallbackData<(x: Double, y: Double), Void> { [weak self] point in
      guard let self, let number = item(at: point) else { return }
      body(number, (Int(point.x), Int(point.y), 1, 1))
    }
    g_signal_connect_data(
      UnsafeMutableRawPointer(gesture),
      "pressed",
      unsafeBitCast(press, to: GCallback.self),
      callback.retained(),
      { data, _ in releaseCallbackData(data) },
      GConnectFlags(0)
    )
    gtk_widget_add_controller(pointer, gesture)
  }

  /// The number of the item at a point.
  func item(at point: (x: Double, y: Double)) -> Int? {
    cell(around: gtk_widget_pick(pointer, point.x, point.y, GTK_PICK_DEFAULT))?.number
  }

  /// The number of the item that has the focus, and where its picture is.
  var focused: (number: Int, area: Area)? {
    guard let root = gtk_widget_get_root(pointer),
      let found = cell(around: gtk_root_get_focus(root))
    else { return nil }
    var bounds = graphene_rect_t()
    guard gtk_widget_compute_bounds(found.cell.picture.pointer, pointer, &bounds) != 0 else {
      return nil
    }
    let (origin, size) = (bounds.origin, bounds.size)
    return (found.number, (Int(origin.x), Int(origin.y), Int(size.width), Int(size.height)))
  }
}
