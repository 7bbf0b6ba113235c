import CGTK
import FoundationEssentials
import IkranGTK

@main @MainActor
enum FaceList {
  static func main() {
    guard gtk_init_check() != 0, let window = gtk_window_new(),
      let scrolled = gtk_scrolled_window_new(), let urls = gtk_string_list_new(nil),
      let factory = gtk_signal_list_item_factory_new()
    else { return }
    for url in CommandLine.arguments.dropFirst() { gtk_string_list_append(urls, url) }

    connect(factory, "setup", setUp)
    connect(factory, "bind", bind)

    let list = gtk_list_view_new(gtk_no_selection_new(urls), factory)
    gtk_scrolled_window_set_child(OpaquePointer(scrolled), list)
    let typed = UnsafeMutableRawPointer(window).assumingMemoryBound(to: GtkWindow.self)
    gtk_window_set_default_size(typed, 320, 480)
    gtk_window_set_child(typed, scrolled)
    gtk_window_present(typed)
    while g_list_model_get_n_items(gtk_window_get_toplevels()) > 0 {
      g_main_context_iteration(nil, 1)
    }
  }

  /// Makes the widget of a row, once.
  private static func setUp(_ item: OpaquePointer) {
    guard let picture = gtk_picture_new() else { return }
    gtk_widget_set_size_request(picture, 48, 48)
    gtk_list_item_set_child(item, picture)
  }

  /// Shows an item in a row; whatever the row has shown or loaded before ends by itself.
  private static func bind(_ item: OpaquePointer) {
    guard
      let text = gtk_string_object_get_string(
        gtk_list_item_get_item(item).map { OpaquePointer($0) }
      ),
      let url = URL(string: String(cString: text))
    else { return }
    gtk_list_item_get_child(item)?.setImage(url, style: .circle(48))
  }
}

/// Calls a function for each list item that a factory's signal names.
private func connect(
  _ factory: OpaquePointer,
  _ signal: String,
  _ body: @escaping @MainActor (OpaquePointer) -> Void
) {
  typealias Handler = @convention(c) (gpointer?, gpointer?, gpointer?) -> Void
  let handler: Handler = { _, item, body in
    nonisolated(unsafe) let (item, body) = (item, body)  // GTK emits on the main thread
    MainActor.assumeIsolated {
      guard let item, let body else { return }
      Unmanaged<Body>.fromOpaque(body).takeUnretainedValue().call(OpaquePointer(item))
    }
  }
  let data = Unmanaged.passRetained(Body(body)).toOpaque()
  g_signal_connect_data(
    UnsafeMutableRawPointer(factory),
    signal,
    unsafeBitCast(handler, to: GCallback.self),
    data,
    { data, _ in if let data { Unmanaged<Body>.fromOpaque(data).release() } },
    GConnectFlags(0)
  )
}

private final class Body: Sendable {
  let call: @MainActor (OpaquePointer) -> Void
  init(_ call: @escaping @MainActor (OpaquePointer) -> Void) { self.call = call }
}
