import Ikran
import IkranPlayback
import IkranViews

/// An object that shows pictures: what its kind does otherwise than others.
@MainActor
protocol PictureView {
  /// The view that a subview observes; nil where none does, or the view has ended.
  var object: AnyObject? { get }
  /// Pixels per point of its screen.
  var scale: Double { get }
  /// Whether it is in a window.
  var isOnDisplay: Bool { get }
  /// Whether a part of it lies within what scrolls it, and it is not hidden.
  var isInSight: Bool { get }
  /// In points.
  var size: (width: Double, height: Double) { get }
  /// The size of its window in points; nil without one.
  var windowSize: (width: Double, height: Double)? { get }
  /// Why no picture can have its size; nil where it has one, or will have.
  var sizeRefusal: ImageError? { get }
  /// How pictures lie in it where nothing else is said; nil where it has no mode itself.
  var contentMode: ContentMode? { get }
  /// Whether the user wants no motion.
  var reducesMotion: Bool { get }
  /// Calls for each frame of its window; nil where nothing does.
  var clock: (any FrameClock)? { get }

  /// Why a slot shows nothing; nil where it does.
  func refusal(of slot: ImageTarget.Slot) -> ImageError?
  /// The slots that are seen, from back to front; nil where there is but one.
  func seenSlots(of filled: [ImageTarget.Slot]) -> [ImageTarget.Slot]?
  /// Shows a picture in a slot, or none.
  func show(_ picture: ShownPicture?, in slot: ImageTarget.Slot)
  /// Whether a slot still shows what it was given; a program may have set another image.
  func isShowing(_ picture: ShownPicture, in slot: ImageTarget.Slot) -> Bool
  /// What moves while one picture gives way to another; nil where nothing can.
  func stage(of slot: ImageTarget.Slot) -> (any PictureStage)?
}

extension PictureView {
  var object: AnyObject? { nil }
  var windowSize: (width: Double, height: Double)? { nil }
  var sizeRefusal: ImageError? { nil }
  var contentMode: ContentMode? { nil }

  func seenSlots(of filled: [ImageTarget.Slot]) -> [ImageTarget.Slot]? { nil }

  func isShowing(_ picture: ShownPicture, in slot: ImageTarget.Slot) -> Bool { true }

  func stage(of slot: ImageTarget.Slot) -> (any PictureStage)? { nil }
}

/// What calls for each frame of a window.
@MainActor
protocol FrameClock: AnyObject {
  /// Calls a closure as each frame begins, with its time in microseconds, until it returns false.
  ///
  /// - Parameters:
  ///   - milliseconds: The shortest time between two changes; 0 for what changes each time.
  ///   - body: The closure.
  /// - Returns: What ends it earlier.
  func follow(
    every milliseconds: Int,
    _ body: @escaping @MainActor (Int) -> Bool
  ) -> any FrameCallback
}

extension FrameClock {
  /// Another one for each clock.
  var id: Int { Int(bitPattern: ObjectIdentifier(self)) }
}

/// Where one picture gives way to another.
@MainActor
protocol PictureStage {
  /// Begins a transition.
  ///
  /// - Parameters:
  ///   - change: From what, and how.
  ///   - picture: The new picture; nil for none.
  ///   - reducesMotion: Whether the user wants no motion.
  /// - Returns: What is under way.
  func begin(
    _ change: (from: LayerContent.Drawn?, transition: Transition, progress: Double),
    to picture: ShownPicture?,
    reducesMotion: Bool
  ) -> any RunningTransition
  /// Shows a part of a ring, in turns clockwise from the top; nil hides it.
  func showRing(_ ring: (start: Double, length: Double)?)
}

/// A transition that is under way.
@MainActor
protocol RunningTransition: AnyObject {
  /// Whether the slot still shows the old picture at a moment, from 0 to 1.
  func showsOld(at progress: Double) -> Bool
  /// Ends it; doing it again does nothing.
  func end()
}
