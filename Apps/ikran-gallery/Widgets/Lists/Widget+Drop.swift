import CGTK
import Glibc
import IkranSystem

private typealias DropHandler =
  @convention(c) (
    gpointer?, UnsafePointer<GValue>?, Double, Double, gpointer?
  ) -> gboolean

extension Widget {
  /// Calls a closure with the paths of local files and the `http:` and `https:` URLs that are
  /// dropped on it.
  func onDrop(_ body: @escaping @MainActor ([String]) -> Void) {
    guard let target = gtk_drop_target_new(gdk_file_list_get_type(), GDK_ACTION_COPY) else {
      return
    }
    let handler: DropHandler = { _, value, _, _, data in
      guard let value, let list = g_value_get_boxed(value) else { return 0 }
      let paths = places(OpaquePointer(list))
      guard !paths.isEmpty else { return 0 }
      CallbackData<[String], Void>.call(data, paths)
      return 1
    }
    g_signal_connect_data(
      UnsafeMutableRawPointer(target),
      "drop",
      unsafeBitCast(handler, to: GCallback.self),
      CallbackData(body).retained(),
      { data, _ in releaseCallbackData(data) },
      GConnectFlags(0)
    )
    gtk_widget_add_controller(pointer, target)
  }
}

/// The paths of dropped files that are on this machine, and the URLs of those on servers.
private func places(_ list: OpaquePointer) -> [String] {
  let files = gdk_file_list_get_files(list)
  defer { g_slist_free(files) }
  var places: [String] = []
  var next = files
  while let link = next {
    if let file = link.pointee.data { place(of: OpaquePointer(file)).map { places.append($0) } }
    next = link.pointee.next
  }
  return places
}

private func place(of file: OpaquePointer) -> String? {
  if let path = g_file_get_path(file) {
    defer { g_free(path) }
    return String(path: path)
  }
  guard let uri = g_file_get_uri(file) else { return nil }
  defer { g_free(uri) }
  let url = String(cString: uri)
  return url.hasPrefix("http://") || url.hasPrefix("https://") ? url : nil
}
