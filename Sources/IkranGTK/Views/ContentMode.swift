/// How a picture lies in a place of another size.
///
/// What of a picture does not fit into its place is not shown.
public struct ContentMode: Sendable, Hashable {
  /// How large the picture is.
  public enum Scaling: Sendable, Hashable, CaseIterable {
    /// As large as fits inside the place, whole.
    case contain
    /// As ``contain``, but never larger than it is.
    case scaleDown
    /// As small as covers the place.
    case cover
    /// As the place; its aspect may change.
    case fill
    /// As it is.
    case none
  }

  /// How large the picture is.
  public var scaling: Scaling
  /// Where the picture lies across: 0 is left, 0.5 the middle, 1 right.
  public var horizontal: Double
  /// Where the picture lies down: 0 is at the top, 0.5 in the middle, 1 at the bottom.
  public var vertical: Double

  /// Makes a mode; places outside 0…1 mean the nearest, NaN the middle.
  public init(_ scaling: Scaling, horizontal: Double = 0.5, vertical: Double = 0.5) {
    self.scaling = scaling
    self.horizontal = horizontal.isNaN ? 0.5 : min(max(horizontal, 0), 1)
    self.vertical = vertical.isNaN ? 0.5 : min(max(vertical, 0), 1)
  }

  /// Whole, as large as fits, in the middle.
  public static let contain = ContentMode(.contain)
  /// Whole, never enlarged, in the middle.
  public static let scaleDown = ContentMode(.scaleDown)
  /// The place is covered; what is too much is cut equally on both ends.
  public static let cover = ContentMode(.cover)
  /// As large as the place, whatever its aspect.
  public static let fill = ContentMode(.fill)
  /// In its own size, in the middle.
  public static let center = ContentMode(.none)

  /// Where a picture is drawn; both sizes in points.
  func rectangle(width: Double, height: Double, in area: Rectangle) -> Rectangle {
    guard width > 0, height > 0, width.isFinite, height.isFinite else { return area }
    let (across, down) = (area.width / width, area.height / height)
    let factor: Double
    switch scaling {
    case .fill: return area
    case .contain: factor = min(across, down)
    case .scaleDown: factor = min(across, down, 1)
    case .cover: factor = max(across, down)
    case .none: factor = 1
    }
    let size = (width: width * factor, height: height * factor)
    var left = area.x + (area.width - size.width) * horizontal
    var top = area.y + (area.height - size.height) * vertical
    // Half a pixel off, a picture in its own size would be blurred.
    if factor == 1 { (left, top) = (left.rounded(.down), top.rounded(.down)) }
    return Rectangle(x: left, y: top, width: size.width, height: size.height)
  }
}

/// A rectangle in points.
struct Rectangle: Sendable, Hashable {
  var x, y, width, height: Double

  func contains(_ other: Rectangle) -> Bool {
    other.x >= x && other.y >= y && other.x + other.width <= x + width
      && other.y + other.height <= y + height
  }
}
