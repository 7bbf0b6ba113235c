import Ikran
import IkranPlayback

/// What is seen of a layer: a picture or a placeholder, and for a moment what was there before.
@MainActor
struct LayerContent {
  private enum Content {
    case nothing
    /// Drawn when it is first seen.
    case placeholder(Placeholder, Style, scale: Double)
    case picture(Drawn)
  }

  private struct Drawn {
    var picture: DrawableBitmap
    /// Its size in points; nil for one that fills any place.
    var size: (width: Double, height: Double)?
  }

  private struct Change {
    let from: Drawn?
    let transition: Transition
    /// The time of its first frame in microseconds, once that is drawn.
    var start: Int?
  }

  private var content = Content.nothing
  private var change: Change?
  private var contentMode = ContentMode.contain
  /// In points, rounded up.
  private(set) var size = (width: 0, height: 0)
  /// Whether the image itself is not there.
  private(set) var isPlaceholder = true
  /// Whether a picture stands where the image will be.
  private(set) var isStandIn = false

  /// The pixels of the image; nil while a placeholder is shown.
  var image: Bitmap? {
    if case .picture(let drawn) = content, !isPlaceholder { drawn.picture.bitmap } else { nil }
  }

  var isEmpty: Bool { if case .nothing = content { change == nil } else { false } }
  /// Whether one picture is giving way to another.
  var isTransitioning: Bool { change != nil }

  /// Takes what concerns a picture that is there; whether it looks different.
  mutating func set(_ options: DisplayOptions) -> Bool {
    guard contentMode != options.contentMode else { return false }
    contentMode = options.contentMode
    return true
  }

  /// Shows a placeholder, or nothing, where a style's image will be.
  mutating func show(
    _ placeholder: Placeholder?,
    _ style: Style,
    scale: Double,
    _ options: DisplayOptions
  ) {
    change = nil
    (isPlaceholder, isStandIn) = (true, false)
    contentMode = options.contentMode
    content = placeholder.map { .placeholder($0, style, scale: scale) } ?? .nothing
    size = (0, 0)
    if let pixels = style.fixedSize(scale: scale) { size = Self.points(pixels, scale) }
  }

  /// Shows the image.
  ///
  /// - Parameters:
  ///   - picture: The image.
  ///   - scale: Its pixels per point.
  ///   - options: With the transition.
  ///   - withTransition: Whether the transition is used.
  mutating func show(
    _ picture: DrawableBitmap,
    _ scale: Double,
    _ options: DisplayOptions,
    withTransition: Bool
  ) {
    // A finished image that takes its preview's place is the same picture.
    if let transition = options.transition, withTransition, isPlaceholder {
      change = Change(from: drawn(), transition: transition)
    } else if !withTransition {
      change = nil
    }
    (isPlaceholder, isStandIn) = (false, false)
    contentMode = options.contentMode
    let pixels = picture.bitmap.size
    let size = (width: Double(pixels.width) / scale, height: Double(pixels.height) / scale)
    content = .picture(Drawn(picture: picture, size: size))
    self.size = Self.points(pixels, scale)
  }

  /// Shows a picture where the image will be: as large as fits there, where a style says how large
  /// that is, and otherwise in its own size.
  mutating func show(
    standIn picture: DrawableBitmap,
    _ pixelsPerPoint: Double,
    as style: Style,
    scale: Double,
    _ options: DisplayOptions
  ) {
    let pixels = picture.bitmap.size
    content = .picture(
      Drawn(
        picture: picture,
        size: (Double(pixels.width) / pixelsPerPoint, Double(pixels.height) / pixelsPerPoint)
      )
    )
    isPlaceholder = false
    size = Self.points(pixels, pixelsPerPoint)
    _ = keep(as: style, scale: scale, options)
  }

