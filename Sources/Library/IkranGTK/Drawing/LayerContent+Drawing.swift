import Ikran
import IkranPlayback
import IkranViews

extension LayerContent {
  mutating func draw(on snapshot: SnapshotHandle, at time: Int, inCairo: Bool) {
    let seen = moment(at: time)
    guard let (from, transition, progress) = seen.change else {
      return draw(seen.picture, on: snapshot, inCairo)
    }
    // Cairo loses parts of pictures that it draws itself many times, clipped and scaled.
    let isFlip = if case .flip = transition.effect { true } else { false }
    // There GTK converts the whole picture once for each strip.
    let strips = inCairo ? min(max(8_000_000 / (snapshot.width * snapshot.height), 4), 64) : 64
    let inCairo = inCairo && !isFlip
    snapshot.draw(transition, at: progress, strips: strips) {
      draw(from, on: snapshot, inCairo)
    } to: {
      draw(seen.picture, on: snapshot, inCairo)
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
