import CGTK

/// A window of the desktop.
struct Window: Widget {
  let pointer: UnsafeMutablePointer<GtkWidget>

  init(title: String, width: Int, height: Int) {
    pointer = gtk_window_new()
    gtk_window_set_title(window, title)
    gtk_window_set_default_size(window, CInt(width), CInt(height))
  }

  private var window: UnsafeMutablePointer<GtkWindow> {
    raw.assumingMemoryBound(to: GtkWindow.self)
  }

  func setChild(_ child: any Widget) { gtk_window_set_child(window, child.pointer) }
  func setHeader(_ header: any Widget) { gtk_window_set_titlebar(window, header.pointer) }
  func present() { gtk_window_present(window) }
  /// Closes it and ends what is in it.
  func destroy() { gtk_window_destroy(window) }

  /// Fills the screen, or no longer.
  func toggleFullScreen() {
    let isFull = gtk_window_is_fullscreen(window) != 0
    if isFull { gtk_window_unfullscreen(window) } else { gtk_window_fullscreen(window) }
  }

  /// Calls a closure when it has begun to fill the screen, or no longer does.
  func onFullScreen(_ body: @escaping @MainActor (Bool) -> Void) {
    Signals.connect(raw, "notify::fullscreened") { (_: OpaquePointer) in
      body(gtk_window_is_fullscreen(window) != 0)
    }
  }

  func onClose(_ body: @escaping @MainActor () -> Void) { Signals.connectClosing(raw, body) }
  func onMap(_ body: @escaping @MainActor () -> Void) { Signals.connect(raw, "map", body) }

  /// Its clock; nil before the window is made.
  var frames: FrameClock? { FrameClock(of: self) }

  /// The class of what draws it, such as `GskCairoRenderer`.
  var rendererName: String {
    guard let native = gtk_widget_get_native(pointer),
      let renderer = gtk_native_get_renderer(native),
      let name = g_type_name_from_instance(
        UnsafeMutableRawPointer(renderer).assumingMemoryBound(to: GTypeInstance.self)
      )
    else { return "" }
    return String(cString: name)
  }

  /// What the window shows, in the pixels of its monitor; nil while a frame is still to be drawn.
  func texture() -> Texture? {
    guard let native = gtk_widget_get_native(pointer),
      let renderer = gtk_native_get_renderer(native),
      let paintable = gtk_widget_paintable_new(pointer)
    else { return nil }
    defer { g_object_unref(UnsafeMutableRawPointer(paintable)) }
    // With the shadow that it may have around it: another size would blur it all.
    let width = Double(gdk_paintable_get_intrinsic_width(paintable))
    let height = Double(gdk_paintable_get_intrinsic_height(paintable))
    guard let snapshot = gtk_snapshot_new() else { return nil }
    let scale = Float(gtk_widget_get_scale_factor(pointer))
    gtk_snapshot_scale(snapshot, scale, scale)
    gdk_paintable_snapshot(paintable, snapshot, width, height)
    guard let node = gtk_snapshot_free_to_node(snapshot) else { return nil }
    defer { gsk_render_node_unref(node) }
    var area = graphene_rect_t(
      origin: graphene_point_t(x: 0, y: 0),
      size: graphene_size_t(width: Float(width) * scale, height: Float(height) * scale)
    )
    return gsk_renderer_render_texture(renderer, node, &area).map { Texture(taking: $0) }
  }

  // MARK: - Keys

  /// When the window gets keys: before or after the focused widget.
  enum KeyPhase {
    case first
    case last
  }

  /// Calls a closure when keys are pressed, such as `<Control>f`; the others get them when it
  /// returns false.
  ///
  /// GTK would move the focus with arrow keys before the window has them last.
  func onKeys(
    _ keys: String,
    phase: KeyPhase = .first,
    _ body: @escaping @MainActor () -> Bool
  ) {
    let order = phase == .first ? GTK_PHASE_CAPTURE : GTK_PHASE_BUBBLE
    addKeys(keys, phase: order, scope: GTK_SHORTCUT_SCOPE_GLOBAL, body)
  }
}
