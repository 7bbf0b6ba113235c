/// A text without what cannot be drawn, and bounded: whatever is passed, laying it out is cheap.
struct CleanText {
  /// The most code points that are drawn of a text.
  static let maximumLength = 4096
  /// The most marks in a row; more are stacked out of sight.
  private static let maximumMarks = 8

  /// Valid for C: it has no NUL.
  let text: String

  /// Looks at no more than `limit` code points.
  init(_ text: String, limit: Int = maximumLength) {
    var clean = String.UnicodeScalarView()
    var marks = 0
    for scalar in text.unicodeScalars.prefix(limit) {
      switch scalar.properties.generalCategory {
      case .control where scalar == "\n": clean.append("\n")
      case .control where scalar == "\t": clean.append(" ")
      case .control: continue
      case .lineSeparator, .paragraphSeparator: clean.append("\n")
      case .nonspacingMark, .enclosingMark, .spacingMark:
        marks += 1
        if marks <= Self.maximumMarks { clean.append(scalar) }
        continue
      default: clean.append(scalar)
      }
      marks = 0
    }
    self.text = String(clean)
  }
}
