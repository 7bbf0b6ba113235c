import CGTK
import IkranGTK
import IkranTesting
import Testing

/// A window with one widget of a fixed size.
@MainActor
final class Window {
  typealias Widget = UnsafeMutablePointer<GtkWidget>

  let pointer: Widget
  let widget: Widget
  private var isOpen = true

  /// Opens a window and waits until it is on display.
  ///
  /// - Parameters:
  ///   - widget: What it shows; nil is a new `GtkPicture`.
  ///   - width: Of the widget, in points.
  ///   - height: Of the widget, in points.
  /// - Throws: `Timeout` when it does not appear.
  init(_ widget: Widget? = nil, width: Int, height: Int) throws {
    try Display.open()
    pointer = try #require(gtk_window_new())
    self.widget = try #require(widget ?? gtk_picture_new())
    let box = try #require(gtk_center_box_new())
    gtk_widget_set_size_request(self.widget, CInt(width), CInt(height))
    gtk_widget_set_halign(self.widget, GTK_ALIGN_CENTER)
    gtk_widget_set_valign(self.widget, GTK_ALIGN_CENTER)
    gtk_center_box_set_center_widget(OpaquePointer(box), self.widget)
    gtk_window_set_child(window, box)
    gtk_window_set_default_size(window, 260, 260)
    gtk_window_present(window)
    // Frames go on while a test waits for one.
    gtk_widget_add_tick_callback(pointer, { _, _, _ in 1 }, nil, nil)
    try Display.run {
      gtk_widget_get_mapped(self.widget) != 0 && gtk_widget_get_width(self.widget) > 0
    }
  }

  private var window: UnsafeMutablePointer<GtkWindow> {
    UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: GtkWindow.self)
  }

  /// Closes the window; its widgets end.
  func close() {
    guard isOpen else { return }
    isOpen = false
    gtk_window_destroy(window)
    // The display hears of it, and so does all that the window had.
    while g_main_context_pending(nil) != 0 { g_main_context_iteration(nil, 0) }
    gdk_display_sync(gdk_display_get_default())
  }

  isolated deinit { close() }

  /// Waits until so many frames were drawn.
  func drawFrames(_ count: Int) throws {
    let clock = try #require(gtk_widget_get_frame_clock(pointer))
    let first = gdk_frame_clock_get_frame_counter(clock)
    try Display.run { gdk_frame_clock_get_frame_counter(clock) >= first + count }
  }

  /// Makes every frame take longer than there is between two.
  func makeFramesSlow() throws {
    gtk_widget_add_tick_callback(
      pointer,
      { _, _, _ in
        let end = g_get_monotonic_time() + 40_000
        while g_get_monotonic_time() < end {}
        return 1
      },
      nil,
      nil
    )
    try drawFrames(2)
  }

  /// What the widget looks like, without its window, in pixels of the monitor.
  func pixels(scale: Int = 1) throws -> Bitmap {
    try Self.pixels(of: widget, in: pointer, scale: scale)
  }

  /// What a widget of this window looks like.
  func pixels(of widget: Widget) throws -> Bitmap {
    try Self.pixels(of: widget, in: pointer, scale: 1)
  }

  private static func pixels(of widget: Widget, in window: Widget, scale: Int) throws -> Bitmap {
    let (width, height) = (gtk_widget_get_width(widget), gtk_widget_get_height(widget))
    let size = PixelSize(width: Int(width) * scale, height: Int(height) * scale)
    var canvas = try Canvas(size: size, format: .bgra)
    let paintable = try #require(gtk_widget_paintable_new(widget))
    defer { g_object_unref(UnsafeMutableRawPointer(paintable)) }
    let snapshot = try #require(gtk_snapshot_new())
    gtk_snapshot_scale(snapshot, Float(scale), Float(scale))
    gdk_paintable_snapshot(paintable, snapshot, Double(width), Double(height))
    // Nothing is drawn: all is clear.
    guard let node = gtk_snapshot_free_to_node(snapshot) else { return canvas.finish() }
    defer { gsk_render_node_unref(node) }
    var bounds = graphene_rect_t()
    graphene_rect_init(&bounds, 0, 0, Float(size.width), Float(size.height))
    let renderer = gtk_native_get_renderer(gtk_widget_get_native(window))
    let texture = try #require(gsk_renderer_render_texture(renderer, node, &bounds))
    defer { g_object_unref(UnsafeMutableRawPointer(texture)) }
    let bytesPerRow = canvas.bytesPerRow
    canvas.withMutableBytes { bytes in
      bytes.withUnsafeMutableBufferPointer {
        gdk_texture_download(texture, $0.baseAddress, gsize(bytesPerRow))
      }
    }
    return canvas.finish()
  }
}
