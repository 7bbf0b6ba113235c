import Ikran
import IkranViews

// Decision 45: one paintable for each widget.
/// The pictures of one widget, drawn one above the other.
///
/// The widget gets one paintable, with its first image, and never another. The layers, one for each
/// slot, decide what it draws. This object is attached to the widget as GObject data and ends with
/// it.
@MainActor
final class WidgetPictures: PaintableContent {
  let slots = ViewSlots()
  /// nil once the widget has ended.
  private(set) var widget: WidgetHandle?
  /// nil for a widget that shows no pictures.
  private(set) var target: WidgetKind?
  private var paintable: PaintableHandle?
  /// Whether the target has had the paintable.
  private var isInstalled = false
  /// The size that GTK knows, in points.
  private(set) var width = 0
  private(set) var height = 0
  private var isDrawnByCairo = false

  /// Whether the picture's style says how large it is.
  private var hasFixedSize = false
  /// Where it was drawn last, in points; nil before.
  private var area: (width: Int, height: Int)?
  /// Which sides the layout leaves to the picture.
  private var isOpen = (width: false, height: false)
  /// The longer side that the widget was given last, in points.
  private var givenSide = 0
  /// Whether the place is known only as a picture made it that is gone.
  private var isShapedByPicture = false

  /// Of the size that GTK knows, for widgets that ask for height by width.
  ///
  /// A picture of a fixed size has none: GTK makes those that have one small in a row without a
  /// size of its own.
  var aspect: Double {
    guard let widget, height > 0, !hasFixedSize, target?.isMeasuredByAspect(widget) == true else {
      return 0
    }
    return Double(width) / Double(height)
  }

  /// Whether the widget is on display.
  var isMapped: Bool {
    didSet {
      guard isMapped != oldValue else { return }
      if isMapped { isDrawnByCairo = widget?.isDrawnByCairo == true }
      slots.displayDidChange()
    }
  }

  /// Attaches itself to a widget that has no pictures yet.
  init(_ widget: WidgetHandle, _ target: WidgetKind?) {
    (self.widget, self.target) = (widget, target)
    isMapped = widget.isMapped
    isDrawnByCairo = isMapped && widget.isDrawnByCairo
    let paintable = PaintableHandle(self)
    self.paintable = paintable
    slots.host = self
    widget.attach(self)
  }

  /// Lets a closure show the pictures of a widget that shows none itself.
  func adopt(_ target: WidgetKind) { if self.target == nil { self.target = target } }

  /// The widget has ended; calling it again does nothing.
  func end() {
    widget = nil
    slots.end()
    paintable?.release()
    paintable = nil
  }

  /// Makes sure that the widget has the paintable: a program may have taken it away.
  ///
  /// Before the first image a widget keeps what it has.
  private func installPaintable(first: Bool = false) {
    guard let widget, let paintable, let target, first || isInstalled else { return }
    if isInstalled, target.isSetOnce { return }
    isInstalled = true
    target.set(target.hasFallback && slots.isEmpty ? nil : paintable.pointer, on: widget)
    // What a closure holds may hold the widget.
    if target.isSetOnce { self.target = .closure { _ in } }
  }

  private func resize() {
    let (size, hasFixedSize) = (slots.size, slots.hasFixedSize)
    guard size != (width, height) || hasFixedSize != self.hasFixedSize else { return }
    self.hasFixedSize = hasFixedSize
    if let widget, hasFixedSize {
      let side = max(size.width, size.height)
      target?.resize(widget, from: givenSide, to: side)
      givenSide = side
    }
    (width, height) = size
    paintable?.invalidateSize()
  }

  func draw(on snapshot: SnapshotHandle) {
    let time = widget?.frameTime ?? 0
    for layer in slots.drawn { layer.draw(on: snapshot, at: time, inCairo: isDrawnByCairo) }
  }
}

