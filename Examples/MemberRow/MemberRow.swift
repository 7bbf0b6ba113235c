import CGTK
import FoundationEssentials
import IkranGTK

/// The picture of a member of a club.
struct MemberAvatar: Avatar {
  let url: URL?
  let style = Style.circle(64)

  // Your database goes here; these keep nothing.
  func localStyled() async throws -> Bitmap? { nil }
  func localOriginal() async throws -> Data? { nil }
  func save(original: Data, styled: Bitmap) async throws {}
}

@main @MainActor
enum MemberRow {
  static func main() {
    guard gtk_init_check() != 0, let window = gtk_window_new(),
      let row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 12)
    else { return }
    let members = CommandLine.arguments.dropFirst().map { MemberAvatar(url: URL(string: $0)) }
    let box = UnsafeMutableRawPointer(row).assumingMemoryBound(to: GtkBox.self)
    for member in members {
      guard let button = gtk_button_new() else { continue }
      button.setAvatar(member)
      gtk_box_append(box, button)
    }

    let typed = UnsafeMutableRawPointer(window).assumingMemoryBound(to: GtkWindow.self)
    gtk_window_set_child(typed, row)
    gtk_window_present(typed)

    // From here on, tasks of the main actor run in GLib's main loop.
    MainLoop.attach()
    Task {
      for member in members { _ = try? await AvatarPod.shared.image(for: member) }
      print("all \(members.count) members are here")
    }
    while g_list_model_get_n_items(gtk_window_get_toplevels()) > 0 {
      g_main_context_iteration(nil, 1)
    }
  }
}
