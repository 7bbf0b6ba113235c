/// What is shown instead of a grid without pictures.
@MainActor
struct EmptyPage {
  let box: Scroller
  private let title = Label().wrapped(characters: 40).cssClasses("title-2")
  private let hint = Label().wrapped(characters: 50).cssClasses("dim-label")

  init() {
    let icon = Icon("image-x-generic-symbolic", size: 96).cssClasses("dim-label")
    let column = Box.column(spacing: 12, icon, title, hint)
      .layout(expands: (true, true), horizontal: .center, vertical: .center)
    box = Scroller(column, across: .none, down: .scrolled)
  }

  /// Says why nothing is there.
  func set(search: String) {
    title.set(search.isEmpty ? "No pictures here" : "No name has “\(search)”")
    hint.set(
      search.isEmpty
        ? "Drop picture files on this window." : "Escape shows all pictures again."
    )
  }
}
