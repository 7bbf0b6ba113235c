#if os(watchOS)
import Ikran
public import IkranViews
public import WatchKit

/// A `WKInterfaceImage`: it shows the first frame of an animation.
@MainActor
struct InterfaceImagePictures: PictureView {
  weak var image: WKInterfaceImage?

  var scale: Double { Screen.scale }
  var isOnDisplay: Bool { image != nil }
  var isInSight: Bool { isOnDisplay }
  /// It does not tell.
  var size: (width: Double, height: Double) { (0, 0) }
  var sizeRefusal: ImageError? {
    .invalidRequest("WatchKit tells no size; give the request a style with one, as fill has")
  }
  var reducesMotion: Bool { Screen.reducesMotion }
  var clock: (any FrameClock)? { nil }

  func refusal(of slot: ImageTarget.Slot) -> ImageError? {
    slot == .image ? nil : .invalidRequest("a WKInterfaceImage has the slot .image alone")
  }

  func show(_ picture: ShownPicture?, in slot: ImageTarget.Slot) {
    image?.setImage(picture?.native)
  }
}

/// What is true of the watch.
@MainActor
enum Screen {
  static var scale: Double { Double(WKInterfaceDevice.current().screenScale) }
  static var reducesMotion: Bool { WKAccessibilityIsReduceMotionEnabled() }
  /// It has no display links.
  static var clock: (any FrameClock)? { nil }

  static func view(_ object: AnyObject) -> (any PictureView)? { nil }

  static func observe(_ object: AnyObject, for pictures: ViewPictures) {}
}

extension WKInterfaceImage: ImageDisplaying {
  /// The image, without motion: the first frame of an animation.
  ///
  /// WatchKit does not say how large it is: give the request a style with a size. One in the style
  /// ``/Ikran/Style/automatic``, which is the default, fails.
  public var imageTarget: ImageTarget {
    ViewPictures.of(self) { InterfaceImagePictures(image: self) }.target(.image)
  }
}
#endif