  /// Lets the picture that is shown stand where the next image will be; false where there is none.
  mutating func keep(as style: Style, scale: Double, _ options: DisplayOptions) -> Bool {
    guard case .picture(var drawn) = content, !isPlaceholder || isStandIn else { return false }
    change = nil
    (isPlaceholder, isStandIn) = (true, true)
    contentMode = options.contentMode
    guard let pixels = style.fixedSize(scale: scale), let own = drawn.size else { return true }
    size = Self.points(pixels, scale)
    let factor = min(Double(size.width) / own.width, Double(size.height) / own.height)
    drawn.size = (own.width * factor, own.height * factor)
    content = .picture(drawn)
    return true
  }

  /// Asks for no more than a place has.
  mutating func limit(to place: ViewPlace) {
    guard case .picture(let drawn) = content, let size = drawn.size else { return }
    let limited = place.limited(size)
    self.size = (Int(limited.width.rounded(.up)), Int(limited.height.rounded(.up)))
  }

  /// Shows another frame of the same image.
  mutating func replace(_ picture: DrawableBitmap) {
    guard case .picture(var drawn) = content, !isPlaceholder else { return }
    drawn.picture = picture
    content = .picture(drawn)
  }

  /// Goes on to a moment, in microseconds: a transition begins with the first, and ends.
  mutating func advance(to time: Int) {
    guard var change else { return }
    let start = change.start ?? time
    change.start = start
    self.change = progress(of: change, at: time) < 1 ? change : nil
  }

  private func progress(of change: Change, at time: Int) -> Double {
    Double(time - (change.start ?? time)) / Double(change.transition.duration / .microseconds(1))
  }

  /// Shows the new picture alone.
  mutating func endTransition() { change = nil }

  private static func points(_ size: PixelSize, _ scale: Double) -> (width: Int, height: Int) {
    // Within what GTK's sizes can be.
    func points(_ pixels: Int) -> Int { Int(min((Double(pixels) / scale).rounded(.up), 1e6)) }
    return (points(size.width), points(size.height))
  }

  /// What is drawn; a placeholder is made now.
  private mutating func drawn() -> Drawn? {
    switch content {
    case .nothing: return nil
    case .picture(let drawn): return drawn
    case .placeholder(let placeholder, let style, let scale):
      guard
        let made = PlaceholderCache.shared.picture(of: placeholder, style, scale: scale)
      else {
        content = .nothing
        return nil
      }
      let pixels = made.picture.bitmap.size
      let size = (width: Double(pixels.width) / scale, height: Double(pixels.height) / scale)
      let drawn = Drawn(picture: made.picture, size: made.isStretched ? nil : size)
      content = .picture(drawn)
      return drawn
    }
  }

  // MARK: - Drawing

  mutating func draw(on snapshot: SnapshotHandle, at time: Int, inCairo: Bool) {
    let to = drawn()
    advance(to: time)
    guard let change else { return draw(to, on: snapshot, inCairo) }
    let (from, passed) = (change.from, max(0, progress(of: change, at: time)))
    // Cairo loses parts of pictures that it draws itself many times, clipped and scaled.
    let isFlip = if case .flip = change.transition.effect { true } else { false }
    // There GTK converts the whole picture once for each strip.
    let strips = inCairo ? min(max(8_000_000 / (snapshot.width * snapshot.height), 4), 64) : 64
    let inCairo = inCairo && !isFlip
    snapshot.draw(change.transition, at: change.transition.eased(passed), strips: strips) {
      draw(from, on: snapshot, inCairo)
    } to: {
      draw(to, on: snapshot, inCairo)
    }
  }

  private func draw(_ drawn: Drawn?, on snapshot: SnapshotHandle, _ inCairo: Bool) {
    guard let drawn else { return }
    let area = snapshot.area
    guard let size = drawn.size else {
      return snapshot.draw(drawn.picture, in: area, inCairo: inCairo)
    }
    let place = contentMode.rectangle(width: size.width, height: size.height, in: area)
    if area.contains(place) {
      snapshot.draw(drawn.picture, in: place, inCairo: inCairo)
    } else {
      snapshot.clipped(to: area) { snapshot.draw(drawn.picture, in: place, inCairo: inCairo) }
    }
  }
}

