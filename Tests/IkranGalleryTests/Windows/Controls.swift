import CGTK

@testable import ikran_gallery

extension Window {
  /// How many windows this program has.
  static var count: Int { Int(g_list_model_get_n_items(gtk_window_get_toplevels())) }

  /// Gives the window another size, in points.
  func resize(width: Int, height: Int) {
    let window = raw.assumingMemoryBound(to: GtkWindow.self)
    gtk_window_set_default_size(window, CInt(width), CInt(height))
  }

  /// The least size: the width, and the height at a width of 360 points.
  var leastSize: (width: Int, height: Int) {
    var (width, height): (CInt, CInt) = (0, 0)
    gtk_widget_measure(pointer, GTK_ORIENTATION_HORIZONTAL, -1, &width, nil, nil, nil)
    let room = max(360, width)
    gtk_widget_measure(pointer, GTK_ORIENTATION_VERTICAL, room, &height, nil, nil, nil)
    return (Int(width), Int(height))
  }
}

extension Widget {
  /// Presses keys such as `<Control>f` as the widget's own shortcuts have them.
  ///
  /// - Returns: Whether one of them took the keys.
  @discardableResult
  func press(_ keys: String) -> Bool {
    guard let wanted = gtk_shortcut_trigger_parse_string(keys),
      let controllers = gtk_widget_observe_controllers(pointer)
    else { return false }
    defer { g_object_unref(UnsafeMutableRawPointer(controllers)) }
    for controller in objects(in: controllers) where isShortcuts(controller) {
      for shortcut in objects(in: controller) {
        guard let trigger = gtk_shortcut_get_trigger(shortcut),
          gtk_shortcut_trigger_equal(UnsafeMutableRawPointer(trigger), .init(wanted)) != 0
        else { continue }
        let action = gtk_shortcut_get_action(shortcut)
        if gtk_shortcut_action_activate(action, GtkShortcutActionFlags(0), pointer, nil) != 0 {
          return true
        }
      }
    }
    return false
  }

  private func isShortcuts(_ controller: OpaquePointer) -> Bool {
    let instance = UnsafeMutablePointer<GTypeInstance>(controller)
    return g_type_check_instance_is_a(instance, gtk_shortcut_controller_get_type()) != 0
  }

  /// What a list holds on to by itself.
  private func objects(in list: OpaquePointer) -> [OpaquePointer] {
    (0..<g_list_model_get_n_items(list)).compactMap { position in
      guard let object = g_list_model_get_item(list, position) else { return nil }
      g_object_unref(object)
      return OpaquePointer(object)
    }
  }

  /// The widgets in it that a condition holds for, itself among them.
  func descendants(where holds: (AnyWidget) -> Bool) -> [AnyWidget] {
    var found = holds(AnyWidget(pointer: pointer)) ? [AnyWidget(pointer: pointer)] : []
    var child = gtk_widget_get_first_child(pointer)
    while let next = child {
      found += AnyWidget(pointer: next).descendants(where: holds)
      child = gtk_widget_get_next_sibling(next)
    }
    return found
  }

  /// Does what a line of a menu does, such as `cell.copy`; false where it cannot.
  @discardableResult
  func activate(_ action: String) -> Bool {
    gtk_widget_activate_action_variant(pointer, action, nil) != 0
  }

  /// The text that this program has put on the clipboard.
  var copied: String? {
    guard let clipboard = gtk_widget_get_clipboard(pointer),
      let content = gdk_clipboard_get_content(clipboard)
    else { return nil }
    var value = GValue()
    g_value_init(&value, GType(16 << 2))  // G_TYPE_STRING
    defer { g_value_unset(&value) }
    guard gdk_content_provider_get_value(content, &value, nil) != 0 else { return nil }
    return g_value_get_string(&value).map { String(cString: $0) }
  }

  /// The control in it with this tooltip.
  func control(_ tooltip: String) -> AnyWidget? {
    descendants { $0.tooltip == tooltip }.first
  }

  /// The button in it with this text.
  func button(_ text: String) -> AnyWidget? {
    descendants { widget in
      let instance = UnsafeMutablePointer<GTypeInstance>(widget.opaque)
      guard g_type_check_instance_is_a(instance, gtk_button_get_type()) != 0 else { return false }
      let button = widget.raw.assumingMemoryBound(to: GtkButton.self)
      return gtk_button_get_label(button).map { String(cString: $0) } == text
    }
    .first
  }

  func click() { gtk_widget_activate(pointer) }

  /// The place that is chosen of a drop-down.
  var chosen: Int { Int(gtk_drop_down_get_selected(opaque)) }

  /// Chooses a place of a drop-down.
  func choose(_ place: Int) { gtk_drop_down_set_selected(opaque, CUnsignedInt(place)) }
}
