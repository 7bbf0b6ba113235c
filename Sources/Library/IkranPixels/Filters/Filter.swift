/// A change of a picture's pixels: its colours, its sharpness or its shape.
///
/// ```swift
/// request.filters = [.grayed(), .blur(radius: 4)]
/// let poster = try photo.filtered([.contrast(1.3), .posterize(levels: 6)])
/// let badge = Style.circle(48).filtered([.saturation(0)])
/// ```
/// Filters run in order, after the picture has been resized to what is shown and before a style's
/// edges, on stills and on each frame. Neighbours that look at one pixel at a time share one pass.
///
/// They treat colours as straight (not premultiplied) sRGB, 0…1; clear pixels never colour others.
/// Lengths are in points, so a filter looks alike at every scale, but for four whose radius ends
/// at 32 pixels: `bilateralBlur`, `kuwahara`, `median` and `oilPainting`. Numbers outside a
/// parameter's range count as its nearest end, and are kept to four decimals; one that is no finite
/// number throws when the filter runs.
///
/// A filter is data: two filters are equal exactly when their ``key``s are.
public struct Filter: Sendable {
  enum Kind: Sendable {
    case standard(FilterDefinition, [FilterValue])
    case custom(any CustomFilter)
  }

  let kind: Kind

  /// A custom filter.
  public static func custom(_ filter: some CustomFilter) -> Filter { Filter(kind: .custom(filter)) }

  init(_ definition: FilterDefinition, _ values: FilterValue...) {
    let values = zip(definition.parameters, values).map { $0.clamped($1) }
    kind = .standard(definition, values)
  }

  init(definition: FilterDefinition, values: [FilterValue]) {
    kind = .standard(definition, values)
  }

  private init(kind: Kind) { self.kind = kind }

  /// The name, such as `blur`.
  public var name: String {
    switch kind {
    case .standard(let definition, _): definition.name
    case .custom(let filter): filter.name
    }
  }

  /// Rises when the same parameters give other pixels.
  public var version: Int {
    switch kind {
    case .standard(let definition, _): definition.version
    case .custom(let filter): filter.version
    }
  }
}

extension Filter: Hashable {
  /// Whether both have the same ``key``.
  public static func == (left: Filter, right: Filter) -> Bool {
    switch (left.kind, right.kind) {
    case (.standard(let one, let values), .standard(let other, let others)):
      return one === other && values == others
    case (.custom, .custom): return left.key.utf8.elementsEqual(right.key.utf8)
    default: return false
    }
  }

  /// Adds what decides the ``key``.
  public func hash(into hasher: inout Hasher) {
    switch kind {
    case .standard(let definition, let values):
      hasher.combine(ObjectIdentifier(definition))
      hasher.combine(values)
    case .custom:
      for byte in key.utf8 { hasher.combine(byte) }
    }
  }
}

extension Filter: CustomStringConvertible {
  /// The filter's ``key``.
  public var description: String { key }
}

/// A filter that a program brings along.
///
/// ```swift
/// struct Mirrored: CustomFilter {
///   var name: String { "mirrored" }
///   func apply(to picture: Bitmap, scale: Double) throws -> Bitmap {
///     try picture.flipped(horizontally: true, vertically: false)
///   }
/// }
/// request.filters = [.custom(Mirrored())]
/// ```
/// Results are cached by ``name``, ``version`` and ``parameters``: raise the version when the
/// same parameters give other pixels.
public protocol CustomFilter: Sendable {
  /// The name, apart from all others of the program.
  var name: String { get }
  /// 1, unless a conforming type says otherwise.
  var version: Int { get }
  /// Canonical text of everything that decides what it draws; empty, unless a conforming type says
  /// otherwise.
  var parameters: String { get }

  /// Draws a new picture from this one.
  ///
  /// It may run on any thread, and on several at once.
  ///
  /// - Parameters:
  ///   - picture: Upright, with premultiplied alpha or none, at the size that is shown.
  ///   - scale: Pixels per point.
  /// - Returns: The new picture, of any size and format.
  /// - Throws: Whatever went wrong; the request then fails with
  ///   ``FilterError/failed(name:reason:)``.
  func apply(to picture: Bitmap, scale: Double) throws -> Bitmap
}

extension CustomFilter {
  /// 1.
  public var version: Int { 1 }
  /// Empty.
  public var parameters: String { "" }
}
