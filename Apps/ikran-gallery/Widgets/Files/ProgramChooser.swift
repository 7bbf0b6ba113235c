import CGTK
import IkranSystem

/// The desktop's dialog that chooses a program for a file, and opens the file with it.
@MainActor
final class ProgramChooser {
  private let dialog: UnsafeMutablePointer<GtkWidget>

  /// Makes a dialog.
  ///
  /// - Parameters:
  ///   - parent: The window that waits for it.
  ///   - path: The file.
  ///   - url: The same file.
  ///   - onEnd: Called when it has ended, with the reason when no program was started.
  init?(
    over parent: Window,
    path: String,
    url: String,
    onEnd: @escaping @MainActor (String?) -> Void
  ) {
    guard let file = path.withPath({ g_file_new_for_path($0) }) else { return nil }
    defer { g_object_unref(UnsafeMutableRawPointer(file)) }
    let flags = GtkDialogFlags(
      GTK_DIALOG_MODAL.rawValue | GTK_DIALOG_DESTROY_WITH_PARENT.rawValue
    )
    let window = parent.raw.assumingMemoryBound(to: GtkWindow.self)
    guard let made = gtk_app_chooser_dialog_new(window, flags, file) else { return nil }
    dialog = made
    // The window that waits for it may end first.
    g_object_ref(UnsafeMutableRawPointer(dialog))
    Signals.connect(
      UnsafeMutableRawPointer(dialog),
      "response",
      number: { [dialog] response in
        let isChosen = CInt(bitPattern: response) == GTK_RESPONSE_OK.rawValue
        onEnd(isChosen ? Self.launch(chosenIn: dialog, url) : nil)
      }
    )
  }

  isolated deinit {
    gtk_window_destroy(window)
    g_object_unref(UnsafeMutableRawPointer(dialog))
  }

  func show() { gtk_window_present(window) }
  var isShown: Bool { gtk_widget_get_visible(dialog) != 0 }

  private var window: UnsafeMutablePointer<GtkWindow> {
    UnsafeMutableRawPointer(dialog).assumingMemoryBound(to: GtkWindow.self)
  }

  /// Opens a URL with the program that was chosen; the reason when it was not started.
  private static func launch(
    chosenIn dialog: UnsafeMutablePointer<GtkWidget>,
    _ url: String
  ) -> String? {
    guard let program = gtk_app_chooser_get_app_info(OpaquePointer(dialog)) else {
      return "No program was chosen."
    }
    defer { g_object_unref(UnsafeMutableRawPointer(program)) }
    let urls = g_list_append(nil, g_strdup(url))
    defer { g_list_free_full(urls) { g_free($0) } }
    var error: UnsafeMutablePointer<GError>?
    let isStarted = g_app_info_launch_uris(program, urls, nil, &error) != 0
    return isStarted ? nil : FileError.take(error)
  }
}
