import CGTK
import FoundationEssentials
import IkranGTK

@main @MainActor
enum PictureWindow {
  static func main() {
    guard let url = CommandLine.arguments.dropFirst().first.flatMap({ URL(string: $0) }),
      gtk_init_check() != 0, let window = gtk_window_new(), let picture = gtk_picture_new()
    else { return }

    picture.setImage(
      url,
      style: .rounded(width: 240, height: 240, cornerRadius: 24),
      placeholder: .color(Color(red: 200, green: 200, blue: 200)),
      transition: .fade(.milliseconds(150))
    )

    let typed = UnsafeMutableRawPointer(window).assumingMemoryBound(to: GtkWindow.self)
    gtk_window_set_child(typed, picture)
    gtk_window_present(typed)
    while g_list_model_get_n_items(gtk_window_get_toplevels()) > 0 {
      g_main_context_iteration(nil, 1)
    }
  }
}
