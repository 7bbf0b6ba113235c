import CGTK
import IkranSystem

/// The desktop's dialog that chooses files, or a folder.
@MainActor
final class FileChooser {
  private let pointer: OpaquePointer

  /// Makes a dialog.
  ///
  /// - Parameters:
  ///   - parent: The window that waits for it.
  ///   - isForFolder: Whether a folder is chosen instead of files.
  ///   - onChoose: Called with paths of this machine, none when it was cancelled.
  init?(
    over parent: Window,
    isForFolder: Bool,
    onChoose: @escaping @MainActor ([String]) -> Void
  ) {
    let action = isForFolder ? GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER : GTK_FILE_CHOOSER_ACTION_OPEN
    guard
      let dialog = gtk_file_chooser_native_new(
        isForFolder ? "Open a Folder" : "Open Pictures",
        parent.raw.assumingMemoryBound(to: GtkWindow.self),
        action,
        nil,
        nil
      )
    else { return nil }
    pointer = dialog
    gtk_file_chooser_set_select_multiple(pointer, isForFolder ? 0 : 1)
    gtk_native_dialog_set_modal(nativeDialog, 1)
    let raw = UnsafeMutableRawPointer(pointer)
    Signals.connect(
      raw,
      "response",
      number: { [pointer] response in
        let isAccepted = CInt(bitPattern: response) == GTK_RESPONSE_ACCEPT.rawValue
        onChoose(isAccepted ? Self.paths(of: pointer) : [])
      }
    )
  }

  isolated deinit {
    gtk_native_dialog_destroy(nativeDialog)
    g_object_unref(UnsafeMutableRawPointer(pointer))
  }

  func show() { gtk_native_dialog_show(nativeDialog) }
  var isShown: Bool { gtk_native_dialog_get_visible(nativeDialog) != 0 }

  private var nativeDialog: UnsafeMutablePointer<GtkNativeDialog> {
    UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: GtkNativeDialog.self)
  }

  private static func paths(of dialog: OpaquePointer) -> [String] {
    guard let files = gtk_file_chooser_get_files(dialog) else { return [] }
    defer { g_object_unref(UnsafeMutableRawPointer(files)) }
    return (0..<g_list_model_get_n_items(files)).compactMap { place in
      guard let file = g_list_model_get_item(files, place) else { return nil }
      defer { g_object_unref(file) }
      guard let path = g_file_get_path(OpaquePointer(file)) else { return nil }
      defer { g_free(path) }
      return String(path: path)
    }
  }
}
