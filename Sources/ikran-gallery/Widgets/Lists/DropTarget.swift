import CGTK
import Glibc

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
      nonisolated(unsafe) let (value, data) = (value, data)  // GTK emits its signals on its thread
      return MainActor.assumeIsolated {
        guard let value, let data, let list = g_value_get_boxed(value) else { return 0 }
        let paths = DroppedFiles.paths(OpaquePointer(list))
        if !paths.isEmpty {
          Unmanaged<DroppedFiles>.fromOpaque(data).takeUnretainedValue().body(paths)
        }
        return paths.isEmpty ? 0 : 1
      }
    }
    g_signal_connect_data(
      UnsafeMutableRawPointer(target),
      "drop",
      unsafeBitCast(handler, to: GCallback.self),
      Unmanaged.passRetained(DroppedFiles(body)).toOpaque(),
      { data, _ in if let data { Unmanaged<AnyObject>.fromOpaque(data).release() } },
      GConnectFlags(0)
    )
    gtk_widget_add_controller(pointer, target)
  }
}

/// Files that are dragged from another program.
@MainActor
private final class DroppedFiles {
  let body: @MainActor ([String]) -> Void

  init(_ body: @escaping @MainActor ([String]) -> Void) { self.body = body }

  /// The paths of those that are on this machine.
  static func paths(_ list: OpaquePointer) -> [String] {
    let files = gdk_file_list_get_files(list)
    defer { g_slist_free(files) }
    var paths: [String] = []
    var next = files
    while let link = next {
      if let file = link.pointee.data, let path = g_file_get_path(OpaquePointer(file)) {
        paths.append(String(cString: path))
        g_free(path)
      }
      next = link.pointee.next
    }
    return paths
  }
}
