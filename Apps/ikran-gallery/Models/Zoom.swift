import IkranPixels

/// How large a picture is shown in its room.
struct Zoom: Sendable, Equatable {
  /// The upright picture, in pixels.
  let picture: PixelSize
  /// The room for it, in points.
  let room: PixelSize
  /// Pixels of the screen in a point.
  let scale: Double
  /// Pixels of the screen for one of the picture; nil where the whole picture is shown, not
  /// enlarged.
  private(set) var factor: Double?

  static let largest = 16.0

  /// The factor at which the whole picture is shown, not enlarged.
  var fitting: Double {
    min(
      1,
      Double(room.width) * scale / Double(picture.width),
      Double(room.height) * scale / Double(picture.height)
    )
  }

  var current: Double { factor ?? fitting }

  /// The size at which the picture is shown, in points.
  var size: (width: Double, height: Double) {
    (Double(picture.width) * current / scale, Double(picture.height) * current / scale)
  }

  /// The size at which pixels are drawn in a room, all in points.
  ///
  /// - Parameters:
  ///   - image: The size of the pixels, as large as they are without a room.
  ///   - room: The size of the room.
  ///   - fills: Whether they are enlarged to it.
  /// - Returns: Whole points.
  static func drawn(
    _ image: (width: Double, height: Double),
    in room: (width: Int, height: Int),
    fills: Bool
  ) -> (width: Int, height: Int) {
    var factor = min(Double(room.width) / image.width, Double(room.height) / image.height)
    if !fills { factor = min(1, factor) }
    // What is a little more than a whole number by rounding alone is that number.
    return (
      width: Int((image.width * factor - 0.01).rounded(.up)),
      height: Int((image.height * factor - 0.01).rounded(.up))
    )
  }

  /// Chooses a factor, ``largest`` at most; the whole picture is shown where there is room for it
  /// at one that does not enlarge, and for nil.
  mutating func set(_ wanted: Double?) {
    let isFit = wanted.map { $0 <= fitting * 1.001 } ?? true
    factor = isFit ? nil : wanted.map { min($0, Self.largest) }
  }

  /// Enlarges by two fifths for a step, and makes as much smaller for a negative one, with a stop
  /// at one pixel for one.
  mutating func step(_ steps: Double) {
    let next = steps > 0 ? current * (1 + 0.4 * steps) : current / (1 - 0.4 * steps)
    let passesOne = (current < 0.999 && next > 1) || (current > 1.001 && next < 1)
    set(passesOne ? 1 : next)
  }

  /// Shows one pixel for one, or the whole picture where that is so already.
  mutating func toggle() { set(factor == nil ? 1 : nil) }

  /// What is in the middle of the room when what the whole picture has at a point stays there.
  ///
  /// - Parameter point: In points, from the upper left of the room; nil is its middle.
  /// - Returns: A pixel of the picture, which may lie outside of it.
  func middle(keeping point: (x: Double, y: Double)?) -> (x: Double, y: Double) {
    // Pixels of the picture by which a point further from the middle moves it.
    let way = scale / fitting - scale / current
    let (width, height) = (Double(room.width), Double(room.height))
    let point = point ?? (width / 2, height / 2)
    return (
      x: Double(picture.width) / 2 + (point.x - width / 2) * way,
      y: Double(picture.height) / 2 + (point.y - height / 2) * way
    )
  }

  /// How far a picture is scrolled, along one axis, for what is at a point to stay there when the
  /// picture is shown at another length; all in points.
  ///
  /// - Parameters:
  ///   - point: From the start of the room.
  ///   - old: The length of the picture so far, and how far it was scrolled.
  ///   - length: The length of the picture now.
  ///   - room: What there is of room; a picture that is shorter lies in its middle.
  /// - Returns: The offset, never beyond the ends of the picture.
  static func offset(
    keeping point: Double,
    from old: (length: Double, offset: Double),
    to length: Double,
    in room: Double
  ) -> Double {
    let part = (old.offset + point - max(0, (room - old.length) / 2)) / max(1, old.length)
    let offset = part * length + max(0, (room - length) / 2) - point
    return min(max(0, offset), max(0, length - room))
  }
}
