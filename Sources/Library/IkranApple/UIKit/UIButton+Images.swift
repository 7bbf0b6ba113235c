#if canImport(UIKit) && !os(watchOS)
import Ikran
public import IkranViews
public import UIKit

/// A `UIButton`: an image and a background for each combination of its states.
@MainActor
struct ButtonPictures: UIViewPictures {
  weak var button: UIButton?

  var base: UIView? { button }

  func refusal(of slot: ImageTarget.Slot) -> ImageError? {
    guard let image = ControlStates.image(of: slot) else {
      return .invalidRequest("a UIButton has the slots .state(_:) and .background(_:) alone")
    }
    guard button?.configuration != nil, image.isBackground, image.states != 0 else { return nil }
    return .invalidRequest("a UIButton with a configuration has one background, for .normal")
  }

  func seenSlots(of filled: [ImageTarget.Slot]) -> [ImageTarget.Slot]? {
    ControlStates.seen(of: filled, in: button?.state.rawValue ?? 0)
  }

  func show(_ picture: ShownPicture?, in slot: ImageTarget.Slot) {
    guard let button, let image = ControlStates.image(of: slot) else { return }
    // A system button would draw a photograph as a shape in its tint colour.
    let native = picture?.native.withRenderingMode(.alwaysOriginal)
    let state = UIControl.State(rawValue: image.states)
    if image.isBackground, button.configuration != nil {
      // With a configuration it draws no other background.
      button.configuration?.background.image = native
    } else if image.isBackground {
      button.setBackgroundImage(native, for: state)
    } else {
      button.setImage(native, for: state)
    }
  }

  func isShowing(_ picture: ShownPicture, in slot: ImageTarget.Slot) -> Bool {
    guard let button, let image = ControlStates.image(of: slot) else { return true }
    let state = UIControl.State(rawValue: image.states)
    // The button has another object for the same pixels.
    return shown(image, of: button, for: state)?.cgImage === picture.image.cgImage
  }

  private func shown(
    _ image: ImageTarget.ControlImage,
    of button: UIButton,
    for state: UIControl.State
  ) -> UIImage? {
    if !image.isBackground { return button.image(for: state) }
    if let configuration = button.configuration { return configuration.background.image }
    return button.backgroundImage(for: state)
  }

  func stage(of slot: ImageTarget.Slot) -> (any PictureStage)? {
    guard let button, let image = ControlStates.image(of: slot) else { return nil }
    if !image.isBackground, let view = button.imageView {
      return LayerStage(layer: view.layer, isAlone: true, isYDown: true)
    }
    // The title lies in this layer, too.
    return LayerStage(layer: button.layer, isAlone: false, isYDown: true)
  }
}

extension ImageTarget {
  /// One of the images of a `UIButton`, each of which loads and is cancelled alone.
  ///
  /// ```swift
  /// ImageTarget(button, slot: .state(.normal)).setImage(url)
  /// ImageTarget(button, slot: .background(.highlighted)).setImage(other)
  /// ```
  /// The button shows the image of exactly its states, and otherwise the one for `.normal`. Images
  /// keep their colours.
  ///
  /// A button with a `configuration` has one background for all of its states, that for `.normal`,
  /// which becomes the `background.image` of the configuration: set that configuration first, and
  /// keep the image if an update handler makes another one. `background.imageContentMode` says how
  /// it lies there. Other backgrounds of such a button fail.
  ///
  /// - Parameters:
  ///   - button: The button.
  ///   - slot: `.state(_:)` or `.background(_:)`; the image for `.normal` if there is none.
  public init(_ button: UIButton, slot: Slot = .image) {
    let pictures = ViewPictures.of(button) { ButtonPictures(button: button) }
    Screen.observe(button, for: pictures)
    self.init(layer: pictures.slots.layer(for: slot))
  }
}

extension ImageTarget.Slot {
  /// The image of a button for a combination of its states.
  public static func state(_ state: UIControl.State) -> Self {
    ControlStates.slot(state.rawValue, isBackground: false)
  }

  /// The background of a button for a combination of its states.
  public static func background(_ state: UIControl.State) -> Self {
    ControlStates.slot(state.rawValue, isBackground: true)
  }
}

extension UIButton: ImageDisplaying {
  /// The image for `.normal`.
  public var imageTarget: ImageTarget { ImageTarget(self) }
}
#endif
