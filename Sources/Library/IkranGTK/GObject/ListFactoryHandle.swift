import CGTK

/// What hears of the rows of a list.
@MainActor
protocol ListRows: AnyObject, Sendable {
  /// A row needs its widget, once.
  func setUp(_ row: ListItemHandle)
  /// A row stands for an item from now on.
  func bind(_ row: ListItemHandle)
  /// A row stands for no item any more.
  func unbind(_ row: ListItemHandle)
}

/// A `GtkListItem`, the row of a list view, without a reference to it.
@MainActor
struct ListItemHandle {
  let pointer: OpaquePointer

  /// The item's place in the model.
  var position: Int { Int(gtk_list_item_get_position(pointer)) }
  /// The `GObject` that it stands for; nil while it stands for none.
  var object: UnsafeMutableRawPointer? { gtk_list_item_get_item(pointer) }
  /// The row's widget.
  var child: UnsafeMutablePointer<GtkWidget>? { gtk_list_item_get_child(pointer) }

  func setChild(_ widget: UnsafeMutableRawPointer) {
    gtk_list_item_set_child(pointer, widget.assumingMemoryBound(to: GtkWidget.self))
  }
}

/// A `GListModel`, with a reference of its own.
@MainActor
final class ListModelHandle {
  private let pointer: OpaquePointer

  init(_ pointer: OpaquePointer) {
    g_object_ref(UnsafeMutableRawPointer(pointer))
    self.pointer = pointer
  }

  isolated deinit { g_object_unref(UnsafeMutableRawPointer(pointer)) }

  var count: Int { Int(g_list_model_get_n_items(pointer)) }

  /// Lends the object at a position; nil behind the end.
  func withObject<Result>(
    at position: Int,
    _ body: (UnsafeMutableRawPointer) -> Result
  ) -> Result? {
    guard let object = g_list_model_get_item(pointer, CUnsignedInt(position)) else { return nil }
    defer { g_object_unref(object) }
    return body(object)
  }
}

/// A `GtkSignalListItemFactory`, with a reference of its own; its signals retain who hears them.
@MainActor
final class ListFactoryHandle {
  let pointer: OpaquePointer

  init(_ rows: any ListRows) {
    guard let factory = gtk_signal_list_item_factory_new() else {
      preconditionFailure("GLib ends the program when memory runs out.")
    }
    pointer = factory
    connect(rows, to: "setup") { $0.setUp($1) }
    connect(rows, to: "bind") { $0.bind($1) }
    connect(rows, to: "unbind") { $0.unbind($1) }
  }

  isolated deinit { g_object_unref(UnsafeMutableRawPointer(pointer)) }

  /// The text of a `GtkStringObject`; nil for other objects.
  static func text(of object: UnsafeMutableRawPointer) -> String? {
    let instance = object.assumingMemoryBound(to: GTypeInstance.self)
    guard g_type_check_instance_is_a(instance, gtk_string_object_get_type()) != 0 else {
      return nil
    }
    return gtk_string_object_get_string(OpaquePointer(object)).map { String(cString: $0) }
  }

  private typealias Body = @MainActor (any ListRows, ListItemHandle) -> Void
  private typealias Handler = @convention(c) (gpointer?, gpointer?, gpointer?) -> Void

  private final class Connection: Sendable {
    let rows: any ListRows
    let body: Body

    init(_ rows: any ListRows, _ body: @escaping Body) { (self.rows, self.body) = (rows, body) }
  }

  private func connect(_ rows: any ListRows, to signal: String, _ body: @escaping Body) {
    let handler: Handler = { _, row, data in
      nonisolated(unsafe) let (row, data) = (row, data)  // GTK emits its signals on its thread
      MainActor.assumeIsolated {
        guard let row, let data else { return }
        let connection = Unmanaged<Connection>.fromOpaque(data).takeUnretainedValue()
        connection.body(connection.rows, ListItemHandle(pointer: OpaquePointer(row)))
      }
    }
    g_signal_connect_data(
      UnsafeMutableRawPointer(pointer),
      signal,
      unsafeBitCast(handler, to: GCallback.self),
      Unmanaged.passRetained(Connection(rows, body)).toOpaque(),
      { data, _ in if let data { Unmanaged<Connection>.fromOpaque(data).release() } },
      GConnectFlags(0)
    )
  }
}
