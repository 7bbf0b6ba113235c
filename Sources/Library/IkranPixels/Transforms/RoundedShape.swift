/// A rectangle some of whose corners are round, in pixels; its edges may fall between pixels.
///
/// Pixel (0, 0) covers the square from 0 to 1 on both axes. A shape with a side that is not above
/// zero, or with a number that is not finite, covers nothing.
public struct RoundedShape: Sendable, Hashable {
  /// Which corners are round.
  public struct Corners: OptionSet, Sendable, Hashable {
    /// A bit for each corner.
    public let rawValue: UInt8

    /// Creates a set from its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The corner at the left of the top.
    public static let topLeft = Corners(rawValue: 1)
    /// The corner at the right of the top.
    public static let topRight = Corners(rawValue: 2)
    /// The corner at the left of the bottom.
    public static let bottomLeft = Corners(rawValue: 4)
    /// The corner at the right of the bottom.
    public static let bottomRight = Corners(rawValue: 8)
    /// All four corners.
    public static let all: Corners = [.topLeft, .topRight, .bottomLeft, .bottomRight]
  }

  /// The left edge.
  public var x: Double
  /// The top edge.
  public var y: Double
  /// The distance from the left edge to the right one.
  public var width: Double
  /// The distance from the top edge to the bottom one.
  public var height: Double
  /// The radius of round corners; over half of the shorter side it counts as that half, and below
  /// zero as zero.
  public var radius: Double
  /// The corners that are round; the others are square.
  public var corners: Corners

  /// Creates a shape.
  public init(
    x: Double,
    y: Double,
    width: Double,
    height: Double,
    radius: Double = 0,
    corners: Corners = .all
  ) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
    self.radius = radius
    self.corners = corners
  }

  /// Creates a shape that covers a picture, but for its round corners.
  public init(_ size: PixelSize, radius: Double = 0, corners: Corners = .all) {
    self.init(
      x: 0,
      y: 0,
      width: Double(size.width),
      height: Double(size.height),
      radius: radius,
      corners: corners
    )
  }

  /// The shape with each edge moved towards its middle.
  func inset(by distance: Double, radius: Double) -> RoundedShape {
    RoundedShape(
      x: x + distance,
      y: y + distance,
      width: width - 2 * distance,
      height: height - 2 * distance,
      radius: radius,
      corners: corners
    )
  }

  /// The inner edge of a line of this width along the inside; both arcs of a corner share their
  /// centre, so the width is constant.
  func inside(line width: Double) -> RoundedShape {
    inset(by: width, radius: max(0, usedRadius - width))
  }

  /// The radius that is drawn.
  var usedRadius: Double { max(0, min(radius, min(width, height) / 2)) }

  /// Whether it covers anything.
  var isDrawable: Bool {
    width > 0 && height > 0 && radius.isFinite && x.isFinite && y.isFinite && width.isFinite
      && height.isFinite
  }
}
