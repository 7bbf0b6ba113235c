import IkranCodecs
import IkranPixels

/// Bounds of results, and of the pictures on the way to them.
struct ResultLimits: Sendable, Hashable {
  /// The longest side that is made at all; a longer one is an error.
  var side = 16_384
  /// The most pixels, likewise.
  var pixels = 100_000_000
  /// The longest side of results, which are shrunk to it; 0 is none.
  var shrinksTo = 0

  /// Refuses a size over the limits.
  ///
  /// - Throws: ``RenderError/tooLarge(_:)``.
  func check(_ size: PixelSize) throws(RenderError) {
    guard size.longest <= side, size.pixelCount ?? .max <= pixels else { throw .tooLarge(size) }
  }
}

extension ImageFormat {
  /// The longest side of a file in this format; nil for those whose limit is over all others.
  private var longestSide: Int? {
    switch self {
    case .webp: 16_383
    case .avif, .heic: 16_384
    case .gif: 65_535
    case .ico: 256
    default: nil
    }
  }

  /// The size with its aspect that the format can store.
  func limited(_ size: PixelSize) -> PixelSize {
    guard let longestSide, size.longest > longestSide else { return size }
    let scale = Double(longestSide) / Double(size.longest)
    return PixelSize(
      width: max(1, (Double(size.width) * scale).pixels),
      height: max(1, (Double(size.height) * scale).pixels)
    )
  }

  /// Whether transparent pixels stay so; they become white where not.
  var keepsAlpha: Bool { self != .jpeg }
}