extension WidgetPictures: ViewHost {
  var loop: any ViewLoop { MainQueue.shared }
  var scale: Double { Double(widget?.scale ?? 1) }
  var isOnDisplay: Bool { isMapped }
  var isInSight: Bool { widget?.isInSight ?? false }
  var frameClock: Int? { widget?.frameClock?.id }

  func isInState(of slot: ImageTarget.Slot) -> Bool {
    guard let flag = slot.flag, let widget else { return false }
    return widget.flags & flag != 0
  }

  func follow(_ body: @escaping @MainActor (Int) -> Bool) -> (any FrameCallback)? {
    widget.map { TickCallback($0, body) }
  }

  func redraw(after change: ViewChange) {
    guard let paintable else { return }
    // It shows something of its own where there is no picture.
    if change == .picture, target?.hasFallback == true { installPaintable() }
    if change != .frame { resize() }
    paintable.invalidateContents()
  }

  func prepare(_ slot: ImageTarget.Slot) -> ImageError? {
    installPaintable(first: true)
    if case .control = slot { return .invalidRequest("a widget of GTK has no slot of a control") }
    guard let widget, target == nil else { return nil }
    return .invalidRequest("\(widget.typeName) shows no pictures; pass a closure that does")
  }

  func resolve(_ request: ImageRequest) -> ImageRequest { request.withResource }
}

extension WidgetPictures {
  /// Within what GTK's sizes can be.
  private static func points(_ side: Double) -> Int { Int(min(side, 1e6).rounded(.up)) }

  /// Notes the place; GTK tells of no other size than this.
  func place(width: Double, height: Double) {
    let new = (width: Self.points(width), height: Self.points(height))
    guard area ?? (0, 0) != new else { return }
    area = new
    // Nothing may change while a frame is drawn.
    MainLoop.post { [weak self] in self?.slots.sizeDidChange() }
  }

  /// The room for a picture, in points; 0 is a side that is as long as the picture makes it, and
  /// where both would be, there is the window's.
  ///
  /// - Parameter isLaidOut: Whether the window has laid out the widget as it is now: sides without
  ///   a length are left to pictures from then on.
  /// - Returns: nil while the widget has no size.
  func room(isLaidOut: Bool) -> (width: Int, height: Int)? {
    guard let widget else { return nil }
    if isShapedByPicture {
      guard isLaidOut else { return nil }
      (isShapedByPicture, area) = (false, nil)
    }
    let size = area ?? target?.room(in: widget) ?? widget.size
    let request = target?.sizeRequest(of: widget) ?? widget.sizeRequest
    let least = target?.emptySide ?? 0
    func side(_ length: Int, request: Int, isOpen: inout Bool) -> Int? {
      isOpen = request <= 0 && (isOpen || isLaidOut && length <= least)
      let side = max(length, request)
      return isOpen ? 0 : side > 0 && (request > 0 || side > least) ? side : nil
    }
    guard let width = side(size.width, request: request.width, isOpen: &isOpen.width),
      let height = side(size.height, request: request.height, isOpen: &isOpen.height)
    else { return nil }
    guard width == 0, height == 0 else { return (width, height) }
    return (widget.window?.size).flatMap { $0.width > 0 && $0.height > 0 ? $0 : nil }
  }

  /// Whether the widget has had a size.
  var isLaidOut: Bool { area != nil || (widget?.size.width ?? 0) > 0 }

  /// Whether the widget's window has a size.
  var isInSizedWindow: Bool { (widget?.window?.size.width ?? 0) > 0 }

  /// The next picture is as large as its place: where the one before, whose style had a size of its
  /// own, made that, it is looked up again once that one is gone.
  func forgetRoom() {
    guard let widget, let area else { return }
    let request = target?.sizeRequest(of: widget) ?? widget.sizeRequest
    isShapedByPicture =
      request.width <= 0 && area.width == width || request.height <= 0 && area.height == height
  }
}
