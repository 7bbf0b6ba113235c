/// A line about what was done, with a button for what can be done about it; it goes by itself.
@MainActor
final class MessageBar {
  let box: Box
  private let label = Label().leading().ellipsized(inMiddle: true)
    .layout(expands: (true, false))
  private let button: Button
  private let shown = Shown()

  /// What it says, and what its button does.
  @MainActor
  private final class Shown {
    var text: String?
    var action: (@MainActor () -> Void)?
    /// How many messages there were.
    var count = 0
  }

  private static let milliseconds = 12_000

  init() {
    let shown = shown
    button = Button(text: "Undo") { shown.action?() }
    box = Box.row(spacing: 12, label, button).cssClasses("message")
    box.setVisible(false)
  }

  /// What it says; nil while it is not there.
  var text: String? { shown.text }

  /// Shows a text for some seconds.
  ///
  /// - Parameters:
  ///   - text: One sentence.
  ///   - undo: What the button takes back; nil shows none.
  func show(_ text: String, undo: (@MainActor () -> Void)? = nil) {
    (shown.text, shown.action) = (text, undo)
    shown.count += 1
    let count = shown.count
    label.set(text)
    button.setVisible(undo != nil)
    box.setVisible(true)
    Timer.repeating(milliseconds: Self.milliseconds) { [weak self] in
      if self?.shown.count == count { self?.hide() }
      return false
    }
  }

  func hide() {
    (shown.text, shown.action) = (nil, nil)
    box.setVisible(false)
  }
}
