import Ikran

extension PictureLayer {
  /// Whether an indicator of its own is drawn.
  var showsIndicator: Bool {
    guard case .loading = state else { return false }
    return options.indicator != nil && content.isPlaceholder
  }

  /// Whether it changes from frame to frame by itself, or waits for one.
  var isMoving: Bool { content.isTransitioning || showsIndicator || needsPlace }

  func draw(on snapshot: SnapshotHandle, at time: Int) {
    let inCairo = pictures?.isDrawnByCairo == true
    content.draw(on: snapshot, at: time, inCairo: inCairo)
    guard showsIndicator else { return }
    if options.indicator == .progress, case .loading(let progress?) = state,
      let all = progress.expected, all > 0
    {
      snapshot.drawRing(from: 0, length: min(Double(progress.received) / Double(all), 1))
    } else {
      // A turn a second.
      snapshot.drawRing(from: Double(time % 1_000_000) / 1_000_000, length: 0.25)
    }
  }
}
