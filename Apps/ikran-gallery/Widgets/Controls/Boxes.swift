import CGTK

/// Widgets in a row or in a column.
struct Box: Widget {
  let pointer: UnsafeMutablePointer<GtkWidget>

  private init(_ orientation: GtkOrientation, _ spacing: Int, _ children: [any Widget]) {
    pointer = gtk_box_new(orientation, CInt(spacing))
    for child in children { append(child) }
  }

  static func row(spacing: Int = 0, _ children: any Widget...) -> Box {
    Box(GTK_ORIENTATION_HORIZONTAL, spacing, children)
  }

  static func column(spacing: Int = 0, _ children: any Widget...) -> Box {
    Box(GTK_ORIENTATION_VERTICAL, spacing, children)
  }

  func append(_ child: any Widget) { gtk_box_append(box, child.pointer) }

  /// Takes a child of another box.
  func take(_ child: any Widget, from other: Box) {
    g_object_ref(child.raw)
    gtk_box_remove(other.box, child.pointer)
    append(child)
    g_object_unref(child.raw)
  }

  func setColumn(_ isColumn: Bool) {
    let orientation = isColumn ? GTK_ORIENTATION_VERTICAL : GTK_ORIENTATION_HORIZONTAL
    gtk_orientable_set_orientation(opaque, orientation)
  }

  private var box: UnsafeMutablePointer<GtkBox> { raw.assumingMemoryBound(to: GtkBox.self) }
}

/// A widget that may have less room than it needs, and takes as much as it would like where that
/// is there.
struct Scroller: Widget {
  let pointer: UnsafeMutablePointer<GtkWidget> = gtk_scrolled_window_new()

  /// What becomes of a part that does not fit.
  enum Rest {
    /// There is none: the room is as large as the widget needs.
    case none
    /// It is cut off.
    case cut
    /// Scroll bars lead to it.
    case scrolled

    fileprivate var policy: GtkPolicyType {
      switch self {
      case .none: GTK_POLICY_NEVER
      case .cut: GTK_POLICY_EXTERNAL
      case .scrolled: GTK_POLICY_AUTOMATIC
      }
    }
  }

  init(_ child: any Widget, across: Rest, down: Rest) {
    gtk_scrolled_window_set_child(opaque, child.pointer)
    gtk_scrolled_window_set_policy(opaque, across.policy, down.policy)
    gtk_scrolled_window_set_propagate_natural_width(opaque, 1)
    // Keys scroll only where there are bars.
    gtk_widget_set_focusable(pointer, down == .scrolled ? 1 : 0)
  }
}

/// A widget, and another one above it, which needs no room.
struct Overlay: Widget {
  let pointer: UnsafeMutablePointer<GtkWidget> = gtk_overlay_new()

  /// The other one is as large.
  init(_ child: any Widget, above: any Widget) {
    gtk_overlay_set_child(opaque, child.pointer)
    gtk_overlay_add_overlay(opaque, above.layout(horizontal: .fill, vertical: .fill).pointer)
  }

  /// The other one is above its right end.
  init(_ child: any Widget, right: any Widget) {
    gtk_overlay_set_child(opaque, child.pointer)
    gtk_overlay_add_overlay(opaque, right.layout(horizontal: .end, vertical: .fill).pointer)
  }
}

/// Several pages, one of which is shown.
struct Stack: Widget {
  let pointer: UnsafeMutablePointer<GtkWidget>

  init(fades: Bool = true) {
    pointer = gtk_stack_new()
    // A page that is not shown needs no room.
    gtk_stack_set_hhomogeneous(opaque, 0)
    guard fades else { return }
    gtk_stack_set_transition_type(opaque, GTK_STACK_TRANSITION_TYPE_CROSSFADE)
    gtk_stack_set_transition_duration(opaque, 120)
  }

  func add(_ page: any Widget, name: String) {
    gtk_stack_add_named(opaque, page.pointer, name)
  }

  /// The name of the page that is shown.
  var shown: String {
    get { gtk_stack_get_visible_child_name(opaque).map { String(cString: $0) } ?? "" }
    nonmutating set { gtk_stack_set_visible_child_name(opaque, newValue) }
  }
}

/// Rows of a name and a value each, in two columns.
struct Rows: Widget {
  let pointer: UnsafeMutablePointer<GtkWidget>

  init() {
    pointer = gtk_grid_new()
    let grid = raw.assumingMemoryBound(to: GtkGrid.self)
    gtk_grid_set_column_spacing(grid, 14)
    gtk_grid_set_row_spacing(grid, 6)
  }

  func set(_ row: Int, _ name: any Widget, _ value: any Widget) {
    let grid = raw.assumingMemoryBound(to: GtkGrid.self)
    gtk_grid_attach(grid, name.pointer, 0, CInt(row), 1, 1)
    gtk_grid_attach(grid, value.pointer, 1, CInt(row), 1, 1)
  }
}

/// The bar on top of a window.
struct HeaderBar: Widget {
  let pointer: UnsafeMutablePointer<GtkWidget> = gtk_header_bar_new()

  func addStart(_ child: any Widget) { gtk_header_bar_pack_start(opaque, child.pointer) }
  func addEnd(_ child: any Widget) { gtk_header_bar_pack_end(opaque, child.pointer) }
  func setTitle(_ child: any Widget) { gtk_header_bar_set_title_widget(opaque, child.pointer) }
}
