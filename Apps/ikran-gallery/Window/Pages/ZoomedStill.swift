import Ikran
import IkranGTK

/// A still picture that is zoomed, above the one that is fitted to its room: pixels are decoded as
/// they come to be seen.
@MainActor
final class ZoomedStill {
  /// What of a picture is seen.
  struct Place {
    /// Pixels of the screen for one of the picture.
    var factor: Double
    /// The pixel of the picture in the middle.
    var middle: (x: Double, y: Double)
  }

  let picture = Picture()
  private let view: ZoomView
  /// Where the fitted picture is.
  private let area: ZoomArea
  /// By how many quarters of a turn it is shown turned.
  private var turns = 0
  /// Where it is shown first, while it loads.
  private var awaited: Place?
  /// Called when the factor or what is seen has changed, and when it has ended, maybe by an error.
  var onChange: (@MainActor (ImageError?) -> Void)?

  /// Makes one that shows nothing.
  init(above area: ZoomArea) {
    self.area = area
    view = ZoomView(picture.raw)
    clear()
  }

  /// Shows a picture once it is decoded; until then it takes no part in anything.
  func show(
    _ request: ImageRequest,
    from pipeline: ImagePipeline,
    turnedBy turns: Int,
    at place: Place
  ) {
    clear()
    (awaited, self.turns) = (place, turns)
    // What has a size when it is decoded shows the right part at once.
    picture.setVisible(true)
    var options = ZoomOptions(
      rules: DecodeRules(acceptsCutFiles: true),
      factor: place.factor,
      onChange: { [weak self] _ in self?.follow() }
    )
    options.quarterTurns = turns
    view.show(request, from: pipeline, options: options)
  }

  /// Shows another part of the picture that loads, at first.
  func aim(at place: Place) { if isLoading { awaited = place } }

  /// Chooses the factor of the picture that is shown; nil ends it.
  func zoom(to factor: Double?, keeping point: ZoomArea.Point?) {
    if let point { view.zoom(to: factor, at: point) } else { view.factor = factor }
  }

  /// Shows nothing any more, so that the fitted picture is seen.
  func clear() {
    awaited = nil
    view.clear()
    area.picture.setOpacity(1)
    if picture.hasFocus { area.focus() }
    picture.setTakesMouse(false)
    picture.setVisible(false)
  }

  private func uncover() {
    // It would be seen through the zoomed one.
    area.picture.setOpacity(0)
    picture.setTakesMouse(true)
    if area.hasFocus { picture.focus() }
  }

  private func follow() {
    switch view.state {
    case .empty, .loading: return
    case .failed(let error):
      clear()
      onChange?(error)
    case .shown:
      if let place = awaited {
        // What stands there so far may have been moved.
        let middle = seenMiddle ?? place.middle
        // These changes are followed, too.
        awaited = nil
        uncover()
        view.factor = place.factor
        view.center(x: middle.x, y: middle.y)
      }
      if factor == nil { clear() }
      onChange?(nil)
    }
  }

  /// The pixel in the middle of the enlarged picture below; nil where that is not enlarged.
  private var seenMiddle: (x: Double, y: Double)? {
    guard let part = area.seenMiddle, let size else { return nil }
    return (part.x * Double(size.width), part.y * Double(size.height))
  }

  // MARK: - State

  /// Whether a picture was asked for and is not there yet.
  var isLoading: Bool { awaited != nil }

  /// Whether a picture is there.
  var isShown: Bool { if case .shown = view.state { !isLoading } else { false } }

  /// Whether all that is seen is as sharp as it becomes, or nothing is to be shown.
  var isSettled: Bool { isShown ? view.isSharp : !isLoading }

  /// Pixels of the screen for one of the picture; nil where it is not shown.
  var factor: Double? { isShown ? view.factor : nil }

  /// The pixels of which something is seen; nil where it is not shown.
  var visibleRegion: PixelRectangle? { isShown ? view.visibleRegion : nil }

  /// What the decoded pixels take, in bytes.
  var memoryBytes: Int { view.memoryBytes }

  /// Of the picture as it is turned, in pixels.
  private var size: PixelSize? {
    guard case .shown(let info) = view.state else { return nil }
    return turns.isMultiple(of: 2) ? info.uprightSize : info.uprightSize.transposed
  }

  /// The size of what is seen, in points; nil where it is not shown.
  var drawnSize: (width: Int, height: Int)? {
    guard isShown, let size else { return nil }
    let scale = Double(picture.scale)
    func drawn(_ length: Int, _ room: Int) -> Int {
      let pixels = (Double(length) * view.currentFactor).rounded()
      return min(room, Int((pixels / scale).rounded(.up)))
    }
    return (drawn(size.width, picture.width), drawn(size.height, picture.height))
  }
}
