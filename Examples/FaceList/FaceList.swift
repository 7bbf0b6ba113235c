import CGTK
import FoundationEssentials
import IkranGTK

@main @MainActor
enum FaceList {
  static func main() {
    guard gtk_init_check() != 0, let window = gtk_window_new(),
      let scrolled = gtk_scrolled_window_new(), let urls = gtk_string_list_new(nil),
      let list = gtk_list_view_new(gtk_no_selection_new(urls), nil)
    else { return }
    for url in CommandLine.arguments.dropFirst() { gtk_string_list_append(urls, url) }

    let factory = ImageListFactory(width: 48, height: 48) { item in
      item.text.flatMap { URL(string: $0) }.map { ImageRequest($0, style: .circle(48)) }
    }
    factory.prefetch(from: urls)
    gtk_list_view_set_factory(OpaquePointer(list), factory.pointer)

    gtk_scrolled_window_set_child(OpaquePointer(scrolled), list)
    let typed = UnsafeMutableRawPointer(window).assumingMemoryBound(to: GtkWindow.self)
    gtk_window_set_default_size(typed, 320, 480)
    gtk_window_set_child(typed, scrolled)
    gtk_window_present(typed)
    while g_list_model_get_n_items(gtk_window_get_toplevels()) > 0 {
      g_main_context_iteration(nil, 1)
    }
  }
}
