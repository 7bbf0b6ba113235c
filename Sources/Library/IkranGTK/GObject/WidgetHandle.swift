import CGTK
import IkranViews

/// A `GtkWidget`, without a reference to it.
@MainActor
struct WidgetHandle: AttachedView {
  let pointer: UnsafeMutablePointer<GtkWidget>

  init(_ widget: UnsafeMutableRawPointer) {
    pointer = widget.assumingMemoryBound(to: GtkWidget.self)
  }

  /// A new `GtkPicture` of a least size in points.
  static func makePicture(width: Int, height: Int) -> UnsafeMutableRawPointer? {
    guard let picture = gtk_picture_new() else { return nil }
    gtk_widget_set_size_request(picture, CInt(clamping: width), CInt(clamping: height))
    return UnsafeMutableRawPointer(picture)
  }

  /// The name of its class, such as `GtkPicture`.
  var typeName: String { g_type_name_from_instance(instance).map { String(cString: $0) } ?? "" }

  /// The name of the class of its display, such as `GdkX11Display`.
  var displayTypeName: String {
    guard let display = gtk_widget_get_display(pointer) else { return "" }
    let instance = UnsafeMutableRawPointer(display).assumingMemoryBound(to: GTypeInstance.self)
    return g_type_name_from_instance(instance).map { String(cString: $0) } ?? ""
  }

  /// Pixels per point of the monitor it is on.
  var scale: Int { Int(gtk_widget_get_scale_factor(pointer)) }

  /// Its size in points; 0 before it has one.
  var size: (width: Int, height: Int) {
    (Int(gtk_widget_get_width(pointer)), Int(gtk_widget_get_height(pointer)))
  }

  /// The least size that its program chose, in points; -1 is none.
  var sizeRequest: (width: Int, height: Int) {
    var (width, height): (CInt, CInt) = (-1, -1)
    gtk_widget_get_size_request(pointer, &width, &height)
    return (Int(width), Int(height))
  }

  /// Nil while it is in none.
  var window: WidgetHandle? {
    gtk_widget_get_root(pointer).map { WidgetHandle(UnsafeMutableRawPointer($0)) }
  }

  var isMapped: Bool { gtk_widget_get_mapped(pointer) != 0 }

  /// Whether a part of it lies within the window that scrolls it; true where nothing scrolls it.
  ///
  /// Lists of GTK have more rows than they show, and hide the others where they last were. Cost:
  /// some matrices; no allocation.
  var isInSight: Bool {
    guard isMapped else { return false }
    guard let view = gtk_widget_get_ancestor(pointer, gtk_scrolled_window_get_type()) else {
      return true
    }
    var (own, whole) = (graphene_rect_t(), graphene_rect_t())
    guard gtk_widget_compute_bounds(pointer, view, &own) != 0 else { return false }
    whole.size.width = Float(gtk_widget_get_width(view))
    whole.size.height = Float(gtk_widget_get_height(view))
    return graphene_rect_intersection(&own, &whole, nil)
  }

  /// The GTK state flags, such as hovered.
  var flags: UInt32 { gtk_widget_get_state_flags(pointer).rawValue }

  /// What draws its frames, which all widgets of a window share; nil while it has none.
  var frameClock: FrameClockHandle? {
    gtk_widget_get_frame_clock(pointer).map { FrameClockHandle(pointer: $0) }
  }

  /// The time of the frame that is being drawn, in microseconds; nil while it has no window.
  var frameTime: Int? {
    gtk_widget_get_frame_clock(pointer).map { gdk_frame_clock_get_frame_time($0) }
  }

  /// Whether its window is drawn by Cairo, which reads memory itself.
  var isDrawnByCairo: Bool {
    guard let native = gtk_widget_get_native(pointer),
      let renderer = gtk_native_get_renderer(native),
      let name = g_type_name_from_instance(
        UnsafeMutableRawPointer(renderer).assumingMemoryBound(to: GTypeInstance.self)
      )
    else { return false }
    return String(cString: name) == "GskCairoRenderer"
  }

  /// Keeps it alive until ``release()``.
  func retain() { g_object_ref(pointer) }

  func release() { g_object_unref(pointer) }

