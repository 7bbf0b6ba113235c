import Ikran
import IkranGTK

/// One picture, large, and what is known of it.
@MainActor
final class DetailPage {
  let frame: DetailFrame
  let zoomArea: ZoomArea
  private var picture: Picture { zoomArea.picture }
  /// Above the area while a still picture is zoomed.
  let zoomed: ZoomedStill
  let layers: Overlay
  var side: DetailSide { frame.side }
  private let pipelines: Pipelines
  private var description: Task<Void, Never>?
  /// How many were begun and stopped: what comes from one before is late.
  private var descriptions = 0
  private var shown: (item: Item, mode: Mode)?
  /// The room for the picture, in points.
  private var area: PixelSize { frame.area }
  private var lasting = LastingSize()
  /// The size of the picture as it is shown, in pixels; nil until it is known.
  private(set) var size: PixelSize?
  /// By how many quarters of a turn the upright picture is shown turned clockwise.
  private var turns = 0
  /// Pixels of the screen for one of the picture; nil shows the whole picture.
  private(set) var factor: Double?
  /// The factor that is to be chosen once the size is known.
  private var wantedFactor: Double?
  /// The factor when a pinch began.
  private var pinched = 1.0
  private var isDescribing = false
  /// What the area shows, and whether that is being asked for once more.
  private var fitted: (request: ImageRequest, pipeline: ImagePipeline, options: DisplayOptions)?
  private var isAskingAgain = false
  /// What the file said last; nil before.
  private var facts: PictureFacts?
  private var failure: Bitmap?

  init(_ pipelines: Pipelines, step: @escaping @MainActor (Int) -> Void) {
    self.pipelines = pipelines
    let shared = Shared()
    zoomArea = ZoomArea { shared.page?.zoom($0, keeping: $1) }
    zoomed = ZoomedStill(above: zoomArea)
    layers = Overlay(zoomArea, above: zoomed.picture)
    layers.layout(expands: (true, true))
    frame = DetailFrame(layers, DetailSide(step: step)) { shared.page?.focusPicture() }
    zoomed.onChange = { shared.page?.follow(zoomed: $0) }
    // Those that do not move the zoomed picture.
    for (keys, count) in Self.stepKeys { layers.onRemainingKeys(keys) { step(count) } }
    shared.page = self
  }

  /// The keys that show other pictures, and how many places further these are.
  static let stepKeys = [
    ("Left", -1), ("Right", 1), ("Home", -Int.max / 2), ("End", Int.max / 2),
  ]

  /// Lets closures that are made before the page find it.
  @MainActor
  private final class Shared {
    weak var page: DetailPage?
  }

  /// Chooses what is shown where there is no picture.
  func setTheme(isDark: Bool) { failure = AppIcon.failure(isDark: isDark) }

  /// Loads an item's picture as large as there is room, and tells about it.
  ///
  /// - Parameters:
  ///   - item: What is shown.
  ///   - mode: Where it comes from.
  ///   - width: Of the page, in points.
  ///   - height: Of the page, in points.
  ///   - wanted: Pixels of the screen for one of the picture; nil shows the whole picture.
  func show(_ item: Item, _ mode: Mode, width: Int, height: Int, factor wanted: Double? = nil) {
    side.begin(item)
    for picture in [picture, zoomed.picture] { picture.accessibleLabel(item.name) }
    picture.imageTarget.clearImage()
    (shown, wantedFactor, turns) = ((item, mode), wanted, 0)
    forgetPicture()
    frame.set(width: width, height: height)
    load(placeholder: nil)
  }

  /// The page has this size: the picture is loaded as large as there is room once that lasts.
  func fit(width: Int, height: Int) {
    guard shown != nil else { return }
    frame.set(width: width, height: height)
    placeCheckers()
    // A zoomed picture needs no other pixels.
    guard factor == nil, lasting.see(area) else { return }
    let seen = area
    Timer.repeating(milliseconds: 150) { [weak self] in
      guard let self, lasting.lasts(seen) else { return false }
      load(placeholder: picture.imageTarget.image)
      return false
    }
  }

  /// Loads the file if it has changed.
  func loadAgain() { load(placeholder: picture.imageTarget.image) }

  // MARK: - Zoom

  /// Shows the picture larger or smaller, as soon as its size is known.
  ///
  /// - Parameters:
  ///   - point: What is there stays there, in points of the area; nil is its middle.
  ///   - change: Chooses the factor.
  func zoom(keeping point: ZoomArea.Point? = nil, _ change: (inout Zoom) -> Void) {
    guard shown != nil, let old = presentZoom else { return }
    var new = old
    change(&new)
    guard new != old else { return }
    if isAnimated {
      factor = new.factor
      // Other sizes are drawn from all pixels.
      if (old.factor == nil) != (new.factor == nil) {
        load(placeholder: picture.imageTarget.image)
      }
      zoomArea.show(new, insteadOf: old, keeping: point)
    } else if zoomed.isShown {
      zoomed.zoom(to: new.factor, keeping: point)
    } else {
      showZoomed(new, middle: new.middle(keeping: point))
      // Until that is there.
      fill(new.factor != nil)
      zoomArea.show(new, insteadOf: old, keeping: point)
    }
  }

