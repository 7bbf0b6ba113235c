import IkranPixels

/// One of the eight ways to turn and mirror a picture: mirrored from left to right, or not, and
/// then turned clockwise.
struct Turn: Sendable, Hashable {
  /// Quarters of a full turn, 0…3.
  let quarters: Int
  /// Whether it is mirrored before it is turned.
  let isMirrored: Bool

  init(quarters: Int = 0, isMirrored: Bool = false) {
    self.quarters = ((quarters % 4) + 4) % 4
    self.isMirrored = isMirrored
  }

  /// What brings stored pixels upright.
  init(_ orientation: Orientation) {
    switch orientation {
    case .up: self.init()
    case .upMirrored: self.init(isMirrored: true)
    case .down: self.init(quarters: 2)
    case .downMirrored: self.init(quarters: 2, isMirrored: true)
    case .leftMirrored: self.init(quarters: 3, isMirrored: true)
    case .right: self.init(quarters: 1)
    case .rightMirrored: self.init(quarters: 1, isMirrored: true)
    case .left: self.init(quarters: 3)
    }
  }

  init(_ flip: Effects.Flip) {
    self.init(
      quarters: flip.vertically ? 2 : 0,
      isMirrored: flip.horizontally != flip.vertically
    )
  }

  /// What `Bitmap.oriented(_:)` takes.
  var orientation: Orientation {
    switch (quarters, isMirrored) {
    case (0, false): .up
    case (0, true): .upMirrored
    case (1, false): .right
    case (1, true): .rightMirrored
    case (2, false): .down
    case (2, true): .downMirrored
    case (_, false): .left
    case (_, true): .leftMirrored
    }
  }

  /// This one and then another as one.
  func then(_ next: Turn) -> Turn {
    // A mirror turns the other way round what was before it.
    Turn(
      quarters: next.quarters + (next.isMirrored ? -quarters : quarters),
      isMirrored: isMirrored != next.isMirrored
    )
  }

  /// What brings a picture back.
  var inverse: Turn { isMirrored ? self : Turn(quarters: -quarters) }

  /// The size of a picture after it.
  func size(_ size: PixelSize) -> PixelSize { quarters % 2 == 1 ? size.transposed : size }

  /// Where a part of a picture of size `whole` is after it.
  func rectangle(_ part: PixelRectangle, in whole: PixelSize) -> PixelRectangle {
    var (x, y, size, whole) = (part.x, part.y, part.size, whole)
    if isMirrored { x = whole.width - x - size.width }
    for _ in 0..<quarters {
      (x, y) = (whole.height - y - size.height, x)
      (size, whole) = (size.transposed, whole.transposed)
    }
    return PixelRectangle(x: x, y: y, width: size.width, height: size.height)
  }

  /// What keeps, after it, the part that a gravity keeps before.
  func gravity(_ gravity: Gravity) -> Gravity {
    var side = gravity.kind.side
    var (x, y) = (gravity.x, gravity.y)
    let isPoint = gravity.kind == .focusPoint
    // The offset from a named edge is inward whichever edge that becomes.
    func mirrored(_ offset: Double, _ edge: Int) -> Double {
      isPoint ? 1 - offset : edge == 0 ? -offset : offset
    }
    if isMirrored {
      x = mirrored(x, side.x)
      side.x = -side.x
    }
    for _ in 0..<quarters {
      (x, y) = (mirrored(y, side.y), x)
      side = (-side.y, side.x)
    }
    let isNamed = !isPoint && gravity.kind != .smart
    return Gravity(kind: isNamed ? Gravity.Kind(x: side.x, y: side.y) : gravity.kind, x: x, y: y)
  }
}
