import CGTK
import Glibc

/// A grid of cells that are used again and again while it scrolls.
///
/// Its items are numbers; each cell is a picture above a name.
@MainActor
final class GridView: Widget {
  let pointer: UnsafeMutablePointer<GtkWidget>
  private let list: OpaquePointer
  private let grid: OpaquePointer

  /// What happens to cells.
  struct Handlers {
    /// A cell is to show the item of a number.
    let bind: @MainActor (Cell, Int) -> Void
    /// A cell shows no item any more.
    let unbind: @MainActor (Cell) -> Void
    /// The item of a number was clicked, or Enter pressed on it.
    let open: @MainActor (Int) -> Void
    /// The wheel was turned with Ctrl, so many whole turns away from the user.
    let enlarge: @MainActor (Int) -> Void
  }

  /// A cell: a picture above a name.
  @MainActor
  struct Cell: Hashable {
    /// The address of its list item.
    let id: Int
    let box: AnyWidget
    let picture: Picture
    let caption: Inscription

    func setTooltip(_ text: String?) {
      // GTK looks for the pointer's widget even when nothing changes.
      if text != nil || gtk_widget_get_has_tooltip(box.pointer) != 0 { box.setTooltip(text) }
    }

    /// Gives it the keyboard.
    func focus() {
      if let cell = gtk_widget_get_parent(box.pointer) { gtk_widget_grab_focus(cell) }
    }

    /// Names the cell for assistive technologies.
    func setName(_ name: String) {
      if let cell = gtk_widget_get_parent(box.pointer) {
        AnyWidget(pointer: cell).accessibleLabel(name)
      }
    }

    nonisolated static func == (one: Cell, other: Cell) -> Bool { one.id == other.id }
    nonisolated func hash(into hasher: inout Hasher) { hasher.combine(id) }
  }

  private var cells: [OpaquePointer: Cell] = [:]
  /// The numbers of the items that are shown.
  private var numbers: [Int] = []
  /// The part of a turn of the wheel with Ctrl that was not followed.
  private var turned = 0.0

  init(_ handlers: Handlers) {
    list = gtk_string_list_new(nil)
    guard let factory = gtk_signal_list_item_factory_new(),
      // The selection takes the list's reference, the grid the others'.
      let selection = gtk_single_selection_new(list)
    else { preconditionFailure("GLib ends the program when memory runs out.") }
    gtk_single_selection_set_autoselect(selection, 0)
    gtk_single_selection_set_can_unselect(selection, 1)
    let view: UnsafeMutablePointer<GtkWidget> = gtk_grid_view_new(selection, factory)
    grid = OpaquePointer(view)
    gtk_grid_view_set_single_click_activate(grid, 1)
    pointer = gtk_scrolled_window_new()
    gtk_scrolled_window_set_child(opaque, view)
    // Without bars across, the columns of a wide window would keep it from becoming smaller.
    gtk_scrolled_window_set_policy(opaque, GTK_POLICY_AUTOMATIC, GTK_POLICY_AUTOMATIC)
    connect(factory, handlers)
    addWheelScrolling { [weak self] in
      if let self { offset = min(max(offset + $0, 0), lastOffset) }
    }
    onControlWheel { [weak self] in self?.turn(by: $0, handlers.enlarge) }
  }

  private func turn(by turns: Double, _ enlarge: @MainActor (Int) -> Void) {
    // The other way round it turns at once.
    turned = turned * turns < 0 ? turns : turned + turns
    let whole = turned.rounded(.towardZero)
    turned -= whole
    if whole != 0 { enlarge(Int(whole)) }
  }

  private func connect(_ factory: OpaquePointer, _ handlers: Handlers) {
    let raw = UnsafeMutableRawPointer(factory)
    Signals.connect(raw, "setup", object: { [weak self] in self?.makeCell($0) })
    Signals.connect(
      raw,
      "bind",
      object: { [weak self] item in
        guard let self, let cell = self.cells[item], let number = Self.number(of: item) else {
          return
        }
        handlers.bind(cell, number)
      }
    )
    Signals.connect(
      raw,
      "unbind",
      object: { [weak self] item in
        if let cell = self?.cells[item] { handlers.unbind(cell) }
      }
    )
    Signals.connect(raw, "teardown", object: { [weak self] in self?.cells[$0] = nil })
    Signals.connect(
      UnsafeMutableRawPointer(grid),
      "activate",
      number: { [weak self] position in
        if let number = self?.number(at: position) { handlers.open(number) }
      }
    )
  }

