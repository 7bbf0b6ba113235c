import CGTK

/// How a widget takes a paintable.
@MainActor
enum TargetHandle {
  /// A `GtkPicture`.
  case picture
  /// It has a property for it, such as `GtkImage` and `AdwAvatar`.
  case property(String)
  /// It has one child, a picture of its own: `GtkButton` and `GtkMenuButton`.
  case child
  /// The caller's own way.
  case closure(@MainActor (OpaquePointer) -> Void)

  /// How a widget of this class does; nil when it shows no pictures.
  init?(_ widget: WidgetHandle) {
    let object = UnsafeMutableRawPointer(widget.pointer).assumingMemoryBound(to: GTypeInstance.self)
    if Self.isButton(object) || Self.isMenuButton(object) {
      self = .child
      return
    }
    if g_type_check_instance_is_a(object, gtk_picture_get_type()) != 0 {
      self = .picture
      return
    }
    let table = UnsafeMutableRawPointer(object.pointee.g_class)?
      .assumingMemoryBound(to: GObjectClass.self)
    let name = ["paintable", "custom-image"].first { name in
      guard let found = g_object_class_find_property(table, name) else { return false }
      return found.pointee.value_type == gdk_paintable_get_type()
        && found.pointee.flags.rawValue & G_PARAM_WRITABLE.rawValue != 0
    }
    guard let name else { return nil }
    self = .property(name)
  }

  /// Whether the widget shows something of its own, such as initials, where it has no paintable.
  var hasFallback: Bool { if case .property("custom-image") = self { true } else { false } }

  /// Whether it shows the paintable itself.
  private var isPicture: Bool {
    switch self {
    case .picture, .property: true
    case .child, .closure: false
    }
  }

  /// Whether it takes the paintable before the first image and keeps it.
  var isSetOnce: Bool { if case .closure = self { true } else { false } }

  /// Gives a paintable to the widget, or takes it away; one that it has already is not given again.
  func set(_ paintable: OpaquePointer?, on widget: WidgetHandle) {
    switch self {
    case .closure(let body): if let paintable { body(paintable) }
    case .picture:
      // It is asked for each image of a list: a property by its name would take ten times as long.
      let picture = OpaquePointer(widget.pointer)
      if gtk_picture_get_paintable(picture) != paintable {
        gtk_picture_set_paintable(picture, paintable)
      }
    case .property(let name): Self.setProperty(name, paintable, widget.pointer)
    case .child: Self.setChild(paintable, widget.pointer)
    }
  }

  private static func setProperty(
    _ name: String,
    _ paintable: OpaquePointer?,
    _ widget: UnsafeMutablePointer<GtkWidget>
  ) {
    let object = UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GObject.self)
    var value = GValue()
    g_value_init(&value, gdk_paintable_get_type())
    defer { g_value_unset(&value) }
    g_object_get_property(object, name, &value)
    guard g_value_get_object(&value) != paintable.map({ UnsafeMutableRawPointer($0) }) else {
      return
    }
    g_value_set_object(&value, paintable.map { UnsafeMutableRawPointer($0) })
    g_object_set_property(object, name, &value)
  }

  private static func setChild(
    _ paintable: OpaquePointer?,
    _ widget: UnsafeMutablePointer<GtkWidget>
  ) {
    let instance = UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GTypeInstance.self)
    let button = UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GtkButton.self)
    let isButton = isButton(instance)
    let child =
      isButton ? gtk_button_get_child(button) : gtk_menu_button_get_child(OpaquePointer(widget))
    if let child, let target = TargetHandle(WidgetHandle(child)), target.isPicture {
      return target.set(paintable, on: WidgetHandle(child))
    }
    guard paintable != nil, let picture = gtk_picture_new_for_paintable(paintable) else { return }
    if isButton {
      gtk_button_set_child(button, picture)
    } else {
      gtk_menu_button_set_child(OpaquePointer(widget), picture)
    }
  }

  private static func isButton(_ object: UnsafeMutablePointer<GTypeInstance>) -> Bool {
    g_type_check_instance_is_a(object, gtk_button_get_type()) != 0
  }

  private static func isMenuButton(_ object: UnsafeMutablePointer<GTypeInstance>) -> Bool {
    g_type_check_instance_is_a(object, gtk_menu_button_get_type()) != 0
  }
}
