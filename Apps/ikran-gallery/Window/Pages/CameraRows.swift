import Ikran

/// The lines of what a camera wrote; those of which nothing is known are hidden.
@MainActor
final class CameraRows {
  let box: Box
  private let labels: [CameraLines.Line: (name: Label, value: Label)]
  private(set) var shown: [CameraLines.Line: String] = [:]

  init() {
    let rows = Rows()
    var labels: [CameraLines.Line: (name: Label, value: Label)] = [:]
    for (row, line) in CameraLines.Line.allCases.enumerated() {
      let name = Label(line.rawValue).leading().widthChars(10).cssClasses("dim-label")
      let value = Label().leading().ellipsized(inMiddle: true, characters: 26)
        .layout(expands: (true, false)).cssClasses("numeric")
      rows.set(row, name, value)
      labels[line] = (name, value)
    }
    self.labels = labels
    box = Box.column(spacing: 14, Label("Camera").leading().cssClasses("heading"), rows)
    show(nil)
  }

  /// Shows what is known; nil hides all.
  func show(_ facts: ExifFacts?) {
    shown = facts.map(CameraLines.values) ?? [:]
    for (line, (name, value)) in labels {
      let text = shown[line]
      name.setVisible(text != nil)
      value.setVisible(text != nil)
      if let text { value.set(text) }
      value.setTooltip(text)
    }
    box.setVisible(!shown.isEmpty)
  }
}
