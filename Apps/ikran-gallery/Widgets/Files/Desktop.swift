import CGTK

/// What the desktop does for the program.
@MainActor
enum Desktop {
  /// Opens a URL with the program that the user has chosen for it.
  ///
  /// - Parameters:
  ///   - url: Of a file or a folder, or any other.
  ///   - onFailure: Called with the reason when no program was started.
  static func open(_ url: String, onFailure: @escaping @MainActor (String) -> Void) {
    let context = gdk_display_get_default().flatMap { gdk_display_get_app_launch_context($0) }
    defer { if let context { g_object_unref(UnsafeMutableRawPointer(context)) } }
    let callback: GAsyncReadyCallback = { _, result, data in
      var error: UnsafeMutablePointer<GError>?
      if g_app_info_launch_default_for_uri_finish(result, &error) == 0 {
        CallbackData<String, Void>.call(data, FileError.take(error))
      }
      releaseCallbackData(data)
    }
    g_app_info_launch_default_for_uri_async(
      url,
      context.map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: GAppLaunchContext.self) },
      nil,
      callback,
      CallbackData<String, Void>(onFailure).retained()
    )
  }

  /// Puts a text on the clipboard.
  static func copy(_ text: String) {
    guard let display = gdk_display_get_default(),
      let clipboard = gdk_display_get_clipboard(display)
    else { return }
    gdk_clipboard_set_text(clipboard, text)
  }
}

/// Why something was not done with a file.
enum FileError {
  /// The words of an error of GLib's, which is freed.
  static func take(_ error: UnsafeMutablePointer<GError>?) -> String {
    guard let error else { return "The reason is not known." }
    defer { g_error_free(error) }
    return error.pointee.message.map { String(cString: $0) } ?? ""
  }
}
