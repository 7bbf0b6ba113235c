import Ikran

/// Pictures in a terminal, each in the place of the one before.
///
/// While they are drawn, the cursor is at their top left, hidden.
struct TerminalScreen: ~Copyable {
  private let output: Output
  private var canvas: TerminalCanvasHandle
  /// Of the picture that is there.
  private var shown: (layout: CellLayout, screen: TerminalSize)?

  init(_ canvas: consuming TerminalCanvasHandle, _ output: Output) throws {
    self.canvas = canvas
    self.output = output
    try write("\u{1B}[?25l")
  }

  /// Draws a picture of which the whole has `size`.
  ///
  /// When the terminal's size has changed, the picture gets another place below the cursor.
  mutating func show(_ picture: Bitmap, of size: PixelSize) throws {
    let screen = Terminal.screen ?? CellLayout.page
    let layout = canvas.layout(size, in: screen)
    let drawing = try canvas.draw(picture, in: layout)
    var before = ""
    if let shown, shown.layout == layout, shown.screen == screen {
      // A clear pixel of a sixel leaves what is there.
      if case .sixel = canvas.mode, picture.format.hasAlpha { before = "\u{1B}[J" }
    } else {
      // Makes room, where the terminal may have to scroll.
      let lines = layout.rows + layout.linesBelow - 1
      before = "\r\u{1B}[J" + String(repeating: "\n", count: lines) + "\u{1B}[\(lines)A"
    }
    // Kitty keeps the last picture below the next one until it is deleted.
    if case .kitty = canvas.mode, shown != nil { before = "\u{1B}_Ga=d,d=C\u{1B}\\" + before }
    shown = (layout, screen)
    // Terminals that know 2026 show all of it at once; 7 and 8 save and restore the cursor.
    try write("\u{1B}[?2026h\(before)\u{1B}7", drawing, "\u{1B}8\u{1B}[?2026l")
  }

  /// Leaves the last picture there, with the cursor on the line below.
  consuming func end() throws {
    let below = shown.map { "\u{1B}[\($0.layout.rows)B\r" } ?? ""
    try write("\(below)\u{1B}[0m\u{1B}[?25h")
  }

  private func write(_ before: String, _ drawing: [UInt8] = [], _ after: String = "") throws {
    try output.write(Array(before.utf8) + drawing + Array(after.utf8))
  }
}

extension TerminalCanvasHandle {
  /// The layout of a picture of this size in a terminal.
  borrowing func layout(_ size: PixelSize, in screen: TerminalSize) -> CellLayout {
    // The last line is the prompt's; the last six rows of sixels may reach into one line more.
    var lines = 1
    if case .sixel = mode { lines = 2 }
    return CellLayout(size, in: screen, linesBelow: lines, inPixels: inPixels)
  }
}
