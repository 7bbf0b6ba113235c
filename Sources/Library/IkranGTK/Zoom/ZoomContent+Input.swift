/// What a user does to a zoomed picture; places are in points from the upper left of the widget.
enum ZoomInput: Sendable {
  case mouse(x: Double, y: Double)
  /// A wheel was turned, so many times, or a touchpad's fingers have moved so many points.
  case wheel(x: Double, y: Double, isTouchpad: Bool, zooms: Bool)
  case clicks(Int, x: Double, y: Double)
  case dragBegan
  /// The whole way since the beginning.
  case dragged(x: Double, y: Double)
  case pinchBegan
  /// How much further apart the fingers are than at the beginning, and where.
  case pinched(Double, x: Double, y: Double)
  case pinchEnded
  case key(Key)

  enum Key: Sendable {
    case zoomIn, zoomOut, whole, pixels
    case left, right, up, down, pageUp, pageDown, start, end

    /// Whether it moves the picture and does not zoom.
    var moves: Bool {
      switch self {
      case .zoomIn, .zoomOut, .whole, .pixels: false
      case .left, .right, .up, .down, .pageUp, .pageDown, .start, .end: true
      }
    }
  }
}

extension ZoomContent {
  /// Does what the user wants; false where it is nothing that concerns the picture.
  func receive(_ input: ZoomInput) -> Bool {
    // Also while the picture loads: its keys are wanted next.
    if case .clicks = input { widget?.grabFocus() }
    guard geometry != nil else { return false }
    switch input {
    case .mouse(let x, let y):
      mouse = (x, y)
      return false
    case .wheel(let x, let y, let isTouchpad, let zooms):
      return turn(x: x, y: y, isTouchpad: isTouchpad, zooms: zooms)
    case .clicks(let count, let x, let y):
      guard count == 2 else { return false }
      change { $0.toggle(keeping: pixels((x, y))) }
    case .dragBegan: dragged = (0, 0)
    case .dragged(let x, let y):
      // The first of two fingers drags, too.
      if pinched == nil { scroll(x: dragged.x - x, y: dragged.y - y) }
      dragged = (x, y)
    case .pinchBegan: pinched = geometry?.current
    case .pinched(let factor, let x, let y):
      guard let pinched else { return false }
      change { $0.set(pinched * factor, keeping: pixels((x, y))) }
    case .pinchEnded: pinched = nil
    case .key(let key): return press(key)
    }
    return true
  }

  private func turn(x: Double, y: Double, isTouchpad: Bool, zooms: Bool) -> Bool {
    if zooms {
      // As far as a finger has to go for a turn of a wheel.
      let steps = isTouchpad ? -y / 40 : -y
      change { $0.step(steps, keeping: mouse.map(pixels)) }
      return true
    }
    guard !isTouchpad else { return scroll(x: x, y: y) }
    return scroll(x: x * step(roomInPoints.width), y: y * step(roomInPoints.height))
  }

  /// How far a picture goes for a turn of a wheel or an arrow key.
  private func step(_ room: Double) -> Double { room * 0.1 }

  /// Does what a key means; false where that changes nothing.
  private func press(_ key: ZoomInput.Key) -> Bool {
    let (width, height) = roomInPoints
    return switch key {
    case .zoomIn: change { $0.step(1) }
    case .zoomOut: change { $0.step(-1) }
    case .whole: change { $0.set(nil) }
    case .pixels: change { $0.set(1) }
    case .left: scroll(x: -step(width), y: 0)
    case .right: scroll(x: step(width), y: 0)
    case .up: scroll(x: 0, y: -step(height))
    case .down: scroll(x: 0, y: step(height))
    case .pageUp: scroll(x: 0, y: -height * 0.9)
    case .pageDown: scroll(x: 0, y: height * 0.9)
    case .start: change { $0.center(x: 0, y: 0) }
    case .end:
      change { $0.center(x: Double($0.picture.width), y: Double($0.picture.height)) }
    }
  }
}
