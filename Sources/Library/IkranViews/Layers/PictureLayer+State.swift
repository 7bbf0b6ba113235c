import Ikran

// How far the image has come, and who hears of it.

extension PictureLayer {
  /// What shows it; nil once the view has ended.
  package var host: (any ViewHost)? { slots?.host }

  var loop: (any ViewLoop)? { host?.loop }

  var isOnDisplay: Bool { slots?.isOnDisplay == true }

  /// Whether the view is where it can be seen.
  package var isInSight: Bool { host?.isInSight ?? false }

  /// Whether the load of an image was cancelled; what stood for it stays.
  package var isCancelled: Bool {
    if case .empty = state { source?.hasImage == true } else { false }
  }

  /// A picture that the host draws; views of the same pixels have the same one.
  func drawable(
    _ image: Bitmap,
    converted: Bitmap? = nil
  ) throws(BitmapError) -> DrawableBitmap {
    let formats = host?.drawnFormats ?? DrawableBitmap.formats
    return try DrawableCache.shared.picture(of: image, converted: converted, as: formats)
  }

  /// Whether the image is on its way.
  var isLoading: Bool { if case .loading = state { true } else { false } }

  /// Whether the image is there.
  var isLoaded: Bool {
    switch state {
    case .shown, .loaded: true
    case .empty, .loading, .failed: false
    }
  }

  /// Whether what was requested is there or on its way.
  var isLoadingOrLoaded: Bool { isLoading || isLoaded }

  /// Whether the program takes the image, and the view does not show it.
  var isHandingOver: Bool { options.onImage != nil && source?.isOwn == false }

  /// Sets the state that waits for the end of a transition, if that has ended.
  func endWait() {
    guard let state = stateAfterTransition, !content.isTransitioning else { return }
    stateAfterTransition = nil
    setState(state)
  }

  func setState(_ state: ImageTarget.State) {
    if case .empty = self.state, case .empty = state { return }
    let waits = options.transition?.endsBeforeShown == true && !isHandingOver
    if case .shown = state, waits, content.isTransitioning { return stateAfterTransition = state }
    self.state = state
    if case .shown(let source) = state, isHandingOver { self.state = .loaded(source) }
    updateAttached()
    notify()
  }

  /// Calls the options' closures.
  func notify() {
    let (wasNotifying, generation) = (isNotifying, generation)
    isNotifying = true
    defer { isNotifying = wasNotifying }
    options.onChange?(state)
    // The first closure may have requested another image.
    guard generation == self.generation, case .loaded = state, let shown else { return }
    options.onImage?(shown.image, shown.animation)
  }

  /// Shows or hides the views that stand for the image.
  func updateAttached() {
    attached.show(
      placeholder: content.isPlaceholder && !content.isStandIn,
      indicator: isLoading && content.isPlaceholder,
      progress: progress
    )
  }

  /// The part of the image's bytes that are here, from 0 to 1; nil where their number is not known.
  var progress: Double? {
    guard case .loading(let progress?) = state, let all = progress.expected, all > 0 else {
      return nil
    }
    return min(Double(progress.received) / Double(all), 1)
  }
}
