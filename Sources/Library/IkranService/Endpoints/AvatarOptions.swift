import IkranPixels

/// How an avatar looks, and what is drawn where its source cannot be had.
struct AvatarOptions: Sendable, Hashable {
  enum Shape: String, Sendable {
    case circle, rounded, square
  }

  /// The sides of the largest avatar, in pixels of the page and of the screen.
  static let largestSide = 2048

  /// In pixels of the page.
  var size = 128
  var shape = Shape.circle
  /// What follows the size in the text of a ``Style``, with a comma before each part.
  var edges = ""
  /// Whose initials are drawn.
  var name: String?
  /// The ThumbHash that is drawn where there is no name.
  var thumbHash: [UInt8]?

  /// Whether there is something to draw without a source.
  var canBeDrawn: Bool { name != nil || thumbHash != nil }

  /// The style in points, which are pixels of the page.
  ///
  /// - Throws: ``ServiceError/option(name:reason:)`` for edges that it cannot have.
  func style() throws(ServiceError) -> Style {
    try checkBorder()
    let radius = edges.hasPrefix(",r=") ? "" : ",r=\(max(1, size / 6))"
    let text =
      switch shape {
      case .circle: "circle:\(size)\(edges)"
      case .rounded: "rounded:\(size)x\(size)\(radius)\(edges)"
      case .square: "rect:\(size)x\(size)\(edges)"
      }
    do throws(StyleError) {
      let style = try Style(parsing: text)
      _ = try style.fitting(scale: 1)
      return style
    } catch { throw .option(name: "style", reason: "is none: \(error)") }
  }

  /// Refuses a border that would only make the portrait smaller, or leave nothing of it.
  private func checkBorder() throws(ServiceError) {
    let parts = edges.split(separator: ",")
    guard let text = parts.last(where: { $0.hasPrefix("b=") })?.dropFirst(2),
      let width = Double(text), width > 0
    else { return }
    guard parts.contains(where: { $0.hasPrefix("bc=") }) else {
      throw .option(name: "style", reason: "has a border without a colour: b=\(text):bc=ffffff")
    }
    guard 2 * width < Double(size) else {
      throw .option(name: "style", reason: "has a border of \(text) around \(size) pixels")
    }
  }

  /// Pixels of the result for each of the page.
  ///
  /// - Parameters:
  ///   - dpr: What is asked for.
  ///   - limit: The longest side of the service's results; 0 is none.
  /// - Returns: As many, or fewer where the avatar would be over a limit.
  func scale(_ dpr: Double, limit: Int) -> Double {
    let longest = limit > 0 ? min(limit, Self.largestSide) : Self.largestSide
    return min(dpr, Double(longest) / Double(size))
  }
}
