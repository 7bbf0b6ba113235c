/// The look of a picture: its size, its edges and its border.
///
/// Lengths are in points. Rendering multiplies them by a scale, so one style works for all screens.
/// ```swift
/// let face = Style.circle(48, border: .init(2, color: .white))
/// let small = try photo.styled(face, scale: 2)      // 96 × 96 pixels, a ring of 4
/// let same = try Style(parsing: "circle:48,b=2,bc=#FFFFFF")
/// assert(same == face && same.key == face.key)
/// ```
/// All styles keep the picture's aspect: the picture covers the size and the rest is cropped
/// equally on both ends. Only ``fit(width:height:enlarges:)``, which may be narrower or lower than
/// its size, and ``cover(width:height:enlarges:)``, which may be wider or higher, crop nothing.
///
/// A style may bring ``filters``, which run before its edges are drawn.
///
/// A style is data. Lengths are stored in thousandths of a point, and two styles are equal exactly
/// when their ``key``s are, on every run and every machine.
public struct Style: Sendable, Hashable {
  /// A line along the inside of the edge.
  ///
  /// With a colour, a ring of that width is painted over the picture. Without one, the ring is
  /// transparent: the picture is inset, with the same corner radius.
  public struct Border: Sendable, Hashable {
    let thickness: Points
    /// The colour of the ring, or nil for a transparent inset.
    public let color: Color?

    /// How wide the border is, in points.
    public var width: Double { thickness.value }

    /// Creates a border of `width` points.
    public init(_ width: Double, color: Color? = nil) {
      thickness = Points(width)
      self.color = color
    }
  }

  /// The sides that a fitted picture must not exceed, at least one of them.
  struct Box: Sendable, Hashable {
    var width, height: Points?
    /// Whether smaller pictures are enlarged.
    var enlarges = true
    /// Whether it is the picture that covers both sides, instead of being inside.
    var isCovered = false
  }

  enum Shape: Sendable, Hashable {
    case automatic
    case original
    case rectangle(Points, Points)
    case rounded(Points, Points, radius: Points, Border?)
    case circle(Points, Border?)
    case fit(Box)
    case fill(Points, Points)
    case region(PixelRectangle, Points, Points, isolated: Bool)
    case freeform(FreeformTransform)
  }

  let shape: Shape
  /// What is done to the resized picture before the edges are drawn, in order.
  public let filters: [Filter]

  init(_ shape: Shape, filters: [Filter] = []) {
    self.shape = shape
    self.filters = filters
  }

  /// Every pixel of the image, upright, unchanged.
  public static let original = Style(.original)

  /// The size of the view that shows the picture; in all other places it is ``original``.
  ///
  /// A view asks for the whole picture, no larger than it is drawn but for a quarter, and again
  /// when it has become larger than that, or half as large or less.
  public static let automatic = Style(.automatic)

  /// Exactly this size, cropped from the centre of the picture.
  public static func rectangle(width: Double, height: Double) -> Style {
    Style(.rectangle(Points(width), Points(height)))
  }

  /// A rectangle with round corners.
  ///
  /// A radius over half of the shorter side counts as that half; one of zero leaves the corners
  /// square.
  public static func rounded(
    width: Double,
    height: Double,
    cornerRadius: Double,
    border: Border? = nil
  ) -> Style {
    let radius = Points(cornerRadius)
    return Style(.rounded(Points(width), Points(height), radius: radius, border?.visible))
  }

  /// A disc cut from the centre of the picture.
  public static func circle(_ diameter: Double, border: Border? = nil) -> Style {
    Style(.circle(Points(diameter), border?.visible))
  }

  /// The whole picture, as large as fits inside this size.
  ///
  /// - Parameters:
  ///   - width: The most points across.
  ///   - height: The most points down.
  ///   - enlarges: Whether a picture that is smaller is enlarged; without, it keeps its own pixels
  ///     at any scale.
  /// - Returns: The style.
  public static func fit(width: Double, height: Double, enlarges: Bool = true) -> Style {
    Style(.fit(Box(width: Points(width), height: Points(height), enlarges: enlarges)))
  }

  /// The whole picture, as wide as this.
  ///
  /// A picture that would be taller than 16,384 pixels is narrower.
  ///
  /// - Parameters:
  ///   - width: The points across.
  ///   - enlarges: Whether a narrower picture is enlarged; without, it keeps its own pixels.
  /// - Returns: The style.
  public static func fit(width: Double, enlarges: Bool = true) -> Style {
    Style(.fit(Box(width: Points(width), enlarges: enlarges)))
  }

