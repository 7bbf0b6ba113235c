#if canImport(AppKit) && !canImport(UIKit)
public import AppKit
import Ikran
public import IkranViews

/// An `NSButton`: its image, and the alternate one.
@MainActor
struct ButtonPictures: NSViewPictures {
  weak var button: NSButton?

  var base: NSView? { button }

  func refusal(of slot: ImageTarget.Slot) -> ImageError? {
    switch slot {
    case .image, .checked: nil
    default: .invalidRequest("an NSButton has the slots .image and .alternate alone")
    }
  }

  /// Which of the two is seen depends on the kind of the button, so both play.
  func seenSlots(of filled: [ImageTarget.Slot]) -> [ImageTarget.Slot]? { filled }

  func show(_ picture: ShownPicture?, in slot: ImageTarget.Slot) {
    guard let button else { return }
    let image = picture?.native
    if slot == .image { button.image = image } else { button.alternateImage = image }
  }

  func isShowing(_ picture: ShownPicture, in slot: ImageTarget.Slot) -> Bool {
    (slot == .image ? button?.image : button?.alternateImage) === picture.native
  }

  func stage(of slot: ImageTarget.Slot) -> (any PictureStage)? {
    // The title lies in this layer, too.
    button?.stage(isAlone: false)
  }
}

extension ImageTarget {
  /// The image of an `NSButton`: `.image`, or `.alternate`; each loads and is cancelled alone.
  ///
  /// Where the image lies is what the button's own `imagePosition` and `imageScaling` say.
  public init(_ button: NSButton, slot: Slot = .image) {
    let pictures = ViewPictures.of(button) { ButtonPictures(button: button) }
    Screen.observe(button, for: pictures)
    self.init(layer: pictures.slots.layer(for: slot))
  }
}

extension ImageTarget.Slot {
  /// The alternate image of an `NSButton`: while it is on or pressed, by its kind.
  public static var alternate: Self { .checked }
}

extension NSButton: ImageDisplaying {
  /// The image of the button, unless it shows the alternate one.
  public var imageTarget: ImageTarget { ImageTarget(self) }
}
#endif
