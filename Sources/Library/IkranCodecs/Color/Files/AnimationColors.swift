import IkranPixels

/// The colours of the frames of one file, which are converted when they are composed.
struct AnimationColors: Sendable {
  private let colors: FileColors
  private let handling: ColorHandling

  /// Frames of a file that says this; no profile travels with them.
  init(_ colors: FileColors, _ rules: DecodeRules) {
    self.colors = colors
    handling = rules.colors == .untouched ? .untouched : .sRGB
  }

  /// Frames of a file that says nothing.
  init() { (colors, handling) = (FileColors(), .untouched) }

  /// What becomes of the frames' colours.
  func plan(_ workspace: Workspace) -> ColorPlan {
    ColorPlan(colors, handling: handling, workspace: workspace)
  }
}
