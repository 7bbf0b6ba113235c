import CGTK

/// How a widget takes a paintable.
@MainActor
enum WidgetKind {
  /// A `GtkPicture`.
  case picture
  /// A `GtkImage`, a square of a size of its own.
  case icon
  /// It has a property for it, such as `AdwAvatar`.
  case property(String)
  /// It has one child, a picture of its own: `GtkButton` and `GtkMenuButton`.
  case child
  /// The caller's own way.
  case closure(@MainActor (OpaquePointer) -> Void)

  /// Finds out how the widget's class shows a paintable; nil if it cannot.
  init?(_ widget: WidgetHandle) {
    let object = UnsafeMutableRawPointer(widget.pointer).assumingMemoryBound(to: GTypeInstance.self)
    if Self.isButton(widget.pointer) || Self.isMenuButton(object) {
      self = .child
      return
    }
    if g_type_check_instance_is_a(object, gtk_picture_get_type()) != 0 {
      self = .picture
      return
    }
    if g_type_check_instance_is_a(object, gtk_image_get_type()) != 0 {
      self = .icon
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
    case .picture, .icon, .property: true
    case .child, .closure: false
    }
  }

  /// Whether it takes the paintable before the first image and keeps it.
  var isSetOnce: Bool { if case .closure = self { true } else { false } }

  /// Whether it derives one of its sides from the other by the picture's aspect.
  ///
  /// Others make the picture smaller where it has one, so that its content mode would have no
  /// effect.
  func isMeasuredByAspect(_ widget: WidgetHandle) -> Bool {
    switch self {
    case .picture, .closure: true
    case .icon, .property: false
    case .child: Self.child(of: widget)?.target.isMeasuredByAspect(widget) ?? true
    }
  }

  /// How long a side at most is, in points, that nothing but an empty picture made: GTK takes 16.
  var emptySide: Int {
    switch self {
    case .picture, .child, .closure: 16
    case .icon, .property: 0
    }
  }

  /// The room for a picture in a widget, in points, before one was drawn.
  func room(in widget: WidgetHandle) -> (width: Int, height: Int) {
    switch self {
    case .icon:
      let image = OpaquePointer(widget.pointer)
      var side = Int(gtk_image_get_pixel_size(image))
      if side < 0 { side = gtk_image_get_icon_size(image) == GTK_ICON_SIZE_LARGE ? 32 : 16 }
      return (side, side)
    case .child: return Self.child(of: widget).map { $0.target.room(in: $0.widget) } ?? (0, 0)
    case .picture, .property, .closure: return widget.size
    }
  }

  /// The least size that the program chose for what shows the picture, in points; -1 is none.
  func sizeRequest(of widget: WidgetHandle) -> (width: Int, height: Int) {
    guard case .child = self else { return widget.sizeRequest }
    return Self.child(of: widget)?.widget.sizeRequest ?? (-1, -1)
  }

  /// Gives a widget that has no size of its own the picture's.
  ///
  /// - Parameters:
  ///   - widget: The widget; only a `GtkImage` changes, unless its program chose a size.
  ///   - old: The longer side that it was given last, in points; 0 before the first.
  ///   - new: The longer side, in points.
  func resize(_ widget: WidgetHandle, from old: Int, to new: Int) {
    switch self {
    case .icon:
      let image = OpaquePointer(widget.pointer)
      let size = Int(gtk_image_get_pixel_size(image))
      if new > 0, size == -1 || size == old { gtk_image_set_pixel_size(image, CInt(new)) }
    case .child:
      if let child = Self.child(of: widget) {
        child.target.resize(child.widget, from: old, to: new)
      }
    case .picture, .property, .closure: break
    }
  }

  /// Gives a paintable to the widget, or takes it away; one that it has already is not given again.
  func set(_ paintable: OpaquePointer?, on widget: WidgetHandle) {
    switch self {
    case .closure(let body): if let paintable { body(paintable) }
    case .picture:
      // It is asked for each image of a list: a property by its name takes locks.
      let picture = OpaquePointer(widget.pointer)
      if gtk_picture_get_paintable(picture) != paintable {
        // How a picture lies in its place is its content mode's affair.
        gtk_picture_set_content_fit(picture, GTK_CONTENT_FIT_FILL)
        gtk_picture_set_paintable(picture, paintable)
      }
    case .icon:
      let image = OpaquePointer(widget.pointer)
      if gtk_image_get_paintable(image) != paintable {
        gtk_image_set_from_paintable(image, paintable)
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
    if let child = child(of: WidgetHandle(widget)) {
      return child.target.set(paintable, on: child.widget)
    }
    guard paintable != nil, let picture = gtk_picture_new() else { return }
    WidgetKind.picture.set(paintable, on: WidgetHandle(picture))
    if isButton(widget) {
      gtk_button_set_child(button(widget), picture)
    } else {
      gtk_menu_button_set_child(OpaquePointer(widget), picture)
    }
  }

  /// The child of a button, if it shows pictures.
  private static func child(of widget: WidgetHandle) -> (
    widget: WidgetHandle, target: WidgetKind
  )? {
    let pointer = widget.pointer
    let child =
      isButton(pointer)
      ? gtk_button_get_child(button(pointer)) : gtk_menu_button_get_child(OpaquePointer(pointer))
    guard let child = child.map({ WidgetHandle($0) }), let target = WidgetKind(child),
      target.isPicture
    else { return nil }
    return (child, target)
  }

  private static func button(
    _ widget: UnsafeMutablePointer<GtkWidget>
  ) -> UnsafeMutablePointer<GtkButton> {
    UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GtkButton.self)
  }

  private static func isButton(_ widget: UnsafeMutablePointer<GtkWidget>) -> Bool {
    let object = UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GTypeInstance.self)
    return g_type_check_instance_is_a(object, gtk_button_get_type()) != 0
  }

  private static func isMenuButton(_ object: UnsafeMutablePointer<GTypeInstance>) -> Bool {
    g_type_check_instance_is_a(object, gtk_menu_button_get_type()) != 0
  }
}
