import CGTK

/// A button with a symbol or a text.
struct Button: Widget {
  let pointer: UnsafeMutablePointer<GtkWidget>

  init(icon: String, name: String, _ body: @escaping @MainActor () -> Void) {
    pointer = gtk_button_new_from_icon_name(icon)
    setTooltip(name)
    accessibleLabel(name)
    Signals.connect(raw, "clicked", body)
  }

  init(text: String, _ body: @escaping @MainActor () -> Void) {
    pointer = gtk_button_new_with_label(text)
    Signals.connect(raw, "clicked", body)
  }
}

/// A button that shows other controls; F10 presses it.
struct MenuButton: Widget {
  let pointer: UnsafeMutablePointer<GtkWidget> = gtk_menu_button_new()

  init(icon: String, name: String, _ controls: any Widget) {
    gtk_menu_button_set_icon_name(opaque, icon)
    gtk_menu_button_set_primary(opaque, 1)
    setTooltip(name)
    accessibleLabel(name)
    let popover: UnsafeMutablePointer<GtkWidget> = gtk_popover_new()
    gtk_popover_set_child(
      UnsafeMutableRawPointer(popover).assumingMemoryBound(to: GtkPopover.self),
      controls.pointer
    )
    gtk_menu_button_set_popover(opaque, popover)
  }

  func close() { gtk_menu_button_popdown(opaque) }
}

/// A choice of one from a list.
struct DropDown: Widget {
  let pointer: UnsafeMutablePointer<GtkWidget>

  init(
    _ words: [String],
    selected: Int,
    name: String,
    _ body: @escaping @MainActor (Int) -> Void
  ) {
    let list = gtk_string_list_new(nil)
    for word in words { gtk_string_list_append(list, word) }
    // The widget takes the list's reference.
    let pointer: UnsafeMutablePointer<GtkWidget> = gtk_drop_down_new(list, nil)
    self.pointer = pointer
    gtk_drop_down_set_selected(OpaquePointer(pointer), CUnsignedInt(selected))
    setTooltip(name)
    accessibleLabel(name)
    Signals.connect(raw, "notify::selected") { (_: OpaquePointer) in
      body(Int(gtk_drop_down_get_selected(OpaquePointer(pointer))))
    }
  }

  /// Chooses one, as the user does.
  func select(_ place: Int) { gtk_drop_down_set_selected(opaque, CUnsignedInt(place)) }
}

/// A field that searches while it is typed in.
struct SearchField: Widget {
  let pointer: UnsafeMutablePointer<GtkWidget>

  /// Makes a field.
  ///
  /// - Parameters:
  ///   - hint: What it says while it is empty.
  ///   - onSearch: Called with what was typed, a moment after.
  ///   - onLeave: Called at Escape and Enter.
  init(
    hint: String,
    onSearch: @escaping @MainActor (String) -> Void,
    onLeave: @escaping @MainActor (_ clears: Bool) -> Void
  ) {
    let pointer: UnsafeMutablePointer<GtkWidget> = gtk_search_entry_new()
    self.pointer = pointer
    let entry = OpaquePointer(pointer)
    Self.setHint(entry, hint)
    gtk_editable_set_width_chars(entry, 4)
    gtk_editable_set_max_width_chars(entry, 20)
    accessibleLabel(hint)
    Signals.connect(raw, "search-changed") {
      onSearch(gtk_editable_get_text(entry).map { String(cString: $0) } ?? "")
    }
    Signals.connect(raw, "stop-search") { onLeave(true) }
    Signals.connect(raw, "activate") { onLeave(false) }
  }

  func clear() { gtk_editable_set_text(opaque, "") }

  /// Takes the keyboard; what is typed takes the place of what is there.
  func focusAll() {
    focus()
    gtk_editable_select_region(opaque, 0, -1)
  }

  /// Takes what is typed while nothing else wants it.
  func captureKeys(of widget: any Widget) {
    gtk_search_entry_set_key_capture_widget(opaque, widget.pointer)
  }

  /// The property is older than the function for it, which is of GTK 4.10.
  private static func setHint(
    _ entry: OpaquePointer,
    _ hint: String
  ) {
    let object = UnsafeMutableRawPointer(entry).assumingMemoryBound(to: GObject.self)
    var value = GValue()
    g_value_init(&value, GType(16 << 2))  // G_TYPE_STRING
    defer { g_value_unset(&value) }
    g_value_set_string(&value, hint)
    g_object_set_property(object, "placeholder-text", &value)
  }
}