  /// Does the same by a key: the picture that is zoomed has the keyboard, so that arrows move it.
  func zoomByKey(_ change: (inout Zoom) -> Void) {
    zoom(change)
    if factor != nil { focusPicture() }
  }

  /// Shows the whole picture turned clockwise by quarters of a turn, until another one is shown.
  func turn(by quarters: Int) {
    guard shown != nil else { return }
    turns = (turns + quarters + 4) % 4
    if !quarters.isMultiple(of: 2) { size = size?.transposed }
    factor = nil
    zoomed.clear()
    zoomArea.reset()
    zoomArea.showCheckers(nil)
    load(placeholder: nil)
  }

  private func zoom(_ change: ZoomArea.Change, keeping point: ZoomArea.Point?) {
    switch change {
    case .steps(let steps): zoom(keeping: point) { $0.step(steps) }
    case .toggle: zoom(keeping: point) { $0.toggle() }
    case .pinchBegan: pinched = presentZoom?.current ?? 1
    case .pinched(let factor): zoom(keeping: point) { $0.set(pinched * factor) }
    }
  }

  /// How large the picture is shown; nil until its size is known.
  private var presentZoom: Zoom? {
    size.map { Zoom(picture: $0, room: area, scale: Double(picture.scale), factor: factor) }
  }

  private var isAnimated: Bool { facts?.info?.isAnimated == true }

  /// Shows a still picture at a factor, or as a whole.
  private func showZoomed(_ zoom: Zoom, middle: (x: Double, y: Double), isNew: Bool = false) {
    guard let (item, mode) = shown else { return }
    factor = zoom.factor
    guard let factor else {
      zoomed.clear()
      return placeCheckers()
    }
    let place = ZoomedStill.Place(factor: factor, middle: middle)
    if zoomed.isLoading, !isNew { return zoomed.aim(at: place) }
    let request = ImageRequest(location: item.location, style: .original, priority: .high)
    zoomed.show(request, from: pipelines[mode], turnedBy: turns, at: place)
    placeCheckers()
  }

  private func follow(zoomed error: ImageError?) {
    factor = zoomed.factor
    if let error { side.set(error: "\(error)") }
    zoomArea.reset()
    if factor == nil { fill(false) }
    placeCheckers()
  }

  /// Enlarges the fitted picture to all of its widget, or shows no pixel of it enlarged.
  private func fill(_ fills: Bool) {
    let mode = fills ? ContentMode.contain : .scaleDown
    guard !isAnimated, fitted?.options.contentMode != mode else { return }
    fitted?.options.contentMode = mode
    guard let (request, pipeline, options) = fitted else { return }
    isAskingAgain = true
    defer { isAskingAgain = false }
    picture.imageTarget.setImage(request, from: pipeline, options: options)
  }

  /// Whether the keys that show other pictures move this one.
  var takesStepKeys: Bool {
    zoomed.picture.hasFocus || factor != nil && zoomArea.hasFocus
  }

  /// Shows squares where the picture is, if one sees through it.
  private func placeCheckers() {
    guard facts?.info?.hasAlpha == true, picture.width > 0 else {
      return zoomArea.showCheckers(nil)
    }
    if let size = zoomed.drawnSize { return zoomArea.showCheckers(size) }
    guard let pixels = picture.imageTarget.image?.size else { return zoomArea.showCheckers(nil) }
    let scale = Double(picture.scale)
    zoomArea.showCheckers(
      Zoom.drawn(
        (Double(pixels.width) / scale, Double(pixels.height) / scale),
        in: (picture.width, picture.height),
        fills: factor != nil
      )
    )
  }

  // MARK: - Loading

  private func load(placeholder: Bitmap?) {
    guard let (item, mode) = shown else { return }
    lasting.load(area)
    let room = turned(area)
    let fit = Style.fit(
      width: Double(room.width),
      height: Double(room.height),
      enlarges: false
    )
    let style = isAnimated && factor != nil ? .original : fit
    var request = ImageRequest(location: item.location, style: style, priority: .high)
    if turns != 0 { request.filters = [.rotate(degrees: Double(turns * 90))] }
    let pipeline = pipelines[mode]
    side.set(error: nil)
    stopDescribing()
    isDescribing = true
    pipelines.counts.watch(item.location)
    var options = DisplayOptions(
      placeholder: placeholder.map { .picture($0) },
      failure: failure.map { .picture($0) },
      indicator: .progress,
      transition: placeholder == nil ? .fade(.milliseconds(150)) : nil,
      contentMode: style == fit && !zoomed.isLoading ? .scaleDown : .contain,
      onChange: { [weak self] in self?.follow($0, request, pipeline) }
    )
    options.transition?.runsForCachedImages = true
    fitted = (request, pipeline, options)
    picture.imageTarget.setImage(request, from: pipeline, options: options)
  }

