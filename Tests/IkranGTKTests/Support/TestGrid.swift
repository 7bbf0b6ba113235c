import CGTK
import Testing

/// A scrolled grid of pictures, as a program makes it with a factory.
@MainActor
final class TestGrid {
  typealias Widget = UnsafeMutablePointer<GtkWidget>

  let widget: Widget
  /// The list items, their cells and the numbers that they are bound to.
  private var items: [OpaquePointer: (cell: Widget, number: Int)] = [:]
  private let bind: (Widget, Int) -> Void

  /// - Parameters:
  ///   - count: The number of items.
  ///   - bind: Called with a cell and the number of its item.
  /// - Throws: When GTK makes no widgets.
  init(count: Int, _ bind: @escaping (Widget, Int) -> Void) throws {
    self.bind = bind
    let model = try #require(gtk_string_list_new(nil))
    for number in 0..<count { gtk_string_list_append(model, "\(number)") }
    let factory = try #require(gtk_signal_list_item_factory_new())
    let selection = gtk_no_selection_new(model)
    let grid = try #require(gtk_grid_view_new(selection, factory))
    gtk_grid_view_set_min_columns(OpaquePointer(grid), 8)
    gtk_grid_view_set_max_columns(OpaquePointer(grid), 8)
    widget = try #require(gtk_scrolled_window_new())
    gtk_scrolled_window_set_child(OpaquePointer(widget), grid)
    Self.connect(UnsafeMutableRawPointer(factory), Unmanaged.passUnretained(self).toOpaque())
  }

  /// Scrolls to a part of the whole way, 0…1.
  func scroll(to part: Double) {
    let adjustment = gtk_scrolled_window_get_vadjustment(OpaquePointer(widget))
    let end = gtk_adjustment_get_upper(adjustment) - gtk_adjustment_get_page_size(adjustment)
    gtk_adjustment_set_value(adjustment, part * end)
  }

  private func setUp(_ item: OpaquePointer) {
    guard let picture = gtk_picture_new() else { return }
    gtk_widget_set_size_request(picture, 16, 16)
    gtk_list_item_set_child(item, picture)
  }

  private func bound(_ item: OpaquePointer) {
    guard let cell = gtk_list_item_get_child(item) else { return }
    let number = Int(gtk_list_item_get_position(item))
    items[item] = (cell, number)
    bind(cell, number)
  }

  private func tearDown(_ item: OpaquePointer) { items[item] = nil }

  /// The cells on display and the numbers that they are bound to.
  var cells: [(cell: Widget, number: Int)] {
    items.values.filter { gtk_widget_get_mapped($0.cell) != 0 }
  }

  /// Whether a part of a cell is to be seen.
  func shows(_ cell: Widget) -> Bool {
    var bounds = graphene_rect_t()
    guard gtk_widget_compute_bounds(cell, widget, &bounds) != 0 else { return false }
    let (x, y) = (bounds.origin.x, bounds.origin.y)
    return x + bounds.size.width > 0 && x < Float(gtk_widget_get_width(widget))
      && y + bounds.size.height > 0 && y < Float(gtk_widget_get_height(widget))
  }

  private typealias Handler = @convention(c) (gpointer?, gpointer?, gpointer?) -> Void

  nonisolated private static func call(
    _ item: gpointer?,
    _ grid: gpointer?,
    _ body: @MainActor (TestGrid, OpaquePointer) -> Void
  ) {
    nonisolated(unsafe) let (item, grid) = (item, grid)  // GTK emits on the main thread
    MainActor.assumeIsolated {
      guard let item, let grid else { return }
      body(Unmanaged<TestGrid>.fromOpaque(grid).takeUnretainedValue(), OpaquePointer(item))
    }
  }

  nonisolated private static func connect(_ factory: gpointer, _ grid: gpointer) {
    let handlers: [(String, Handler)] = [
      ("setup", { TestGrid.call($1, $2) { $0.setUp($1) } }),
      ("bind", { TestGrid.call($1, $2) { $0.bound($1) } }),
      ("teardown", { TestGrid.call($1, $2) { $0.tearDown($1) } }),
    ]
    for (signal, handler) in handlers {
      let callback = unsafeBitCast(handler, to: GCallback.self)
      g_signal_connect_data(factory, signal, callback, grid, nil, GConnectFlags(0))
    }
  }
}
