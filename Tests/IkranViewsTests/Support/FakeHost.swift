import Ikran
import IkranViews

/// A view without a window.
@MainActor
final class FakeHost: ViewHost {
  let slots = ViewSlots()
  /// What draws its frames.
  var clock: FakeLoop
  var scale = 1.0 { didSet { slots.scaleDidChange() } }
  var isOnDisplay = true { didSet { slots.displayDidChange() } }
  var isInSight = true
  var frameClock: Int? = 1
  var states: Set<ImageTarget.Slot> = [] { didSet { slots.statesDidChange() } }
  /// In points; nil before it has been laid out.
  var size: (width: Int, height: Int)? = (16, 16) { didSet { slots.sizeDidChange() } }
  /// How pictures lie in it; nil leaves it to their options.
  var contentMode: ContentMode?
  /// Why no picture can have its size.
  var sizeRefusal: ImageError?
  var drawnFormats: Set<PixelFormat> = [.bgra, .bgrx, .bgr]
  /// The request for what only it can read.
  var resolving: (ImageRequest) -> ImageRequest = { $0 }
  /// Why it shows nothing.
  var refusal: ImageError?
  /// The slots that it does not have.
  var missingSlots: Set<ImageTarget.Slot> = []
  /// What it shows of its slots that have a picture; nil leaves it to the rules.
  var choice: (([ImageTarget.Slot]) -> [ImageTarget.Slot])?
  /// The shortest times between changes for which frames were requested, in milliseconds.
  private(set) var intervals: [Int] = []
  private(set) var changes: [ViewChange] = []

  init(_ clock: FakeLoop) {
    self.clock = clock
    slots.host = self
  }

  var loop: any ViewLoop { clock }

  func isInState(of slot: ImageTarget.Slot) -> Bool { states.contains(slot) }

  func follow(_ body: @escaping @MainActor (Int) -> Bool) -> (any FrameCallback)? {
    clock.follow(body)
  }

  func follow(
    every milliseconds: Int,
    _ body: @escaping @MainActor (Int) -> Bool
  ) -> (any FrameCallback)? {
    intervals.append(milliseconds)
    return clock.follow(body)
  }

  func seenSlots(of filled: [ImageTarget.Slot]) -> [ImageTarget.Slot]? { choice?(filled) }

  func redraw(after change: ViewChange) { changes.append(change) }

  func room(isLaidOut: Bool) -> (width: Int, height: Int)? { size }

  func prepare(_ slot: ImageTarget.Slot) -> ImageError? {
    missingSlots.contains(slot) ? .invalidRequest("no slot") : refusal
  }

  func resolve(_ request: ImageRequest) -> ImageRequest { resolving(request) }

  /// One of its slots.
  func target(_ slot: ImageTarget.Slot = .image) -> ImageTarget {
    ImageTarget(layer: slots.layer(for: slot))
  }

  /// What is drawn now, at the front.
  var moment: LayerContent.Moment? { slots.drawn.last?.content.moment(at: clock.time) }

  /// The colour that is seen in its middle, without a change that is under way.
  var color: Color? { moment?.picture?.picture.bitmap.middle }
}

/// A view of the program's that is visible at times.
@MainActor
final class FakeAttachedView: AttachedView {
  private(set) var isVisible = true
  private(set) var references = 0

  func retain() { references += 1 }

  func release() { references -= 1 }

  func setVisible(_ isVisible: Bool) { self.isVisible = isVisible }
}
