/// A point in the picture: x to the right, y down, (0, 0) in the middle, ±1 at the nearer edges.
struct Point {
  var x: Double
  var y: Double

  init(_ x: Double, _ y: Double) {
    self.x = x
    self.y = y
  }

  var length: Double { (x * x + y * y).squareRoot() }

  static func + (left: Point, right: Point) -> Point { Point(left.x + right.x, left.y + right.y) }
  static func - (left: Point, right: Point) -> Point { Point(left.x - right.x, left.y - right.y) }
  static func * (point: Point, factor: Double) -> Point {
    Point(point.x * factor, point.y * factor)
  }
}

/// An outline as a signed distance: negative inside, positive outside, in the units of ``Point``.
///
/// Distances give visually exact antialiasing, and the number of pixels of a row that can be filled
/// or skipped at once. Set operations on them are minimum and maximum.
struct Shape {
  /// No part of the outline lies outside.
  let bounds: Bounds
  let distance: (Point) -> Double

  struct Bounds {
    var left, top, right, bottom: Double

    static let everything = Bounds(left: -100, top: -100, right: 100, bottom: 100)

    func union(_ other: Bounds) -> Bounds {
      Bounds(
        left: min(left, other.left),
        top: min(top, other.top),
        right: max(right, other.right),
        bottom: max(bottom, other.bottom)
      )
    }

    func intersection(_ other: Bounds) -> Bounds {
      Bounds(
        left: max(left, other.left),
        top: max(top, other.top),
        right: min(right, other.right),
        bottom: min(bottom, other.bottom)
      )
    }

    func grown(_ margin: Double) -> Bounds {
      Bounds(
        left: left - margin,
        top: top - margin,
        right: right + margin,
        bottom: bottom + margin
      )
    }
  }

  // MARK: - Primitives

  static func circle(_ x: Double, _ y: Double, _ radius: Double) -> Shape {
    let bounds = Bounds(left: x - radius, top: y - radius, right: x + radius, bottom: y + radius)
    return Shape(bounds: bounds) { ($0 - Point(x, y)).length - radius }
  }

  /// An ellipse; the distance is its first-order estimate, exact on both axes.
  static func ellipse(_ x: Double, _ y: Double, _ across: Double, _ down: Double) -> Shape {
    let bounds = Bounds(left: x - across, top: y - down, right: x + across, bottom: y + down)
    return Shape(bounds: bounds) { point in
      let offset = point - Point(x, y)
      let near = Point(offset.x / across, offset.y / down).length
      let slope = Point(offset.x / (across * across), offset.y / (down * down)).length
      let estimate = slope == 0 ? -100 : near * (near - 1) / slope
      // Deep inside the estimate is too large; there the edge's sharpness does not matter.
      return max(estimate, (near - 1) * min(across, down) - 0.01)
    }
  }

  /// A rectangle around (x, y) with rounded corners.
  static func box(
    _ x: Double,
    _ y: Double,
    halfWidth: Double,
    halfHeight: Double,
    radius: Double = 0
  ) -> Shape {
    let bounds = Bounds(
      left: x - halfWidth,
      top: y - halfHeight,
      right: x + halfWidth,
      bottom: y + halfHeight
    )
    return Shape(bounds: bounds) { point in
      let across = abs(point.x - x) - halfWidth + radius
      let down = abs(point.y - y) - halfHeight + radius
      return Point(max(across, 0), max(down, 0)).length + min(max(across, down), 0) - radius
    }
  }

  /// A stroke with round ends along a quadratic Bézier curve.
  static func stroke(_ start: Point, _ control: Point, _ end: Point, width: Double) -> Shape {
    let steps = 10
    let points = (0...steps).map { step in
      let t = Double(step) / Double(steps)
      return start * ((1 - t) * (1 - t)) + control * (2 * t * (1 - t)) + end * (t * t)
    }
    return line(points, width: width)
  }

  /// A stroke with round ends and joints through all points.
  static func line(_ points: [Point], width: Double) -> Shape {
    let bounds = points.reduce(nil as Bounds?) { bounds, point in
      let here = Bounds(left: point.x, top: point.y, right: point.x, bottom: point.y)
      return bounds?.union(here) ?? here
    }
    return Shape(bounds: (bounds ?? .everything).grown(width / 2)) { point in
      var nearest = Double.infinity
      for (start, end) in zip(points, points.dropFirst()) {
        let along = end - start
        let offset = point - start
        let share =
          (offset.x * along.x + offset.y * along.y)
          / max(1e-12, along.x * along.x + along.y * along.y)
        nearest = min(nearest, (offset - along * min(max(share, 0), 1)).length)
      }
      return nearest - width / 2
    }
  }

