/// The slots of one view: a layer for each that has had a picture.
///
/// The host makes it, keeps it and reports to it. The layers decide what is drawn.
@MainActor
package final class ViewSlots {
  /// Set once by the host; nil once the view has ended.
  package weak var host: (any ViewHost)?
  package private(set) var layers: [PictureLayer] = []
  private var frames: (any FrameCallback)?
  /// The slots that had a picture, and the layers that were drawn, when it was last looked: a frame
  /// asks for both, which have seldom changed.
  private var (lastFilled, lastDrawn): ([ImageTarget.Slot], [PictureLayer]) = ([], [])

  package init() {}

  /// The layer of a slot, made the first time.
  package func layer(for slot: ImageTarget.Slot) -> PictureLayer {
    if let layer = layers.first(where: { $0.slot == slot }) { return layer }
    let layer = PictureLayer(slot, self)
    layers.append(layer)
    return layer
  }

  // MARK: - What the host tells

  /// The view has come on display or has left it.
  package func displayDidChange() {
    // It may have come into a window on another monitor.
    if isOnDisplay { scaleDidChange() }
    for layer in layers { layer.displayDidChange() }
    if !isOnDisplay { stopFrames() }
  }

  /// The view has moved to a monitor of another scale.
  package func scaleDidChange() {
    for layer in layers { layer.scaleDidChange() }
  }

  /// The view has another size; not to be called while it is drawn.
  package func sizeDidChange() {
    for layer in layers { layer.areaDidChange() }
  }

  /// The view has gone from one window straight into another, whose frames it follows from now on.
  package func frameClockDidChange() {
    stopFrames()
    if layers.contains(where: \.isMoving) { startFrames() }
    for layer in layers { layer.player?.startFrames() }
  }

  /// The view is hovered, pressed and so on, or no longer.
  package func statesDidChange() {
    guard layers.contains(where: { $0.slot != .image && $0.slot != .background }) else { return }
    host?.redraw(after: .state)
    for layer in layers { layer.player?.startFrames() }
  }

  /// The view has ended; calling it again does nothing.
  package func end() {
    host = nil
    stopFrames()
    for layer in layers { layer.end() }
  }

  // MARK: - What the host draws

  /// What is drawn, from back to front.
  package var drawn: [PictureLayer] {
    if let seen { return seen.compactMap { slot in layers.first { $0.slot == slot } } }
    let (below, above) = (background, top)
    let count = (below == nil ? 0 : 1) + (above == nil ? 0 : 1)
    let isSame =
      lastDrawn.count == count && (below == nil || lastDrawn.first === below)
      && (above == nil || lastDrawn.last === above)
    if !isSame { lastDrawn = [below, above].compactMap(\.self) }
    return lastDrawn
  }

  /// Whether a layer is drawn.
  private func isDrawn(_ layer: PictureLayer) -> Bool {
    if let seen { return seen.contains(layer.slot) }
    return layer === background || layer === top
  }

  /// Those of the filled slots that the host says are seen; nil where the rules for states choose.
  private var seen: [ImageTarget.Slot]? {
    guard let host else { return nil }
    let filled = filledSlots
    return host.seenSlots(of: filled)?.filter { filled.contains($0) }
  }

  private var filledSlots: [ImageTarget.Slot] {
    let filled = layers.lazy.filter { !$0.isEmpty }.map(\.slot)
    if !filled.elementsEqual(lastFilled) { lastFilled = Array(filled) }
    return lastFilled
  }

  /// Whether nothing is seen of any slot.
  package var isEmpty: Bool { !layers.contains { !$0.isEmpty } }

  /// The size of the picture in points; zero where it has none.
  package var size: (width: Int, height: Int) { (top ?? background)?.size ?? (0, 0) }

  /// Whether the style of the picture says how large it is.
  package var hasFixedSize: Bool { (top ?? background)?.hasFixedSize == true }

  private var background: PictureLayer? { layers.first { $0.slot == .background } }

  /// The layer for the view's state.
  private var top: PictureLayer? {
    if layers.count == 1, layers[0].slot == .image { return layers[0] }
    for slot in ImageTarget.Slot.byPrecedence where slot == .image || isInState(of: slot) {
      if let layer = layers.first(where: { $0.slot == slot }), slot == .image || !layer.isEmpty {
        return layer
      }
    }
    return nil
  }

  private func isInState(of slot: ImageTarget.Slot) -> Bool { host?.isInState(of: slot) == true }

  // MARK: - What the layers tell

  var isOnDisplay: Bool { host?.isOnDisplay == true }

  /// Whether a layer can be seen now.
  func isSeen(_ layer: PictureLayer) -> Bool {
    isOnDisplay && isDrawn(layer) && host?.isInSight == true
  }

  /// A layer looks different.
  func invalidate() {
    for layer in layers { layer.updateAttached() }
    host?.redraw(after: .picture)
  }

  /// A layer changes with time: frames are drawn until none does.
  func startFrames() {
    guard frames == nil, isOnDisplay else { return }
    frames = host?.follow { [weak self] time in self?.frameBegins(at: time) ?? false }
  }

  private func frameBegins(at time: Int) -> Bool {
    for layer in layers { layer.advance(to: time) }
    host?.redraw(after: .frame)
    if layers.contains(where: \.isMoving) { return true }
    frames = nil
    return false
  }

  private func stopFrames() {
    frames?.cancel()
    frames = nil
  }
}

extension ImageTarget.Slot {
  /// The slots above the background; the first that applies and has a picture is shown.
  fileprivate static let byPrecedence: [Self] = [
    .disabled, .pressed, .checked, .selected, .hovered, .focused, .image,
  ]
}