  private func makeCell(_ item: OpaquePointer) {
    let picture = Picture().layout(horizontal: .center)
    let caption = Inscription().cssClasses("caption")
    let box = Box.column(spacing: 6, picture, caption)
    gtk_list_item_set_child(item, box.pointer)
    cells[item] = Cell(
      id: Int(bitPattern: item),
      box: AnyWidget(pointer: box.pointer),
      picture: picture,
      caption: caption
    )
  }

  // MARK: - Items

  private static func number(of item: OpaquePointer) -> Int? {
    guard let object = gtk_list_item_get_item(item),
      let text = gtk_string_object_get_string(OpaquePointer(object))
    else { return nil }
    return Int(String(cString: text))
  }

  /// The cell that a widget belongs to, and the number of its item.
  func cell(around widget: UnsafeMutablePointer<GtkWidget>?) -> (cell: Cell, number: Int)? {
    guard let widget, widget != pointer else { return nil }
    for (item, cell) in cells where gtk_widget_get_parent(cell.box.pointer) == widget {
      return Self.number(of: item).map { (cell, $0) }
    }
    return cell(around: gtk_widget_get_parent(widget))
  }

  private func number(at position: CUnsignedInt) -> Int? {
    gtk_string_list_get_string(list, position).flatMap { Int(String(cString: $0)) }
  }

  /// How many items there are.
  var count: Int { Int(g_list_model_get_n_items(list)) }

  /// Shows other items, by their numbers.
  func set(_ numbers: [Int]) {
    splice(ListSplice(position: 0, removed: count, inserted: numbers))
    self.numbers = numbers
  }

  /// Shows items of which most are shown already: what is in sight stays in its place.
  func update(_ numbers: [Int]) {
    for change in ListSplice.changes(from: self.numbers, to: numbers) { splice(change) }
    self.numbers = numbers
  }

  private func splice(_ change: ListSplice) {
    let words = change.inserted.map { strdup("\($0)").map { UnsafePointer($0) } } + [nil]
    let (position, removed) = (CUnsignedInt(change.position), CUnsignedInt(change.removed))
    gtk_string_list_splice(list, position, removed, words)
    for word in words { free(UnsafeMutablePointer(mutating: word)) }
  }

  // MARK: - Looks

  func setColumns(_ count: Int) {
    let count = CUnsignedInt(max(1, count))
    // In this order the least is never above the most.
    if count > gtk_grid_view_get_max_columns(grid) {
      gtk_grid_view_set_max_columns(grid, count)
      gtk_grid_view_set_min_columns(grid, count)
    } else {
      gtk_grid_view_set_min_columns(grid, count)
      gtk_grid_view_set_max_columns(grid, count)
    }
  }

  /// Whether it, or a cell of it, has the keyboard.
  var hasFocusInside: Bool {
    gtk_widget_get_state_flags(pointer).rawValue & GTK_STATE_FLAG_FOCUS_WITHIN.rawValue != 0
  }

  func focusCells() {
    gtk_widget_grab_focus(UnsafeMutableRawPointer(grid).assumingMemoryBound(to: GtkWidget.self))
  }

  /// Whether a part of a cell is to be seen.
  func isVisible(_ cell: Cell) -> Bool {
    var bounds = graphene_rect_t()
    guard cell.box.isMapped,
      gtk_widget_compute_bounds(cell.picture.pointer, pointer, &bounds) != 0
    else { return false }
    let (top, height) = (Double(bounds.origin.y), Double(bounds.size.height))
    return top + height > 0 && top < Double(self.height)
  }

  // MARK: - Scrolling

  /// How far it is scrolled down, in points.
  var offset: Double {
    get { gtk_adjustment_get_value(adjustment) }
    set { gtk_adjustment_set_value(adjustment, newValue) }
  }

  /// Shows the row of an item, also of items that were just set.
  func scroll(to position: Int) {
    gtk_widget_activate_action_variant(
      UnsafeMutableRawPointer(grid).assumingMemoryBound(to: GtkWidget.self),
      "list.scroll-to-item",
      g_variant_new_uint32(CUnsignedInt(max(0, position)))
    )
  }

  /// The largest offset.
  var lastOffset: Double {
    gtk_adjustment_get_upper(adjustment) - gtk_adjustment_get_page_size(adjustment)
  }

  private var adjustment: UnsafeMutablePointer<GtkAdjustment> {
    gtk_scrolled_window_get_vadjustment(opaque)
  }
}
