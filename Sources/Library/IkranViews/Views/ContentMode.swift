/// How an image is fitted into a view of another size; what exceeds the view is cropped.
///
/// The cases are those of `GtkContentFit` and CSS `object-fit`. Their `fill`, which distorts, is
/// ``stretch`` here, because `Style.fill` crops.
public struct ContentMode: Sendable, Hashable {
  /// How large the picture is.
  public enum Scaling: Sendable, Hashable, CaseIterable {
    /// The largest size that fits inside the view.
    case contain
    /// As ``contain``, but never enlarged.
    case scaleDown
    /// The smallest size that covers the view.
    case cover
    /// The size of the view; the aspect ratio may change.
    case stretch
    /// The image's own size.
    case none
  }

  /// How large the picture is.
  public var scaling: Scaling
  /// The horizontal alignment: 0 is left, 0.5 the middle, 1 right.
  public var horizontal: Double
  /// The vertical alignment: 0 is the top, 0.5 the middle, 1 the bottom.
  public var vertical: Double

  /// Creates a mode; alignments are clamped to 0…1, and NaN is the middle.
  public init(_ scaling: Scaling, horizontal: Double = 0.5, vertical: Double = 0.5) {
    self.scaling = scaling
    self.horizontal = horizontal.isNaN ? 0.5 : min(max(horizontal, 0), 1)
    self.vertical = vertical.isNaN ? 0.5 : min(max(vertical, 0), 1)
  }

  /// Whole, as large as fits, in the middle.
  public static let contain = ContentMode(.contain)
  /// Whole, never enlarged, in the middle.
  public static let scaleDown = ContentMode(.scaleDown)
  /// Covers the view; the rest is cropped equally on both ends.
  public static let cover = ContentMode(.cover)
  /// The size of the view; the aspect ratio may change.
  public static let stretch = ContentMode(.stretch)
  /// In its own size, in the middle.
  public static let center = ContentMode(.none)

  /// Where a picture is drawn; both sizes in points.
  package func rectangle(width: Double, height: Double, in area: Rectangle) -> Rectangle {
    guard width > 0, height > 0, width.isFinite, height.isFinite else { return area }
    let (across, down) = (area.width / width, area.height / height)
    let factor: Double
    switch scaling {
    case .stretch: return area
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

/// How a picture lies in a view, and where that is said.
package enum DisplayMode: Sendable, Hashable {
  /// By the view itself.
  case ofView(ContentMode)
  /// By the program's options.
  case chosen(ContentMode)

  package var contentMode: ContentMode {
    switch self {
    case .ofView(let mode), .chosen(let mode): mode
    }
  }

  /// The mode of the options; nil where the view has it.
  package var chosen: ContentMode? {
    if case .chosen(let mode) = self { mode } else { nil }
  }
}

/// A rectangle in points.
package struct Rectangle: Sendable, Hashable {
  package var x, y, width, height: Double

  package init(x: Double, y: Double, width: Double, height: Double) {
    (self.x, self.y, self.width, self.height) = (x, y, width, height)
  }

  package func contains(_ other: Rectangle) -> Bool {
    other.x >= x && other.y >= y && other.x + other.width <= x + width
      && other.y + other.height <= y + height
  }
}
