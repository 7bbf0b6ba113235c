public import CoreGraphics
import Ikran
public import IkranViews

/// Any object, whose picture a closure shows.
@MainActor
struct ObjectPictures: PictureView {
  /// The view that it is, whose window and size the picture follows; nil for another object.
  let view: (any PictureView)?
  let display: @MainActor (CGImage?) -> Void

  var scale: Double { view?.scale ?? Screen.scale }
  var isOnDisplay: Bool { view?.isOnDisplay ?? true }
  var isInSight: Bool { view?.isInSight ?? true }
  var size: (width: Double, height: Double) { view?.size ?? (0, 0) }
  var windowSize: (width: Double, height: Double)? { view?.windowSize }
  var reducesMotion: Bool { view?.reducesMotion ?? Screen.reducesMotion }
  var clock: (any FrameClock)? { view == nil ? Screen.clock : view?.clock }

  func refusal(of slot: ImageTarget.Slot) -> ImageError? {
    slot == .image ? nil : .invalidRequest("a closure shows the slot .image alone")
  }

  func show(_ picture: ShownPicture?, in slot: ImageTarget.Slot) {
    display(picture?.image.cgImage)
  }
}

extension ImageTarget {
  /// The image of any object; a closure shows it.
  ///
  /// ```swift
  /// let target = ImageTarget(annotationView) { [weak annotationView] image in
  ///   annotationView?.image = image.map { UIImage(cgImage: $0, scale: 2, orientation: .up) }
  /// }
  /// ```
  /// Of a view, the picture follows the window and the size. Any other object counts as being on
  /// display, and has no size: the request has a style with one. Transitions change nothing.
  ///
  /// - Parameters:
  ///   - object: What the image hangs on, and ends with.
  ///   - show: Called on the main thread with each picture, placeholders and frames of animations
  ///     included, and with nil for none. It is kept as long as the object: capture no strong
  ///     reference to that. Ignored where an earlier value for the object has shown its pictures.
  public init(_ object: AnyObject, show: @escaping @MainActor (CGImage?) -> Void) {
    let pictures = ViewPictures.of(object) {
      ObjectPictures(view: Screen.view(object), display: show)
    }
    Screen.observe(object, for: pictures)
    self.init(layer: pictures.slots.layer(for: .image))
  }
}