extension SnapshotHandle {
  /// Draws a moment of a transition, from 0, where only the old picture is seen, to 1.
  fileprivate func draw(
    _ transition: Transition,
    at progress: Double,
    strips: Double,
    from: () -> Void,
    to: () -> Void
  ) {
    switch transition.effect {
    case .fade: mixed(progress, from: from, to: to)
    case .slide(let edge):
      let (x, y) = edge.direction
      clipped(to: area) {
        moved(x: -x * width * progress, y: -y * height * progress, from)
        moved(x: x * width * (1 - progress), y: y * height * (1 - progress), to)
      }
    case .wipe(let edge):
      // Where a picture is clear, the other one must not be seen through it.
      let (new, old) = area.split(at: progress, from: edge)
      clipped(to: old, from)
      clipped(to: new, to)
    case .flip(let edge):
      let turn = CardTurn(from: edge, progress: progress)
      draw(turn, strips: strips, turn.showsBack ? to : from)
    case .custom(let effect):
      guard progress > 0 else { return from() }
      let moment = effect.moment(progress)
      if !moment.isNewInFront { draw(moment.new, to) }
      draw(moment.old, from)
      if moment.isNewInFront { draw(moment.new, to) }
    }
  }

  /// Draws a picture where a moment of a custom transition places it.
  private func draw(_ place: Transition.Placement, _ body: () -> Void) {
    guard let place = place.drawn, let clip = place.clip else { return }
    let part = Rectangle(
      x: clip.x * width,
      y: clip.y * height,
      width: clip.width * width,
      height: clip.height * height
    )
    faded(place.opacity, in: part) {
      moved(
        x: place.x * width,
        y: place.y * height,
        scaledX: place.scaleX,
        scaledY: place.scaleY,
        body
      )
    }
  }

  /// Draws a card that turns, in about so many strips at most, which lie between whole points.
  private func draw(_ turn: CardTurn, strips: Double, _ body: () -> Void) {
    let half = (turn.isHorizontal ? width : height) / 2
    let (start, end) = turn.extent
    guard half > 0 else { return }
    let step = max(1, (half * 2 / strips).rounded(.up))
    for place in stride(from: ((start + 1) * half).rounded(.down), to: (end + 1) * half, by: step) {
      let (first, last) = (max(place / half - 1, start), min((place + step) / half - 1, end))
      let (low, high) = (turn.point(at: first) ?? -1, turn.point(at: last) ?? 1)
      guard first < last, low < high else { continue }
      let stretch = (last - first) / (high - low)
      let offset = ((first + last) - stretch * (low + high)) / 2 * half
      let scale = turn.scale(at: (low + high) / 2)
      var strip = area
      if turn.isHorizontal {
        (strip.x, strip.width) = (place, step)
        clipped(to: strip) { moved(x: offset, scaledX: stretch, scaledY: scale, body) }
      } else {
        (strip.y, strip.height) = (place, step)
        clipped(to: strip) { moved(y: offset, scaledX: scale, scaledY: stretch, body) }
      }
    }
  }
}

extension Transition.Edge {
  /// From the middle to the edge.
  fileprivate var direction: (x: Double, y: Double) {
    switch self {
    case .left: (-1, 0)
    case .right: (1, 0)
    case .top: (0, -1)
    case .bottom: (0, 1)
    }
  }
}

extension Rectangle {
  /// The part at an edge, and the rest.
  fileprivate func split(at part: Double, from edge: Transition.Edge) -> (
    new: Rectangle, old: Rectangle
  ) {
    var (new, old) = (self, self)
    switch edge {
    case .left, .right:
      new.width = width * part
      old.width = width - new.width
      if edge == .left { old.x = x + new.width } else { new.x = x + old.width }
    case .top, .bottom:
      new.height = height * part
      old.height = height - new.height
      if edge == .top { old.y = y + new.height } else { new.y = y + old.height }
    }
    return (new, old)
  }
}
