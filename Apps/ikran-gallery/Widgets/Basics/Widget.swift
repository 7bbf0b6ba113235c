import CGTK
import IkranGTK

/// A widget of GTK's; its parent keeps it alive.
@MainActor
protocol Widget {
  var pointer: UnsafeMutablePointer<GtkWidget> { get }
}

/// Where a widget lies in more room than it needs.
enum Align {
  case fill, start, center, end

  fileprivate var align: GtkAlign {
    switch self {
    case .fill: GTK_ALIGN_FILL
    case .start: GTK_ALIGN_START
    case .center: GTK_ALIGN_CENTER
    case .end: GTK_ALIGN_END
    }
  }
}

/// A widget whose class does not matter.
struct AnyWidget: Widget {
  let pointer: UnsafeMutablePointer<GtkWidget>
}

extension Widget {
  var opaque: OpaquePointer { OpaquePointer(pointer) }
  var raw: UnsafeMutableRawPointer { UnsafeMutableRawPointer(pointer) }

  /// The place for a picture on it.
  var imageTarget: ImageTarget { ImageTarget(raw) }

  var width: Int { Int(gtk_widget_get_width(pointer)) }
  var height: Int { Int(gtk_widget_get_height(pointer)) }
  /// The least width, and the one that it would like, in points.
  var widths: (least: Int, natural: Int) {
    var (least, natural): (CInt, CInt) = (0, 0)
    gtk_widget_measure(pointer, GTK_ORIENTATION_HORIZONTAL, -1, &least, &natural, nil, nil)
    return (Int(least), Int(natural))
  }
  var scale: Int { Int(gtk_widget_get_scale_factor(pointer)) }
  var isMapped: Bool { gtk_widget_get_mapped(pointer) != 0 }

  /// How the widget lies in more room than it needs, and the room around it, in points.
  @discardableResult
  func layout(
    expands: (across: Bool, down: Bool)? = nil,
    horizontal: Align? = nil,
    vertical: Align? = nil,
    margin: Int? = nil
  ) -> Self {
    if let expands {
      gtk_widget_set_hexpand(pointer, expands.across ? 1 : 0)
      gtk_widget_set_vexpand(pointer, expands.down ? 1 : 0)
    }
    if let horizontal { gtk_widget_set_halign(pointer, horizontal.align) }
    if let vertical { gtk_widget_set_valign(pointer, vertical.align) }
    guard let margin = margin.map({ CInt($0) }) else { return self }
    gtk_widget_set_margin_start(pointer, margin)
    gtk_widget_set_margin_end(pointer, margin)
    gtk_widget_set_margin_top(pointer, margin)
    gtk_widget_set_margin_bottom(pointer, margin)
    return self
  }

  /// The least size, in points; -1 is the widget's own.
  @discardableResult
  func sizeRequest(width: Int = -1, height: Int = -1) -> Self {
    gtk_widget_set_size_request(pointer, CInt(width), CInt(height))
    return self
  }

  @discardableResult
  func cssClasses(_ classes: String...) -> Self {
    for name in classes { gtk_widget_add_css_class(pointer, name) }
    return self
  }

  func set(class name: String, _ isSet: Bool) {
    if isSet {
      gtk_widget_add_css_class(pointer, name)
    } else {
      gtk_widget_remove_css_class(pointer, name)
    }
  }

  func setVisible(_ isVisible: Bool) { gtk_widget_set_visible(pointer, isVisible ? 1 : 0) }
  func setOpacity(_ opacity: Double) { gtk_widget_set_opacity(pointer, opacity) }
  /// Whether the mouse and fingers act on it, or on what is below.
  func setTakesMouse(_ takes: Bool) { gtk_widget_set_can_target(pointer, takes ? 1 : 0) }
  func setSensitive(_ isSensitive: Bool) { gtk_widget_set_sensitive(pointer, isSensitive ? 1 : 0) }
  var tooltip: String? { gtk_widget_get_tooltip_text(pointer).map { String(cString: $0) } }
  func setTooltip(_ text: String?) { gtk_widget_set_tooltip_text(pointer, text) }
  /// Whether it, or a widget in it, has the focus of its window.
  var hasFocus: Bool {
    guard let root = gtk_widget_get_root(pointer), let focus = gtk_root_get_focus(root) else {
      return false
    }
    return focus == pointer || gtk_widget_is_ancestor(focus, pointer) != 0
  }
  func focus() { gtk_widget_grab_focus(pointer) }
  func redraw() { gtk_widget_queue_draw(pointer) }

  /// What assistive technologies call it.
  @discardableResult
  func accessibleLabel(_ name: String) -> Self {
    var value = GValue()
    g_value_init(&value, GType(16 << 2))  // G_TYPE_STRING
    defer { g_value_unset(&value) }
    g_value_set_string(&value, name)
    var property = GTK_ACCESSIBLE_PROPERTY_LABEL
    gtk_accessible_update_property_value(opaque, 1, &property, &value)
    return self
  }
}
