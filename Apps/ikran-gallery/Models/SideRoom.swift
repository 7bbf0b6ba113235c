/// Where what is known of a large picture is shown: next to it, or above it where room is short.
struct SideRoom: Sendable, Equatable {
  /// Of the page, in points.
  var pageWidth: Int
  /// Whether the page has the whole screen, which is then the picture's alone at first.
  var fillsScreen = false {
    didSet { if fillsScreen != oldValue { isShownOnFullScreens = false } }
  }
  private var isShownInWidePages = true
  private var isShownInNarrowPages = false
  private var isShownOnFullScreens = false

  /// The narrowest page with room for both, in points.
  static let narrowest = 720

  init(pageWidth: Int) { self.pageWidth = pageWidth }

  var isNarrow: Bool { pageWidth < Self.narrowest }
  var isShown: Bool {
    if fillsScreen { return isShownOnFullScreens }
    return isNarrow ? isShownInNarrowPages : isShownInWidePages
  }
  /// Whether the picture has less room because of it.
  var isNextToPicture: Bool { isShown && !isNarrow }
  /// Around the picture, in points.
  var margin: Int { isNarrow ? 8 : 24 }

  /// Hides it, or shows it; wide and narrow pages keep that apart, and those that fill the screen.
  mutating func toggle() {
    if fillsScreen {
      isShownOnFullScreens.toggle()
    } else if isNarrow {
      isShownInNarrowPages.toggle()
    } else {
      isShownInWidePages.toggle()
    }
  }
}
