import CGTK
import Glibc
import IkranSystem

private typealias DropHandler =
  @convention(c) (
    gpointer?, UnsafePointer<GValue>?, Double, Double, gpointer?
  ) -> gboolean

extension Widget {
  /// Calls a closure with the paths of local files that are dropped on it.
  func onDrop(_ body: @escaping @MainActor ([String]) -> Void) {
    guard let target = gtk_drop_target_new(gdk_file_list_get_type(), GDK_ACTION_COPY) else {
      return
    }
    let handler: DropHandler = { _, value, _, _, data in
      guard let value, let list = g_value_get_boxed(value) else { return 0 }
      let paths = localPaths(OpaquePointer(list))
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

/// The paths of dropped files that are on this machine.
private func localPaths(_ list: OpaquePointer) -> [String] {
  let files = gdk_file_list_get_files(list)
  defer { g_slist_free(files) }
  var paths: [String] = []
  var next = files
  while let link = next {
    if let file = link.pointee.data, let path = g_file_get_path(OpaquePointer(file)) {
      paths.append(String(path: path))
      g_free(path)
    }
    next = link.pointee.next
  }
  return paths
}