  /// A polygon without holes.
  ///
  /// After Inigo Quilez, "2D distance functions".
  static func polygon(_ corners: [Point], radius: Double = 0) -> Shape {
    let outline = line(corners + corners.prefix(1), width: 0)
    return Shape(bounds: outline.bounds.grown(radius)) { point in
      var isInside = false
      var previous = corners.count - 1
      for index in corners.indices {
        let (a, b) = (corners[index], corners[previous])
        if (a.y > point.y) != (b.y > point.y),
          point.x < (b.x - a.x) * (point.y - a.y) / (b.y - a.y) + a.x
        {
          isInside.toggle()
        }
        previous = index
      }
      let edge = outline.distance(point)
      return (isInside ? -edge : edge) - radius
    }
  }

  /// Everything above a horizontal line.
  static func above(_ y: Double) -> Shape {
    var bounds = Bounds.everything
    bounds.bottom = y
    return Shape(bounds: bounds) { $0.y - y }
  }

  /// Everything below a horizontal line.
  static func below(_ y: Double) -> Shape {
    var bounds = Bounds.everything
    bounds.top = y
    return Shape(bounds: bounds) { y - $0.y }
  }

  // MARK: - Operations

  /// The union of the shapes, of which there is at least one.
  static func any(_ shapes: [Shape]) -> Shape {
    let bounds = shapes.dropFirst().reduce(shapes.first?.bounds ?? .everything) {
      $0.union($1.bounds)
    }
    return Shape(bounds: bounds) { point in
      shapes.reduce(Double.infinity) { min($0, $1.distance(point)) }
    }
  }

  func union(_ other: Shape) -> Shape { .any([self, other]) }

  /// A union whose inner corners are rounded over about `radius`.
  func melted(_ other: Shape, _ radius: Double) -> Shape {
    Shape(bounds: bounds.union(other.bounds).grown(radius / 4)) { point in
      let (a, b) = (distance(point), other.distance(point))
      let closeness = max(radius - abs(a - b), 0) / radius
      return min(a, b) - closeness * closeness * radius / 4
    }
  }

  func intersection(_ other: Shape) -> Shape {
    Shape(bounds: bounds.intersection(other.bounds)) { max(distance($0), other.distance($0)) }
  }

  func minus(_ other: Shape) -> Shape {
    Shape(bounds: bounds) { max(distance($0), -other.distance($0)) }
  }

  func grown(_ margin: Double) -> Shape {
    Shape(bounds: bounds.grown(margin)) { distance($0) - margin }
  }

  /// The outline alone, as a line of this width.
  func outline(_ width: Double) -> Shape {
    Shape(bounds: bounds.grown(width / 2)) { abs(distance($0)) - width / 2 }
  }

  func moved(_ x: Double, _ y: Double) -> Shape {
    let moved = Bounds(
      left: bounds.left + x,
      top: bounds.top + y,
      right: bounds.right + x,
      bottom: bounds.bottom + y
    )
    return Shape(bounds: moved) { distance(Point($0.x - x, $0.y - y)) }
  }

  /// The shape and its mirror image across the vertical axis; it should lie on one side.
  func mirrored() -> Shape {
    let reach = max(abs(bounds.left), abs(bounds.right))
    let bounds = Bounds(left: -reach, top: bounds.top, right: reach, bottom: bounds.bottom)
    let side: Double = self.bounds.left + self.bounds.right < 0 ? -1 : 1
    return Shape(bounds: bounds) { distance(Point(abs($0.x) * side, $0.y)) }
  }

  /// The shape turned clockwise by `turn` (in units of 2π) around a point.
  func turned(_ turn: Double, around center: Point) -> Shape {
    let (sine, cosine) = Circle.sineAndCosine(turn)
    let corners = [
      Point(bounds.left, bounds.top), Point(bounds.right, bounds.top),
      Point(bounds.left, bounds.bottom), Point(bounds.right, bounds.bottom),
    ].map { corner in
      let offset = corner - center
      return center
        + Point(offset.x * cosine - offset.y * sine, offset.x * sine + offset.y * cosine)
    }
    let turned = Bounds(
      left: corners.map(\.x).min() ?? 0,
      top: corners.map(\.y).min() ?? 0,
      right: corners.map(\.x).max() ?? 0,
      bottom: corners.map(\.y).max() ?? 0
    )
    return Shape(bounds: turned) { point in
      let offset = point - center
      return distance(
        center + Point(offset.x * cosine + offset.y * sine, offset.y * cosine - offset.x * sine)
      )
    }
  }
}

/// Sine and cosine without a maths library: the same bits on every machine.
enum Circle {
  /// Of an angle in units of 2π.
  static func sineAndCosine(_ turn: Double) -> (sine: Double, cosine: Double) {
    (sine(turn), sine(turn + 0.25))
  }

  /// Taylor's series to the eleventh power on a quarter circle: exact to 1e-7.
  private static func sine(_ turn: Double) -> Double {
    var turn = turn - turn.rounded()
    if turn > 0.25 { turn = 0.5 - turn }
    if turn < -0.25 { turn = -0.5 - turn }
    let x = turn * 2 * Double.pi
    let square = x * x
    var term = x
    var sum = x
    for power in stride(from: 3.0, through: 11, by: 2) {
      term *= -square / (power * (power - 1))
      sum += term
    }
    return sum
  }
}
