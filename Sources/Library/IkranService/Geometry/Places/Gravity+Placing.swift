import IkranPixels

extension Gravity.Kind {
  /// The named edges: −1 is left or above, 1 right or below, 0 none.
  var side: (x: Int, y: Int) {
    switch self {
    case .north: (0, -1)
    case .south: (0, 1)
    case .east: (1, 0)
    case .west: (-1, 0)
    case .northEast: (1, -1)
    case .northWest: (-1, -1)
    case .southEast: (1, 1)
    case .southWest: (-1, 1)
    case .center, .smart, .focusPoint: (0, 0)
    }
  }

  /// The place at these edges.
  init(x: Int, y: Int) {
    self =
      switch (x, y) {
      case (0, -1): .north
      case (0, 1): .south
      case (1, 0): .east
      case (-1, 0): .west
      case (1, -1): .northEast
      case (-1, -1): .northWest
      case (1, 1): .southEast
      case (-1, 1): .southWest
      default: .center
      }
  }
}

extension Gravity {
  /// Where a box lies in a larger one, in whole pixels from the top left; ``Kind/smart`` counts as
  /// the centre.
  ///
  /// Halves are rounded to the even pixel, and an offset below 1 is a share of the outer side.
  ///
  /// - Parameters:
  ///   - inner: The box.
  ///   - outer: What it lies in.
  ///   - scale: Multiplies offsets in pixels.
  ///   - overhangs: Whether the box may lie outside, but for one pixel.
  /// - Returns: The box's top left pixel.
  func position(
    of inner: PixelSize,
    in outer: PixelSize,
    scale: Double,
    overhangs: Bool = false
  ) -> (x: Int, y: Int) {
    let side = kind.side
    let across = Axis(inner: inner.width, outer: outer.width, edge: side.x, overhangs: overhangs)
    let down = Axis(inner: inner.height, outer: outer.height, edge: side.y, overhangs: overhangs)
    if kind == .focusPoint { return (across.start(around: x), down.start(around: y)) }
    return (across.start(offset: x, scale: scale), down.start(offset: y, scale: scale))
  }

  /// An offset in pixels: a share of a side, or pixels of the page.
  static func offset(_ value: Double, of side: Int, scale: Double) -> Int {
    value.magnitude >= 1 ? (value * scale).evenPixels : (Double(side) * value).evenPixels
  }

  private struct Axis {
    let inner, outer, edge: Int
    let overhangs: Bool

    func start(around point: Double) -> Int {
      bounded((Double(outer) * point).evenPixels - inner / 2)
    }

    func start(offset: Double, scale: Double) -> Int {
      let offset = Gravity.offset(offset, of: outer, scale: scale)
      switch edge {
      case 0: return bounded((Double(outer - inner + 1) / 2).evenPixels + offset)
      case 1: return bounded(outer - inner - offset)
      default: return bounded(offset)
      }
    }

    private func bounded(_ start: Int) -> Int {
      let most = overhangs ? outer - 1 : outer - inner
      return max(overhangs ? 1 - inner : 0, min(start, most))
    }
  }
}
