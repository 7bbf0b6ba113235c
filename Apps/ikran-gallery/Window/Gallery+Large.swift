import IkranPixels

/// The picture that is shown large.
extension Gallery {
  /// Shows the first picture large whose name has all words of a text.
  ///
  /// - Parameters:
  ///   - text: The words, in any order and case.
  ///   - factor: Pixels of the screen for one of the picture; nil shows the whole picture.
  /// - Returns: Whether there is one.
  func open(named text: String, factor: Double? = nil) -> Bool {
    let words = text.lowercased().split(separator: " ").map(String.init)
    guard let number = shown.first(where: { binder.items[$0].matches(words) }) else { return false }
    open(number, factor: factor)
    return true
  }

  /// Shows a picture large, as a whole or at a factor.
  func open(_ number: Int, factor: Double? = nil) {
    opened = number
    let item = binder.items[number]
    let (width, height) = pageSize
    detail?.show(item, binder.settings.mode, width: width, height: height, factor: factor)
    header?.show(picture: item.name)
    pages.shown = "detail"
    detail?.focus()
    slideShow.beginAgain()
  }

  /// The window has begun to fill the screen, or no longer does: then the picture has it alone.
  func setFillsScreen(_ fills: Bool) { detail?.frame.change { $0.fillsScreen = fills } }

  /// Shows the grid, where the picture that was shown large is.
  func close() {
    guard let last = opened else { return }
    opened = nil
    slideShow.stop()
    detail?.leave()
    header?.show(picture: nil)
    showGrid()
    // The focus, which is where it was before, would scroll there.
    focusGrid()
    guard let position = shown.firstIndex(of: last) else { return }
    grid.scroll(to: position)
    focus(last)
  }

  /// Gives the keyboard to the cell of a picture once the grid is there.
  private func focus(_ number: Int) {
    var tries = 0
    Timer.repeating(milliseconds: 16) { [weak self] in
      guard let self, opened == nil, tries < 60, grid.hasFocusInside else { return false }
      tries += 1
      guard let cell = binder.cell(of: number) else { return true }
      cell.focus()
      return false
    }
  }

  /// Opens a picture so many places after the one that is shown large, or the first or the last.
  func step(_ step: Int) {
    guard let opened, let index = shown.firstIndex(of: opened) else { return }
    let place = min(max(0, index + step), shown.count - 1)
    if place != index { open(shown[place]) }
  }

  /// Starts the slide show, with the first picture unless one is shown large, or ends it.
  func toggleSlideShow() {
    if slideShow.isRunning { return slideShow.stop() }
    guard let number = opened ?? shown.first else { return }
    if opened == nil { open(number) }
    slideShow.start()
  }

  /// Opens the next picture, after the last one the first.
  func showNext() {
    guard let opened, let index = shown.firstIndex(of: opened) else { return slideShow.stop() }
    let place = (index + 1) % shown.count
    if place != index { open(shown[place]) }
  }

  /// In points; before the window is there, about what it will be.
  var pageSize: (width: Int, height: Int) {
    pages.width > 0 ? (pages.width, pages.height) : (size.width, max(1, size.height - 110))
  }
}
