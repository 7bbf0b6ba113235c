/// What a picture should look like: its size, its edges and its border.
///
/// Lengths are points: multiplied by a scale when a bitmap is made, they become pixels, so one
/// style serves every screen.
/// ```swift
/// let face = Style.circle(48, border: .init(2, color: .white))
/// let small = try photo.styled(face, scale: 2)      // 96 × 96 pixels, a ring of 4
/// let same = try Style(parsing: "circle:48,b=2,bc=#FFFFFF")
/// assert(same == face && same.key == face.key)
/// ```
/// Whatever has a size keeps the picture's aspect: the picture covers the size and the surplus is
/// cut equally from both ends, except with ``fit(width:height:)``, which cuts nothing and may stay
/// narrower or lower.
///
/// A style is data. Lengths are kept in thousandths of a point, and two styles are equal exactly
/// when their ``key``s are, on every run and every machine.
public struct Style: Sendable, Hashable {
  /// A line along the inside of the edge.
  ///
  /// With a colour it is painted over the picture as a ring of that width. Without one it is left
  /// transparent: the picture ends that far inside, its corners as round as before.
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

  enum Shape: Sendable, Hashable {
    case original
    case rectangle(Points, Points)
    case rounded(Points, Points, radius: Points, Border?)
    case circle(Points, Border?)
    case fit(Points, Points)
    case fill(Points, Points)
    case freeform(FreeformTransform)
  }

  let shape: Shape

  init(_ shape: Shape) { self.shape = shape }

  /// Every pixel of the image, upright, untouched.
  public static let original = Style(.original)

  /// Exactly this size: the centre of the picture, its aspect kept.
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
  public static func fit(width: Double, height: Double) -> Style {
    Style(.fit(Points(width), Points(height)))
  }

  /// Exactly this size, covered by the picture, what is left over cut equally from both ends.
  ///
  /// The pixels are those of ``rectangle(width:height:)``; the name is the one other programs use.
  public static func fill(width: Double, height: Double) -> Style {
    Style(.fill(Points(width), Points(height)))
  }

  /// A transform of your own, applied to the whole upright image.
  ///
  /// Styles with the same name and version are equal and share cached results, so raise the
  /// version whenever `transform` changes what it draws. It may run on any thread, and on several
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

/// A caller's transform, known by its name and version alone.
struct FreeformTransform: Sendable, Hashable {
  let name: String
  let version: Int
  let run: @Sendable (Bitmap) throws -> Bitmap

  static func == (left: FreeformTransform, right: FreeformTransform) -> Bool {
    // As bytes, like the key: equal-looking names may be spelled with different code points.
    left.version == right.version && left.name.utf8.elementsEqual(right.name.utf8)
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(version)
    for byte in name.utf8 { hasher.combine(byte) }
  }
}
