public import CoreGraphics
import Ikran
public import IkranViews

/// Any object, whose picture a closure shows.
@MainActor
final class ObjectPictures: PictureView {
  /// The view that it is, whose window and size the picture follows; nil for another object.
  private let view: (any PictureView)?
  private var display: @MainActor (CGImage?) -> Void
  /// Whether the closure has shown nothing yet.
  private var isNew = false

  init(_ view: (any PictureView)?, _ display: @escaping @MainActor (CGImage?) -> Void) {
    (self.view, self.display) = (view, display)
  }

  /// Takes another closure, which shows what the last one has shown.
  func replace(_ display: @escaping @MainActor (CGImage?) -> Void) {
    (self.display, isNew) = (display, true)
  }

  var object: AnyObject? { view?.object }
  var scale: Double { view?.scale ?? Screen.scale }
  var isOnDisplay: Bool { view?.isOnDisplay ?? true }
  var isInSight: Bool { view?.isInSight ?? true }
  var size: (width: Double, height: Double) { view?.size ?? (0, 0) }
  var windowSize: (width: Double, height: Double)? { view?.windowSize }
  var sizeRefusal: ImageError? {
    view == nil
      ? .invalidRequest("this object has no size; give the request a style with one, as fill has")
      : nil
  }
  var reducesMotion: Bool { view?.reducesMotion ?? Screen.reducesMotion }
  var clock: (any FrameClock)? { view == nil ? Screen.clock : view?.clock }

  func refusal(of slot: ImageTarget.Slot) -> ImageError? {
    slot == .image ? nil : .invalidRequest("a closure shows the slot .image alone")
  }

  func show(_ picture: ShownPicture?, in slot: ImageTarget.Slot) {
    isNew = false
    display(picture?.image.cgImage)
  }

  func isShowing(_ picture: ShownPicture, in slot: ImageTarget.Slot) -> Bool { !isNew }
}

extension ImageTarget {
  /// The image of any object; a closure shows it.
  ///
  /// ```swift
  /// let target = ImageTarget(annotationView) { [weak annotationView] image in
  ///   annotationView?.image = image.map { UIImage(cgImage: $0, scale: 2, orientation: .up) }
  /// }
  /// ```
  /// Of any view, the picture follows the window and the size; a view that its image makes as large
  /// as it is, such as an `MKAnnotationView`, needs a style with a size. Any other object counts as
  /// being on display and has no size: a request in the style ``/Ikran/Style/automatic`` fails.
  /// Transitions change nothing.
  ///
  /// - Parameters:
  ///   - object: What the image hangs on, and ends with.
  ///   - show: Called on the main thread with each picture, placeholders and frames of animations
  ///     included, and with nil for none. It is kept as long as the object, or until another one
  ///     takes its place: capture no strong reference to the object. A new closure is called with
  ///     what is shown when an image is set next. Ignored where the object shows its pictures
  ///     itself, as an image view does.
  public init(_ object: AnyObject, show: @escaping @MainActor (CGImage?) -> Void) {
    let isNew = ViewPictures.of(object) == nil
    let pictures = ViewPictures.of(object) {
      ObjectPictures(Screen.view(object), show)
    }
    if !isNew { (pictures.view as? ObjectPictures)?.replace(show) }
    Screen.observe(object, for: pictures)
    self.init(layer: pictures.slots.layer(for: .image))
  }
}