  private func follow(
    _ state: ImageTarget.State,
    _ request: ImageRequest,
    _ pipeline: ImagePipeline
  ) {
    if isAskingAgain { return }
    switch state {
    case .empty, .loading: break
    case .failed(let error):
      forget()
      side.set(error: "\(error)")
    case .shown(let source), .loaded(let source):
      side.set(.source, source.rawValue)
      side.set(pipelines.counts.snapshot.watched?.metrics ?? RequestMetrics())
      stopDescribing()
      let number = descriptions
      let path = shown?.item.path
      description = Task { @concurrent [weak self] in
        // What is written from now on is told of.
        let file = path.flatMap { FileFacts(path: $0) }
        let facts = (try? await pipeline.data(for: request)).map { PictureFacts($0, file) }
        MainLoop.post { [weak self] in
          if let self, descriptions == number { describe(facts) }
        }
      }
    }
  }

  /// The file has no picture any more: nothing of an earlier one is left.
  private func forget() {
    stopDescribing()
    isDescribing = false
    forgetPicture()
    side.forget()
  }

  private func forgetPicture() {
    (facts, size, factor) = (nil, nil, nil)
    zoomed.clear()
    zoomArea.reset()
    placeCheckers()
  }

  private func stopDescribing() {
    description?.cancel()
    descriptions += 1
  }

  /// Takes the keyboard.
  func focus() { if frame.isSideShown { side.focus() } else { focusPicture() } }

  /// Gives the picture the keyboard.
  func focusPicture() {
    if zoomed.isShown { zoomed.picture.focus() } else { zoomArea.focus() }
  }

  /// Whether the picture has the keyboard.
  var hasPictureFocus: Bool { zoomed.picture.hasFocus || zoomArea.hasFocus }

  /// Whether the picture is shown, or why there is none.
  var isShown: Bool {
    switch picture.imageTarget.state {
    case .shown, .loaded, .failed: true
    case .empty, .loading: false
    }
  }

  /// Whether the picture is shown, or why there is none, and what is known of it.
  var isSettled: Bool {
    isShown && !isDescribing && lasting.awaited == nil && zoomed.isSettled
  }

  /// Shows nothing any more.
  func leave() {
    (shown, fitted) = (nil, nil)
    lasting.cancel()
    stopDescribing()
    picture.imageTarget.clearImage()
    zoomed.clear()
    factor = nil
  }

  /// Tells about the file.
  private func describe(_ facts: PictureFacts?) {
    isDescribing = false
    side.set(camera: facts?.camera)
    guard let facts, let info = facts.info else { return }
    side.set(.format, info.format.rawValue.uppercased() + (info.hasAlpha ? ", with alpha" : ""))
    let upright = info.uprightSize
    side.set(.size, "\(upright.width) × \(upright.height)")
    side.set(.frames, NumberText.count(info.frames))
    side.set(.file, NumberText.bytes(facts.byteCount))
    let old = self.facts
    self.facts = facts
    if facts != old { change(to: turned(upright), wasAnimated: old?.info?.isAnimated == true) }
    placeCheckers()
    guard let wanted = wantedFactor else { return }
    wantedFactor = nil
    zoom { $0.set(wanted) }
  }

  /// The file has another picture than before, of this size: the factor stays, unless only one of
  /// them moves.
  private func change(to upright: PixelSize, wasAnimated: Bool) {
    defer { size = upright }
    guard let old = presentZoom, let factor = old.factor else { return }
    var new = Zoom(picture: upright, room: area, scale: old.scale, factor: nil)
    if wasAnimated == isAnimated { new.set(factor) }
    if !isAnimated, !wasAnimated {
      // What is in the middle stays there.
      let seen = seenMiddle(of: old.picture)
      let across = Double(upright.width) / Double(old.picture.width)
      let down = Double(upright.height) / Double(old.picture.height)
      return showZoomed(new, middle: (seen.x * across, seen.y * down), isNew: true)
    }
    self.factor = new.factor
    zoomed.clear()
    if new.factor == nil { load(placeholder: picture.imageTarget.image) }
    zoomArea.show(new, insteadOf: old, keeping: nil)
  }

  /// A size once the picture is turned, either way.
  private func turned(_ size: PixelSize) -> PixelSize {
    turns.isMultiple(of: 2) ? size : size.transposed
  }

  /// The pixel of a zoomed still picture that is in the middle of what is seen.
  private func seenMiddle(of size: PixelSize) -> (x: Double, y: Double) {
    let seen = zoomed.visibleRegion
    let region = seen ?? PixelRectangle(x: 0, y: 0, width: size.width, height: size.height)
    return (
      x: Double(region.x) + Double(region.size.width) / 2,
      y: Double(region.y) + Double(region.size.height) / 2
    )
  }
}
