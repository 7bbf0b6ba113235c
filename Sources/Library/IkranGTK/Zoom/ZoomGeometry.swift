import IkranPixels

/// Which part of a picture is seen in a room, and how large.
///
/// Lengths are in pixels of the screen, except those of the picture.
struct ZoomGeometry: Sendable, Equatable {
  /// A place in the room, from its top left, or a way.
  struct Point: Sendable, Equatable {
    var x, y: Double

    static let zero = Point(x: 0, y: 0)
  }

  /// The width and height of something on the screen.
  struct Size: Sendable, Equatable {
    var width, height: Double

    static let zero = Size(width: 0, height: 0)
    var middle: Point { Point(x: width / 2, y: height / 2) }
    var isEmpty: Bool { width <= 0 || height <= 0 }
  }

  /// The most pixels of the screen for one of the picture.
  static let largest = 16.0

  /// The picture as it is shown, in its own pixels.
  let picture: PixelSize
  private(set) var room = Size.zero
  /// Pixels of the screen for one of the picture; nil where the whole picture is shown, not
  /// enlarged.
  private(set) var factor: Double?
  /// How much of the picture lies left of the room, and above it; before there is a room, what will
  /// be its middle.
  private(set) var offset: Point

  /// Shows the whole picture, in a room that has no size yet.
  init(_ picture: PixelSize) {
    self.picture = picture
    offset = Point(x: Double(picture.width) / 2, y: Double(picture.height) / 2)
  }

  /// The factor at which the whole picture is shown, not enlarged.
  var fitting: Double {
    guard !room.isEmpty else { return 1 }
    return min(1, room.width / Double(picture.width), room.height / Double(picture.height))
  }

  var current: Double { factor ?? fitting }

  /// How large all of the picture is on the screen, in whole pixels.
  var size: Size { Size(width: horizontal.shown, height: vertical.shown) }

  /// Where the picture begins in the room, in whole pixels: before it, if it was scrolled.
  var origin: Point {
    Point(
      x: (horizontal.margin - offset.x).rounded(.down),
      y: (vertical.margin - offset.y).rounded(.down)
    )
  }

  // MARK: - Size

  /// Gives the picture another room; its middle shows what it showed before.
  mutating func resize(_ room: Size) {
    guard room != self.room else { return }
    let old = self
    self.room = room
    set(factor)
    let middle = old.room.middle
    offset.x = keep(part(middle.x, old.horizontal), at: room.middle.x, in: horizontal)
    offset.y = keep(part(middle.y, old.vertical), at: room.middle.y, in: vertical)
  }

  /// Chooses a factor, ``largest`` at most; the whole picture is shown where there is room for it
  /// at one that does not enlarge, and for nil.
  ///
  /// - Parameters:
  ///   - wanted: The factor.
  ///   - point: What is seen there stays there; nil is the middle.
  mutating func set(_ wanted: Double?, keeping point: Point? = nil) {
    let (point, old) = (point ?? room.middle, self)
    // Before there is a room, none is known to be enough.
    let least = room.isEmpty ? 0 : fitting * 1.001
    let isFit = wanted.map { !($0 > least) } ?? true
    factor = isFit ? nil : wanted.map { min($0, Self.largest) }
    offset.x = keep(part(point.x, old.horizontal), at: point.x, in: horizontal)
    offset.y = keep(part(point.y, old.vertical), at: point.y, in: vertical)
  }

  /// Enlarges by two fifths for a step, and makes as much smaller for a negative one, with a stop
  /// at one pixel for one.
  mutating func step(_ steps: Double, keeping point: Point? = nil) {
    guard steps.isFinite else { return }
    let next = steps > 0 ? current * (1 + 0.4 * steps) : current / (1 - 0.4 * steps)
    let passesOne = (current < 0.999 && next > 1) || (current > 1.001 && next < 1)
    set(passesOne ? 1 : next, keeping: point)
  }

  /// Shows one pixel for one, or the whole picture where that is not the case.
  mutating func toggle(keeping point: Point? = nil) {
    set(factor == nil ? 1 : nil, keeping: point)
  }

  // MARK: - Place

  /// Shows what lies so far right of what is seen and below it, up to the ends of the picture.
  ///
  /// - Returns: Whether there was more to show.
  mutating func scroll(by way: Point) -> Bool {
    guard way.x.isFinite, way.y.isFinite else { return false }
    let old = offset
    offset.x = horizontal.bounded(offset.x + way.x)
    offset.y = vertical.bounded(offset.y + way.y)
    return offset != old
  }

  /// Shows a point of the picture in the middle of the room, as far as its ends allow.
  ///
  /// - Parameters:
  ///   - x: In pixels of the picture, from its left.
  ///   - y: In pixels of the picture, from its top.
  mutating func center(x: Double, y: Double) {
    guard x.isFinite, y.isFinite else { return }
    let (across, down) = (x / Double(picture.width), y / Double(picture.height))
    offset.x = keep(across, at: room.middle.x, in: horizontal)
    offset.y = keep(down, at: room.middle.y, in: vertical)
  }

  /// The pixels of the picture of which something is seen; nil without a room.
  var visible: PixelRectangle? {
    guard !room.isEmpty else { return nil }
    let left = Int(max(0, -origin.x / current).rounded(.down))
    let top = Int(max(0, -origin.y / current).rounded(.down))
    let right = Int(((room.width - origin.x) / current).rounded(.up))
    let bottom = Int(((room.height - origin.y) / current).rounded(.up))
    let (x, y) = (min(left, picture.width - 1), min(top, picture.height - 1))
    return PixelRectangle(
      x: x,
      y: y,
      width: max(1, min(right, picture.width) - x),
      height: max(1, min(bottom, picture.height) - y)
    )
  }

  /// Where a rectangle of the picture lies in the room: its edges are whole pixels, so that
  /// neighbours meet.
  func place(of region: PixelRectangle) -> Rectangle {
    func edge(_ pixel: Int, _ origin: Double) -> Double {
      origin + (Double(pixel) * current).rounded()
    }
    let (left, top) = (edge(region.x, origin.x), edge(region.y, origin.y))
    return Rectangle(
      x: left,
      y: top,
      width: edge(region.x + region.size.width, origin.x) - left,
      height: edge(region.y + region.size.height, origin.y) - top
    )
  }

  // MARK: - Axes

  /// The picture and the room along one direction.
  private struct Axis {
    let length, room, offset: Double

    /// The length in whole pixels, which the edges are drawn at.
    var shown: Double { length.rounded() }
    /// What is free before the picture.
    var margin: Double { max(0, (room - shown) / 2) }

    func bounded(_ offset: Double) -> Double { min(max(0, offset), max(0, shown - room)) }
  }

  private var horizontal: Axis {
    Axis(length: Double(picture.width) * current, room: room.width, offset: offset.x)
  }

  private var vertical: Axis {
    Axis(length: Double(picture.height) * current, room: room.height, offset: offset.y)
  }

  /// The part of the picture that lies before a point: 0 at its start, 1 at its end.
  private func part(_ point: Double, _ axis: Axis) -> Double {
    (axis.offset + point - axis.margin) / max(1, axis.length)
  }

  /// The offset at which a part of the picture lies at a point, as far as its ends allow.
  private func keep(_ part: Double, at point: Double, in axis: Axis) -> Double {
    axis.bounded(part * axis.length + axis.margin - point)
  }
}