  func setVisible(_ isVisible: Bool) { gtk_widget_set_visible(pointer, isVisible ? 1 : 0) }

  // MARK: - What is attached to it

  /// The pictures that were attached.
  var pictures: WidgetPictures? {
    g_object_get_qdata(object, Self.key).map {
      Unmanaged<WidgetPictures>.fromOpaque($0).takeUnretainedValue()
    }
  }

  /// Attaches pictures, which end with the widget, and lets them hear what happens to it.
  func attach(_ pictures: WidgetPictures) {
    let data = Unmanaged.passRetained(pictures).toOpaque()
    g_object_set_qdata_full(object, Self.key, data, Self.release)
    Self.connect(to: pointer, data)
  }

  private var object: UnsafeMutablePointer<GObject> {
    UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: GObject.self)
  }

  private var instance: UnsafeMutablePointer<GTypeInstance> {
    UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: GTypeInstance.self)
  }

  /// The widget in a row that shows its picture, as long as the row exists.
  var pictureInRow: UnsafeMutableRawPointer? { g_object_get_qdata(object, Self.rowKey) }

  func setPictureInRow(_ picture: UnsafeMutableRawPointer) {
    g_object_set_qdata(object, Self.rowKey, picture)
  }

  private static let rowKey = g_quark_from_string("ikran-picture-in-row")

  private static let key = g_quark_from_string("ikran-pictures")

  nonisolated private static let release: GDestroyNotify = { data in
    guard let data else { return }
    nonisolated(unsafe) let pictures = data  // GTK ends widgets on its thread
    MainActor.assumeIsolated {
      Unmanaged<WidgetPictures>.fromOpaque(pictures).takeRetainedValue().end()
    }
  }

  nonisolated private static func pictures(
    of data: UnsafeMutableRawPointer?,
    _ body: @MainActor (WidgetPictures) -> Void
  ) {
    nonisolated(unsafe) let data = data  // GTK emits its signals on its thread
    MainActor.assumeIsolated {
      guard let data else { return }
      body(Unmanaged<WidgetPictures>.fromOpaque(data).takeUnretainedValue())
    }
  }

  private typealias Plain = @convention(c) (gpointer?, gpointer?) -> Void
  private typealias WithProperty = @convention(c) (gpointer?, gpointer?, gpointer?) -> Void
  private typealias WithFlags = @convention(c) (gpointer?, UInt32, gpointer?) -> Void

  /// GObject disconnects the handlers before it releases their data.
  nonisolated private static func connect(
    to widget: UnsafeMutablePointer<GtkWidget>,
    _ data: UnsafeMutableRawPointer
  ) {
    let mapped: Plain = { WidgetHandle.pictures(of: $1) { $0.isMapped = true } }
    let unmapped: Plain = { WidgetHandle.pictures(of: $1) { $0.isMapped = false } }
    let rescaled: WithProperty = { WidgetHandle.pictures(of: $2) { $0.slots.scaleDidChange() } }
    let flagged: WithFlags = { WidgetHandle.pictures(of: $2) { $0.slots.statesDidChange() } }
    let handlers: [(String, GCallback)] = [
      ("map", unsafeBitCast(mapped, to: GCallback.self)),
      ("unmap", unsafeBitCast(unmapped, to: GCallback.self)),
      ("notify::scale-factor", unsafeBitCast(rescaled, to: GCallback.self)),
      ("state-flags-changed", unsafeBitCast(flagged, to: GCallback.self)),
    ]
    for (signal, handler) in handlers {
      g_signal_connect_data(widget, signal, handler, data, nil, GConnectFlags(0))
    }
  }
}

extension ImageTarget.Slot {
  /// The widget's state in which it is shown; nil is always.
  var flag: UInt32? {
    switch self {
    case .background, .image, .control: nil
    case .hovered: GTK_STATE_FLAG_PRELIGHT.rawValue
    case .pressed: GTK_STATE_FLAG_ACTIVE.rawValue
    case .checked: GTK_STATE_FLAG_CHECKED.rawValue
    case .selected: GTK_STATE_FLAG_SELECTED.rawValue
    case .focused: GTK_STATE_FLAG_FOCUSED.rawValue
    case .disabled: GTK_STATE_FLAG_INSENSITIVE.rawValue
    }
  }
}