  /// The whole picture, as tall as this.
  ///
  /// A picture that would be wider than 16,384 pixels is less tall.
  ///
  /// - Parameters:
  ///   - height: The points down.
  ///   - enlarges: Whether a lower picture is enlarged; without, it keeps its own pixels.
  /// - Returns: The style.
  public static func fit(height: Double, enlarges: Bool = true) -> Style {
    Style(.fit(Box(height: Points(height), enlarges: enlarges)))
  }

  /// The whole picture, as small as covers this size.
  ///
  /// Nothing is cropped: one side may be longer. A picture that would be longer than 16,384 pixels
  /// is smaller.
  ///
  /// - Parameters:
  ///   - width: The least points across.
  ///   - height: The least points down.
  ///   - enlarges: Whether a picture that is too small is enlarged; without, it keeps its own
  ///     pixels at any scale.
  /// - Returns: The style.
  public static func cover(width: Double, height: Double, enlarges: Bool = true) -> Style {
    let (width, height) = (Points(width), Points(height))
    return Style(.fit(Box(width: width, height: height, enlarges: enlarges, isCovered: true)))
  }

  // Decision 2: `fill` covers and crops, as `rect` does.
  /// Exactly this size, covered by the picture; the rest is cropped equally on both ends.
  ///
  /// The pixels are the same as for ``rectangle(width:height:)``; other programs use this name.
  public static func fill(width: Double, height: Double) -> Style {
    Style(.fill(Points(width), Points(height)))
  }

  /// A rectangle of the upright picture, in its own pixels, at exactly this size.
  ///
  /// This is for tiles of a very large picture; only what is needed of the file is decoded, in
  /// bounded memory where the format allows it. A picture that does not have all of the rectangle
  /// is an error.
  ///
  /// Resizing looks a few pixels beyond the rectangle's edges, so that tiles fit together. With
  /// `isolated` it does not: one cell of a sprite takes no colour from its neighbours.
  public static func region(
    _ region: PixelRectangle,
    width: Double,
    height: Double,
    isolated: Bool = false
  ) -> Style {
    Style(.region(region, Points(width), Points(height), isolated: isolated))
  }

  /// Whether every pixel of the image is there, in its own size.
  package var isOriginal: Bool { shape == .original || shape == .automatic }

  /// Whether a view chooses the size.
  package var isAutomatic: Bool { shape == .automatic }

  /// This style, with all pixels where a view would choose the size.
  package var withoutView: Style { isAutomatic ? Style(.original, filters: filters) : self }

  /// Whether the result is all of the image in its aspect, in whatever size.
  package var isWhole: Bool {
    if case .fit = shape { true } else { isOriginal }
  }

  /// Whether one side of the result may have any length.
  package var hasOpenSide: Bool {
    guard case .fit(let box) = shape else { return isOriginal }
    return box.width == nil || box.height == nil
  }

  /// The same style without its filters.
  package var withoutFilters: Style { Style(shape) }

  /// A style of this size, without filters, edges and transforms.
  package var sizeAlone: Style {
    switch shape {
    case .automatic, .original, .rectangle, .fit, .fill, .region: withoutFilters
    case .rounded(let width, let height, _, _): Style(.fill(width, height))
    case .circle(let diameter, _): Style(.fill(diameter, diameter))
    case .freeform: .original
    }
  }

  /// The same style with more filters, after those it has.
  public func filtered(_ more: [Filter]) -> Style {
    more.isEmpty ? self : Style(shape, filters: filters + more)
  }

  /// A custom transform, applied to the whole upright image.
  ///
  /// Styles with the same name and version are equal and share cached results, so raise the
  /// version when `transform` draws something else. It may run on any thread, and on several
  /// at once.
  public static func freeform(
    name: String,
    version: Int,
    transform: @escaping @Sendable (Bitmap) throws -> Bitmap
  ) -> Style {
    Style(.freeform(FreeformTransform(name: name, version: version, run: transform)))
  }
}

extension Style.Border {
  /// A border of no width is no border.
  fileprivate var visible: Style.Border? { thickness.isZero ? nil : self }
}

/// A caller's transform, identified by its name and version.
struct FreeformTransform: Sendable, Hashable {
  let name: String
  let version: Int
  let run: @Sendable (Bitmap) throws -> Bitmap

  static func == (left: FreeformTransform, right: FreeformTransform) -> Bool {
    // Compares bytes, like the key: names that look equal may have different code points.
    left.version == right.version && left.name.utf8.elementsEqual(right.name.utf8)
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(version)
    for byte in name.utf8 { hasher.combine(byte) }
  }
}
