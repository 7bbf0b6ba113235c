package import IkranViews

/// Which of its images a button of UIKit shows: one in front and one behind, for each combination
/// of its states.
package enum ControlStates {
  // The bits of `UIControl.State`.
  package static let highlighted: UInt = 1
  package static let disabled: UInt = 1 << 1
  package static let selected: UInt = 1 << 2
  package static let focused: UInt = 1 << 3

  /// The slot of an image: one that every platform has, where there is one.
  package static func slot(_ states: UInt, isBackground: Bool) -> ImageTarget.Slot {
    switch (states, isBackground) {
    case (0, true): .background
    case (0, false): .image
    case (highlighted, false): .pressed
    case (disabled, false): .disabled
    case (selected, false): .selected
    case (focused, false): .focused
    default: .control(ImageTarget.ControlImage(states: states, isBackground: isBackground))
    }
  }

  /// The image of a slot; nil for one that a button has not.
  package static func image(of slot: ImageTarget.Slot) -> ImageTarget.ControlImage? {
    switch slot {
    case .background: ImageTarget.ControlImage(states: 0, isBackground: true)
    case .image: ImageTarget.ControlImage(states: 0, isBackground: false)
    case .pressed: ImageTarget.ControlImage(states: highlighted, isBackground: false)
    case .disabled: ImageTarget.ControlImage(states: disabled, isBackground: false)
    case .selected: ImageTarget.ControlImage(states: selected, isBackground: false)
    case .focused: ImageTarget.ControlImage(states: focused, isBackground: false)
    case .control(let image): image
    case .hovered, .checked: nil
    }
  }

  /// The slots that are seen, from back to front.
  ///
  /// An image is that of exactly these states, and otherwise that of none.
  package static func seen(
    of filled: [ImageTarget.Slot],
    in states: UInt
  ) -> [ImageTarget.Slot] {
    [true, false].compactMap { isBackground in
      let own = slot(states, isBackground: isBackground)
      let normal = slot(0, isBackground: isBackground)
      return filled.contains(own) ? own : filled.contains(normal) ? normal : nil
    }
  }
}
