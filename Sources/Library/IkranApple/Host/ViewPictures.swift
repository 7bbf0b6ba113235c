import Ikran
import IkranPlayback
import IkranViews

/// The pictures of one view: what keeps the rules of views there.
///
/// It hangs on the view as an associated object and ends with it.
@MainActor
final class ViewPictures {
  private static let key = AssociationKey()

  /// How often a layer without a size is asked for it, in milliseconds.
  private static let (sizeWait, frameTime) = (100, 16)

  let slots = ViewSlots()
  let view: any PictureView
  /// What each slot that was set shows; nil for nothing.
  private var shown: [ImageTarget.Slot: ShownPicture?] = [:]
  private var changes: [ImageTarget.Slot: Change] = [:]
  /// The slots that show a ring.
  private var ringed: Set<ImageTarget.Slot> = []
  /// Whether the view was on display when it last told of its window.
  private var isOnDisplayNow = false
  /// What drew its frames then.
  private var lastClock: Int?

  /// Whether what told of the view was put into it again since an image was set last.
  private var hasObserverAgain = false

  /// A transition, and what it leads to.
  private struct Change {
    let picture: DrawableBitmap?
    let running: any RunningTransition
  }

  private init(_ view: any PictureView) {
    self.view = view
    isOnDisplayNow = view.isOnDisplay
    lastClock = view.clock?.id
    slots.host = self
  }

  deinit {
    let slots = slots
    // The last reference to a view may end on any thread.
    MainRunLoop.shared.post { slots.end() }
  }

  /// The pictures of an object; nil where it has none.
  static func of(_ object: AnyObject) -> ViewPictures? {
    key.value(of: object) as? ViewPictures
  }

  /// The pictures of an object, made the first time.
  static func of(_ object: AnyObject, _ make: () -> any PictureView) -> ViewPictures {
    if let pictures = of(object) { return pictures }
    let pictures = ViewPictures(make())
    key.set(pictures, on: object)
    return pictures
  }

  /// One of the view's slots.
  func target(_ slot: ImageTarget.Slot) -> ImageTarget {
    ImageTarget(layer: slots.layer(for: slot))
  }

  // MARK: - What the view tells

  /// The view may have come into a window or left it.
  func windowDidChange() {
    let (old, new) = (lastClock, view.clock?.id)
    lastClock = new
    guard view.isOnDisplay == isOnDisplayNow else {
      isOnDisplayNow = view.isOnDisplay
      return slots.displayDidChange()
    }
    slots.scaleDidChange()
    if old != new { slots.frameClockDidChange() }
  }

  /// The view has been laid out.
  func layoutDidChange() {
    slots.scaleDidChange()
    slots.sizeDidChange()
  }

  /// What told of the view was taken out of it; it is put there again, unless the view ends.
  ///
  /// This is done once for each image: a program may remove all subviews with each layout.
  func observerWasRemoved() {
    guard !hasObserverAgain else { return }
    hasObserverAgain = true
    MainRunLoop.shared.post { [weak self] in
      guard let self, let object = self.view.object else { return }
      Screen.observe(object, for: self)
      self.windowDidChange()
      self.slots.sizeDidChange()
    }
  }

  // MARK: - Showing

  /// Shows what a slot has now; what it shows already is not set again.
  private func update(_ layer: PictureLayer) {
    let slot = layer.slot
    guard let old = shown[slot] else { return }
    let moment = layer.content.moment(at: MainRunLoop.now)
    var drawn = moment.picture
    if let change = moment.change {
      let running = transition(change, to: moment.picture, of: layer)
      if running?.showsOld(at: change.progress) == true { drawn = change.from }
    } else {
      changes.removeValue(forKey: slot)?.running.end()
    }
    let new = drawn.flatMap { ShownPicture($0, of: layer) }
    showRing(of: layer)
    if let old, let new, old.isSame(as: new) { return }
    if old == nil, new == nil { return }
    shown[slot] = new
    view.show(new, in: slot)
  }

  private func transition(
    _ change: (from: LayerContent.Drawn?, transition: Transition, progress: Double),
    to picture: LayerContent.Drawn?,
    of layer: PictureLayer
  ) -> (any RunningTransition)? {
    let slot = layer.slot
    if let old = changes[slot], old.picture === picture?.picture { return old.running }
    changes.removeValue(forKey: slot)?.running.end()
    guard let place = stage(of: layer) else { return nil }
    let new = picture.flatMap { ShownPicture($0, of: layer) }
    let running = place.begin(change, to: new, reducesMotion: view.reducesMotion)
    changes[slot] = Change(picture: picture?.picture, running: running)
    return running
  }

  /// Where a slot's transitions are seen; nil while the slot is not.
  private func stage(of layer: PictureLayer) -> (any PictureStage)? {
    slots.drawn.contains { $0 === layer } ? view.stage(of: layer.slot) : nil
  }

  private func showRing(of layer: PictureLayer) {
    let ring = layer.indicator(at: MainRunLoop.now)
    guard ring != nil || ringed.contains(layer.slot) else { return }
    if ring == nil { ringed.remove(layer.slot) } else { ringed.insert(layer.slot) }
    view.stage(of: layer.slot)?.showRing(ring)
  }
}

extension ViewPictures: ViewHost {
  var loop: any ViewLoop { MainRunLoop.shared }
  var scale: Double { view.scale }
  var isOnDisplay: Bool { view.isOnDisplay }
  var isInSight: Bool { view.isInSight }
  var frameClock: Int? { view.clock?.id }
  var isInSizedWindow: Bool { view.windowSize != nil }
  var sizeRefusal: ImageError? { view.sizeRefusal }
  var contentMode: ContentMode? { view.contentMode }
  var drawnFormats: Set<PixelFormat> { CoreGraphicsLayout.formats }

  func seenSlots(of filled: [ImageTarget.Slot]) -> [ImageTarget.Slot]? {
    view.seenSlots(of: filled)
  }

  func follow(_ body: @escaping @MainActor (Int) -> Bool) -> (any FrameCallback)? {
    follow(every: 0, body)
  }

  func follow(
    every milliseconds: Int,
    _ body: @escaping @MainActor (Int) -> Bool
  ) -> (any FrameCallback)? {
    // A layer does not tell of its size, and may have none for long.
    let waitsForSize = view.sizeRefusal == nil && view.windowSize == nil
    if waitsForSize, view.size.width <= 0 || view.size.height <= 0 {
      let view = view
      return TimedFrames(
        every: { view.size.width > 0 && view.size.height > 0 ? Self.frameTime : Self.sizeWait },
        body
      )
    }
    return view.clock?.follow(every: milliseconds, body) ?? TimedFrames(body)
  }

  func redraw(after change: ViewChange) {
    // A view of Apple's shows the image of its state by itself.
    guard change != .state else { return }
    for layer in slots.layers { update(layer) }
  }

  func room(isLaidOut: Bool) -> (width: Int, height: Int)? {
    ViewRoom.points(view.size, in: view.windowSize, isLaidOut: isLaidOut)
  }

  func prepare(_ slot: ImageTarget.Slot) -> ImageError? {
    hasObserverAgain = false
    if let refusal = view.refusal(of: slot) { return refusal }
    guard let old = shown[slot] else {
      shown.updateValue(nil, forKey: slot)
      return nil
    }
    if let old, !view.isShowing(old, in: slot) { view.show(old, in: slot) }
    return nil
  }
}
