extension ImageTarget {
  /// One of the images that a control of UIKit has for each combination of its states.
  ///
  /// `IkranApple` makes it, by `.state(_:)` and `.background(_:)`.
  public struct ControlImage: Sendable, Hashable {
    /// The bits of `UIControl.State`.
    package let states: UInt
    /// Whether it lies behind the image and the title.
    package let isBackground: Bool

    package init(states: UInt, isBackground: Bool) {
      (self.states, self.isBackground) = (states, isBackground)
    }
  }
}

extension ImageTarget.Slot: CaseIterable {
  /// The slots that a view of every platform may have.
  public static let allCases: [Self] = [
    .background, .image, .hovered, .pressed, .checked, .selected, .focused, .disabled,
  ]
}
