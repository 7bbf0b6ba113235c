import Ikran
import IkranGTK

/// One picture, large, and what is known of it.
@MainActor
final class DetailPage {
  let box: Overlay
  let zoomArea: ZoomArea
  private var picture: Picture { zoomArea.picture }
  let side: DetailSide
  /// What keeps the room below the side, as long as there is any.
  private let sidePlace: Scroller
  private var sideRoom = SideRoom(pageWidth: SideRoom.narrowest)
  private let pipelines: Pipelines
  private var description: Task<Void, Never>?
  /// How many were begun and stopped: what comes from one before is late.
  private var descriptions = 0
  private var shown: (item: Item, mode: Mode)?
  /// The room for the picture, in points.
  private var area = PixelSize(width: 64, height: 64)
  private var lasting = LastingSize()
  /// The upright picture's size in pixels; nil until it is known.
  private var size: PixelSize?
  /// Pixels of the screen for one of the picture; nil shows the whole picture.
  private(set) var factor: Double?
  /// The factor that is to be chosen once the size is known.
  private var wantedFactor: Double?
  private var isDescribing = false
  private var hasAlpha = false
  private var failure: Bitmap?

  init(_ pipelines: Pipelines, step: @escaping @MainActor (Int) -> Void) {
    self.pipelines = pipelines
    let shared = Shared()
    zoomArea = ZoomArea { steps in
      shared.page?.zoom(atMouse: true) { $0.step(steps) }
    } toggle: {
      shared.page?.zoom(atMouse: true) { $0.toggle() }
    }
    zoomArea.layout(expands: (true, true))
    side = DetailSide(step: step)
    sidePlace = Scroller(Box.row().sizeRequest(width: DetailSide.width), across: .cut, down: .none)
    box = Overlay(Box.row(zoomArea, sidePlace), right: side.panel)
    placeSide()
    shared.page = self
  }

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
    picture.accessibleLabel(item.name)
    picture.imageTarget.clearImage()
    zoomArea.reset()
    (shown, size, factor, wantedFactor) = ((item, mode), nil, nil, wanted)
    hasAlpha = false
    placeCheckers()
    setRoom(width, height)
    load(placeholder: nil)
  }

  /// The page has this size: the picture is loaded as large as there is room once that lasts.
  func fit(width: Int, height: Int) {
    guard shown != nil else { return }
    setRoom(width, height)
    placeCheckers()
    // A zoomed picture is there as large as it can be.
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

  /// Shows the picture larger or smaller, as soon as its size is known.
  ///
  /// - Parameters:
  ///   - atMouse: Whether what is below the mouse stays there, or what is in the middle.
  ///   - change: Chooses the factor.
  func zoom(atMouse: Bool = false, _ change: (inout Zoom) -> Void) {
    guard shown != nil, let size else { return }
    let scale = Double(picture.scale)
    let old = Zoom(picture: size, room: area, scale: scale, factor: factor)
    var new = old
    change(&new)
    guard new != old else { return }
    factor = new.factor
    // Other sizes are drawn from all pixels.
    if (old.factor == nil) != (new.factor == nil) {
      load(placeholder: picture.imageTarget.image)
    }
    zoomArea.show(new, insteadOf: old, atMouse: atMouse)
  }

  /// Shows squares where the picture is, if one sees through it.
  private func placeCheckers() {
    guard hasAlpha, let pixels = picture.imageTarget.image?.size, picture.width > 0 else {
      return zoomArea.showCheckers(nil)
    }
    let scale = Double(picture.scale)
    zoomArea.showCheckers(
      Zoom.drawn(
        (Double(pixels.width) / scale, Double(pixels.height) / scale),
        in: (picture.width, picture.height),
        fills: factor != nil
      )
    )
  }

  private func setRoom(_ width: Int, _ height: Int) {
    let before = sideRoom
    sideRoom.pageWidth = width
    if sideRoom.isNarrow != before.isNarrow { placeSide() }
    let sideWidth = sideRoom.isNextToPicture ? DetailSide.width : 0
    area = PixelSize(
      width: max(64, width - sideWidth - 2 * sideRoom.margin),
      height: max(64, height - 2 * sideRoom.margin)
    )
  }

  /// Shows what is known of the picture, or hides it.
  func toggleSide() {
    sideRoom.toggle()
    placeSide()
  }

  private func placeSide() {
    let hadFocus = side.panel.hasFocus
    side.panel.setVisible(sideRoom.isShown)
    sidePlace.setVisible(sideRoom.isNextToPicture)
    zoomArea.layout(margin: sideRoom.margin)
    // Of a widget that is hidden, the keys would move nothing.
    if hadFocus, !sideRoom.isShown { zoomArea.focus() }
  }

  /// Whether what is known of the picture is shown.
  var isSideShown: Bool { sideRoom.isShown }

  private func load(placeholder: Bitmap?) {
    guard let (item, mode) = shown else { return }
    lasting.load(area)
    let fit = Style.fit(
      width: Double(area.width),
      height: Double(area.height),
      enlarges: false
    )
    let style = factor == nil ? fit : .original
    let request = ImageRequest(location: item.location, style: style, priority: .high)
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
      contentMode: factor == nil ? .scaleDown : .contain,
      onChange: { [weak self] in self?.follow($0, request, pipeline) }
    )
    options.transition?.runsForCachedImages = true
    picture.imageTarget.setImage(request, from: pipeline, options: options)
  }

  private func follow(
    _ state: ImageTarget.State,
    _ request: ImageRequest,
    _ pipeline: ImagePipeline
  ) {
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
      description = Task { @concurrent [weak self] in
        let facts = (try? await pipeline.data(for: request)).map { PictureFacts($0) }
        MainLoop.post { [weak self] in
          if let self, descriptions == number { describe(facts) }
        }
      }
    }
  }

  /// What a file says of its picture.
  private struct PictureFacts: Sendable {
    let byteCount: Int
    let info: ImageInfo?
    let camera: ExifFacts?

    /// Cost: headers of some formats are read in another process, which is waited for.
    init(_ bytes: [UInt8]) {
      byteCount = bytes.count
      info = try? CodecList.isolatedStandard.probe(bytes.span)
      camera = CameraLines.read(bytes)
    }
  }

  /// The file has no picture any more: nothing of an earlier one is left.
  private func forget() {
    stopDescribing()
    (isDescribing, hasAlpha, size, factor) = (false, false, nil, nil)
    zoomArea.reset()
    placeCheckers()
    side.forget()
  }

  private func stopDescribing() {
    description?.cancel()
    descriptions += 1
  }

  /// Takes the keyboard.
  func focus() { if sideRoom.isShown { side.focus() } else { zoomArea.focus() } }

  /// Whether the picture is shown, or why there is none.
  var isShown: Bool {
    switch picture.imageTarget.state {
    case .shown, .loaded, .failed: true
    case .empty, .loading: false
    }
  }

  /// Whether the picture is shown, or why there is none, and what is known of it.
  var isSettled: Bool { isShown && !isDescribing && lasting.awaited == nil }

  /// Shows nothing any more.
  func leave() {
    shown = nil
    lasting.cancel()
    stopDescribing()
    picture.imageTarget.clearImage()
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
    hasAlpha = info.hasAlpha
    resize(to: upright)
    placeCheckers()
    guard let wanted = wantedFactor else { return }
    wantedFactor = nil
    zoom { $0.set(wanted) }
  }

  /// The file has a picture of this size, maybe another one than before: the factor stays.
  private func resize(to upright: PixelSize) {
    defer { size = upright }
    guard let size, size != upright, let factor else { return }
    let scale = Double(picture.scale)
    let old = Zoom(picture: size, room: area, scale: scale, factor: factor)
    var new = Zoom(picture: upright, room: area, scale: scale, factor: nil)
    new.set(factor)
    self.factor = new.factor
    if new.factor == nil { load(placeholder: picture.imageTarget.image) }
    zoomArea.show(new, insteadOf: old, atMouse: false)
  }
}
