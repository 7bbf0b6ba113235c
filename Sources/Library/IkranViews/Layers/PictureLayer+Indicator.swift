import Ikran

extension PictureLayer {
  /// Whether nothing is seen of it.
  var isEmpty: Bool { content.isEmpty && !showsIndicator }

  /// Whether an indicator of its own is drawn.
  private var showsIndicator: Bool {
    guard case .loading = state else { return false }
    return options.indicator != nil && content.isPlaceholder
  }

  /// Whether it changes from frame to frame by itself, or waits for one.
  package var isMoving: Bool { content.isTransitioning || showsIndicator || needsPlace }

  /// The part of a ring that shows that the image is on its way; nil where none is drawn.
  ///
  /// - Parameter time: In microseconds.
  /// - Returns: Where it begins and how long it is, in turns clockwise from the top.
  package func indicator(at time: Int) -> (start: Double, length: Double)? {
    guard showsIndicator else { return nil }
    if options.indicator == .progress, let progress { return (0, progress) }
    // A turn a second.
    return (Double(time % 1_000_000) / 1_000_000, 0.25)
  }
}
