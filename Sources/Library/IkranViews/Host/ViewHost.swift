package import Ikran

// Decision 93: what a platform does for the rules of views.
/// A view of a platform, as its pictures need it: it reports what happens to its ``ViewSlots``.
@MainActor
package protocol ViewHost: AnyObject {
  /// Runs what happens later, for all views of a main loop.
  var loop: any ViewLoop { get }
  /// Pixels per point of the monitor.
  var scale: Double { get }
  /// Whether its window shows it, also where it is scrolled away.
  var isOnDisplay: Bool { get }
  /// Whether a part of it lies within what scrolls it.
  var isInSight: Bool { get }
  /// Whether the view is hovered, pressed and so on; see ``IkranViews/ImageTarget/Slot``.
  func isInState(of slot: ImageTarget.Slot) -> Bool
  /// Which of the slots that have a picture are seen, from back to front.
  ///
  /// - Parameter filled: Those with a picture.
  /// - Returns: nil where the rules for states choose.
  func seenSlots(of filled: [ImageTarget.Slot]) -> [ImageTarget.Slot]?

  /// Names what draws the frames of all views in a window; nil without a window.
  var frameClock: Int? { get }
  /// Calls a closure as each frame begins, with its time in microseconds, until it returns false.
  ///
  /// - Returns: What ends it earlier; nil without frames.
  func follow(_ body: @escaping @MainActor (Int) -> Bool) -> (any FrameCallback)?
  /// Follows frames for what changes no more often than this, so that fewer of them may do.
  ///
  /// - Parameters:
  ///   - milliseconds: The shortest time between two changes.
  ///   - body: Called as each frame begins, with its time in microseconds.
  /// - Returns: What ends it earlier; nil without frames.
  func follow(
    every milliseconds: Int,
    _ body: @escaping @MainActor (Int) -> Bool
  ) -> (any FrameCallback)?
  /// The formats of pixels that it draws; others are converted.
  var drawnFormats: Set<PixelFormat> { get }
  /// How pictures lie in the view where their options do not say; nil where it has no mode itself.
  var contentMode: ContentMode? { get }
  /// The pictures look different after a change.
  func redraw(after change: ViewChange)

  /// The room for a picture in points; 0 is a side that is as long as the picture makes it.
  ///
  /// - Parameter isLaidOut: Whether its window has had the time to give the view a size.
  /// - Returns: nil while the view has no size.
  func room(isLaidOut: Bool) -> (width: Int, height: Int)?
  /// Why no picture can have the size of the view; nil where it has one, or will have.
  var sizeRefusal: ImageError? { get }
  /// Whether the view has had a size.
  var isLaidOut: Bool { get }
  /// Whether its window has a size, so that it lays out the view in the next frame.
  var isInSizedWindow: Bool { get }
  /// The next picture has the size of the view, where the one before may have made that.
  func forgetRoom()

  /// A picture will be shown, or its placeholder.
  ///
  /// - Returns: Why that is impossible; nil where it is possible.
  func prepare() -> ImageError?
  /// A picture will be shown in one of the slots, or its placeholder.
  ///
  /// - Returns: Why that is impossible; nil where it is possible.
  func prepare(_ slot: ImageTarget.Slot) -> ImageError?
  /// The request for what only this platform can read, such as a resource of the program.
  func resolve(_ request: ImageRequest) -> ImageRequest
}

extension ViewHost {
  package func isInState(of slot: ImageTarget.Slot) -> Bool { slot == .image }
  package func seenSlots(of filled: [ImageTarget.Slot]) -> [ImageTarget.Slot]? { nil }
  package func follow(
    every milliseconds: Int,
    _ body: @escaping @MainActor (Int) -> Bool
  ) -> (any FrameCallback)? { follow(body) }
  package var drawnFormats: Set<PixelFormat> { DrawableBitmap.formats }
  package var contentMode: ContentMode? { nil }
  package var sizeRefusal: ImageError? { nil }
  package var isLaidOut: Bool { room(isLaidOut: false) != nil }
  package var isInSizedWindow: Bool { true }
  package func forgetRoom() {}
  package func prepare() -> ImageError? { nil }
  package func prepare(_ slot: ImageTarget.Slot) -> ImageError? { prepare() }
  package func resolve(_ request: ImageRequest) -> ImageRequest { request }
}

/// Why a view's pictures look different.
package enum ViewChange: Sendable, Hashable {
  /// A frame of an animation or a transition: of the same size.
  case frame
  /// The view is hovered, pressed and so on, or no longer: another slot may be seen.
  case state
  /// A slot has another picture, or none.
  case picture
}

/// What runs jobs on the main thread.
package protocol ViewLoop: AnyObject, Sendable {
  typealias Job = @MainActor @Sendable () -> Void

  /// The loads of its views that begin with the next frame.
  @MainActor var pendingLoads: PendingLoads { get }
  /// Adds a job, in the order in which they come; called on any thread.
  func post(_ job: @escaping Job)
  /// Adds a job after a time.
  func post(afterMilliseconds delay: Int, _ job: @escaping Job)
}

/// A call at each frame.
@MainActor
package protocol FrameCallback: AnyObject {
  /// Ends it; calling it again does nothing.
  func cancel()
}
