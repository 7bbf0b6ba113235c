import IkranFoundation
import Ikran
import IkranPlayback

/// One picture of a view: its source, how far it has come, and what is seen of it.
@MainActor
package final class PictureLayer {
  package let slot: ImageTarget.Slot
  private(set) weak var slots: ViewSlots?
  /// In the style that is loaded: where the view chooses it, that of its place.
  private(set) var source: LayerSource?
  /// Of the image that was requested last.
  private(set) var url: URL?
  private(set) var options = DisplayOptions()
  var state = ImageTarget.State.empty
  package var content = LayerContent()
  /// Plays an animated image.
  private(set) var player: SharedPlayer?

  /// Visible while no image is, and while one loads.
  private(set) var attached = AttachedViews()
  private var identity: LayerSource.Identity?
  private var load: LayerSource.Load?
  /// An image that may stand in for the one that loads.
  var standIn: (source: LayerSource, load: LayerSource.Load?)?
  /// The image that is shown or handed over, as it came; of an animated one the first frame.
  private(set) var shown: (image: Bitmap, animation: Animation?)?
  /// Counts the loads, also those that were cancelled: what an earlier one brings is ignored.
  private(set) var generation = 0
  package private(set) var scale = 1.0
  /// The source as it was given, where the view chooses its style.
  private(set) var automatic: AutomaticSource?
  /// Whether the options' closures are being called.
  var isNotifying = false
  /// The state when the transition has ended, where that is what the options want.
  var stateAfterTransition: ImageTarget.State?

  init(_ slot: ImageTarget.Slot, _ slots: ViewSlots) { (self.slot, self.slots) = (slot, slots) }

  /// Whether every image of its style has one size.
  private(set) var hasFixedSize = false

  /// Its size in points, also before the image is there if the style says it.
  var size: (width: Int, height: Int) { content.size }

  // MARK: - Source

  /// Shows an image from a source, or begins to load it.
  package func set(_ given: LayerSource, _ options: DisplayOptions) {
    guard let host else { return }
    let options = options.adopting(host.contentMode)
    let (refusal, source) = (host.prepare(slot), given.resolved(by: host))
    scale = source.ownScale ?? host.scale
    if automatic == nil, source.isAutomatic, !content.isEmpty { host.forgetRoom() }
    let automatic = sized(source, options.contentMode)?.keepingPlace(of: self.automatic)
    let chosen = automatic?.sized ?? source
    let identity = chosen.identity(scale)
    let isEqual = identity != nil && identity == self.identity || chosen.isSameOwn(as: self.source)
    let isSettled = automatic?.hasPlace != false || self.automatic?.hasPlace == false
    let isSame = isEqual && isLoadingOrLoaded && isSettled
    let (old, wasHandingOver) = (self.options, isHandingOver)
    self.options = options
    (self.source, self.automatic, url) = (chosen, automatic, given.url)
    if isSame, wasHandingOver == isHandingOver { return repeatImage(old) }
    self.identity = identity
    hasFixedSize = chosen.hasFixedSize(scale)
    stop()
    guard chosen.hasImage else { return showNoImage() }
    if let refusal { return fail(refusal) }
    if source.isAutomatic, let refusal = host.sizeRefusal { return showNothing(but: refusal) }
    lookUp(isNew: true)
  }

  /// Shows the placeholder of an image that cannot be loaded.
  private func showNothing(but error: ImageError) {
    leavePlayer()
    shown = nil
    showPlaceholder()
    fail(error)
  }

  /// Shows the placeholder of an avatar that has no image.
  private func showNoImage() {
    leavePlayer()
    shown = nil
    showPlaceholder()
    setState(.empty)
  }

  /// The image that is loading or shown was requested again.
  private func repeatImage(_ old: DisplayOptions) {
    guard let source, let slots else { return }
    load?.follow(source)
    if content.set(options) { slots.invalidate() }
    if content.isPlaceholder, !content.isStandIn, !options.hasPlaceholder(of: old) {
      showPlaceholder()
    }
    if isLoaded {
      guard let shown, source.isOwn || isCurrent(shown, of: source) else {
        // The caches have another image by now, or none that may be shown without asking.
        stop()
        return lookUp(isNew: false)
      }
      if options.playback != old.playback {
        _ = show(shown.image, shown.animation, withTransition: false)
      }
      // A closure that asks again has heard it.
      if !isNotifying { notify() }
    }
    if isMoving { slots.startFrames() }
  }

  /// Whether the caches still have what is shown, and it may be shown without asking.
  private func isCurrent(
    _ shown: (image: Bitmap, animation: Animation?),
    of source: LayerSource
  ) -> Bool {
    guard let found = source.shown(scale), found.isCurrent else { return false }
    return found.animation?.id == shown.animation?.id
      && found.image.sharesPixels(with: shown.image)
  }

  /// Ends the load; what is shown stays.
  func cancel() {
    guard isLoading else { return }
    stop()
    identity = nil
    setState(.empty)
    slots?.invalidate()
  }

  /// Ends the load and shows nothing.
  func clear() {
    if source == nil, content.isEmpty { return }
    let onChange = options.onChange
    empty()
    slots?.invalidate()
    onChange?(.empty)
  }

  /// The same, but tells no one.
  private func empty() {
    stop()
    (source, url, automatic, identity, hasFixedSize) = (nil, nil, nil, nil, false)
    // What its closures hold may hold the view.
    options = DisplayOptions()
    leavePlayer()
    shown = nil
    content = LayerContent()
    state = .empty
  }

  /// The view has ended.
  func end() {
    empty()
    attached.releaseAll()
  }

  /// Takes a view that is to be visible at times, in place of the last one for them.
  package func attach(_ view: (any AttachedView)?, while time: AttachedViews.Time) {
    attached.set(view, while: time)
    updateAttached()
  }

  private func stop() {
    generation &+= 1
    endLoads()
    stateAfterTransition = nil
  }

  private func endLoads() {
    load?.cancel()
    standIn?.load?.cancel()
    (load, standIn) = (nil, nil)
  }

  // MARK: - What the view tells

  /// The view has come on display or has left it.
  func displayDidChange() {
    guard let slots else { return }
    if slots.isOnDisplay {
      switch state {
      case .loading, .failed(.cancelled): lookUp(isNew: false)
      case .empty, .shown, .loaded, .failed: break
      }
      player?.add(self)
    } else {
      content.endTransition()
      endWait()
      // It begins again when the view is on display.
      stop()
      player?.remove(self)
    }
  }

  /// The view is on a monitor of another scale; what is shown stays until the new image is there.
  func scaleDidChange() {
    guard let host, let source, source.ownScale == nil, isLoadingOrLoaded, scale != host.scale
    else { return }
    scale = host.scale
    if let automatic { self.automatic = sized(automatic.source, options.contentMode) }
    reload()
  }

  /// The view has another size; what is shown stays until an image for that is there.
  func areaDidChange() {
    if needsPlace, let host {
      automatic?.findPlace(in: host)
      return takePlace()
    }
    guard let automatic, automatic.hasPlace, isLoadingOrLoaded,
      let new = sized(automatic.source, options.contentMode),
      !automatic.serves(new, isLoading && stateAfterTransition == nil ? nil : shown?.image.size)
    else { return }
    self.automatic = new
    reload()
  }

  private func sized(_ source: LayerSource, _ mode: ContentMode) -> AutomaticSource? {
    host.flatMap { AutomaticSource(source, in: $0, scale: scale, mode: mode) }
  }

  private func reload() {
    if let automatic { source = automatic.sized }
    identity = source?.identity(scale)
    stop()
    lookUp(isNew: false)
  }

  // MARK: - Loading

  /// Shows what the caches have, and begins a load where that is not all there is to do.
  private func lookUp(isNew: Bool) {
    let found = stored
    if isNew, found == nil || isHandingOver {
      leavePlayer()
      shown = nil
      showStandIn()
    } else if found == nil, content.isPlaceholder, !options.standIns.isEmpty {
      showStandIn()
    }
    if let found {
      let isForced = options.transition?.runsForCachedImages == true
      guard show(found.image, found.animation, withTransition: isForced) else { return }
      if found.isCurrent { return setState(.shown(found.source)) }
    }
    let generation = generation
    if isNew || !isLoading { setState(.loading(nil)) }
    // The closure may have cancelled it, or asked for another image.
    if generation == self.generation, isOnDisplay { wait() }
  }

  /// What memory or a table has, or the program; nothing before the view has a size to choose by.
  private var stored: ShownImage? { automatic?.hasPlace == false ? nil : source?.shown(scale) }

  func showPlaceholder() {
    guard let source else { return }
    let placeholder = options.placeholder ?? source.placeholder.map { .picture($0) }
    content.show(placeholder, source.style, scale: scale, options)
    slots?.invalidate()
  }

  private func wait() {
    if isMoving { slots?.startFrames() }
    if !needsPlace, let loop { loop.pendingLoads.add(self, generation, in: loop) }
  }

  /// Begins the load, if nothing else was requested since.
  func start(_ generation: Int) {
    guard generation == self.generation, isLoading, load == nil, isOnDisplay, let source, let host
    else { return }
    areaDidChange()
    if generation != self.generation { return }
    let (loop, formats) = (host.loop, host.drawnFormats)
    load = source.load(scale, as: formats) { [weak self] step in
      loop.post { self?.receive(step, generation) }
    }
    guard let other = standIn?.source else { return }
    standIn?.load = other.load(scale, as: formats) { [weak self] step in
      loop.post { if generation == self?.generation { self?.receiveStandIn(step) } }
    }
  }

  /// Whether it waits for the view's size, by which its style is chosen.
  var needsPlace: Bool { isLoading && automatic?.hasPlace == false }

  private func findPlace() {
    guard let host, needsPlace else { return }
    automatic?.findPlaceInNextFrame(in: host)
    takePlace()
  }

  /// Goes on with the place, if it was found.
  private func takePlace() { if automatic?.hasPlace == true { reload() } }

  private func receive(_ step: LayerSource.Step, _ generation: Int) {
    guard generation == self.generation else { return }
    switch step {
    case .progress(let progress):
      setState(.loading(progress))
      if options.indicator == .progress { slots?.invalidate() }
    case .picture(let picture, let source, let isLast):
      let isShown = show(
        picture.image,
        picture.animation,
        converted: picture.converted,
        withTransition: true
      )
      if isShown, isLast { finish(.shown(source)) }
    case .unchanged: finish(.shown(.memory))
    case .failed(let error): fail(error)
    }
  }

  private func finish(_ state: ImageTarget.State) {
    endLoads()
    setState(state)
  }

  private func fail(_ error: ImageError) {
    endLoads()
    if content.isPlaceholder, let failure = options.failure, let source {
      content.show(failure, source.style, scale: scale, options)
    }
    setState(.failed(error))
    slots?.invalidate()
  }

  // MARK: - Showing

  /// Shows an image, or keeps it until it is handed over; false when it cannot be drawn, and has
  /// failed.
  private func show(
    _ image: Bitmap,
    _ animation: Animation?,
    converted: Bitmap? = nil,
    withTransition: Bool
  ) -> Bool {
    guard let slots, let source else { return false }
    shown = (image, animation)
    if isHandingOver { return true }
    if let animation, let player, player.plays(animation, options.playback) {
      // Its frames go on.
    } else {
      leavePlayer()
      player = animation.map { PlayerCache.shared.player(of: $0, options.playback) }
      if slots.isOnDisplay { player?.add(self) }
    }
    let picture: DrawableBitmap
    if let playing = player?.picture {
      picture = playing
    } else {
      do { picture = try drawable(image, converted: converted) } catch {
        stop()
        fail(.style(.bitmap(error)))
        return false
      }
    }
    let own = source.style.isOriginal ? source.nominalScale : scale
    let perPoint = automatic?.pixelsPerPoint(of: image.size) ?? own
    content.show(picture, perPoint, options, withTransition: withTransition && slots.isOnDisplay)
    if let place = automatic?.place { content.limit(to: place) }
    slots.invalidate()
    if isMoving { slots.startFrames() }
    return true
  }

  /// The player shows another frame.
  func show(_ picture: DrawableBitmap) {
    content.replace(picture)
    slots?.invalidate()
  }

  /// The view whose frames a player may follow; nil while this layer cannot be seen.
  var playingHost: (any ViewHost)? { slots?.isSeen(self) == true ? host : nil }

  private func leavePlayer() {
    player?.remove(self)
    player = nil
  }

  // MARK: - Drawing

  /// Goes on to a moment, in microseconds, whether it is drawn or not.
  func advance(to time: Int) {
    content.advance(to: time)
    endWait()
    findPlace()
  }
}
