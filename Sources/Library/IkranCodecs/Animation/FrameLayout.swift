import IkranPixels

/// Where a frame is drawn, and what happens to it: the part that GIF, PNG and WebP have in common.
struct FrameLayout: Sendable {
  /// What becomes of a frame's area before the next frame is drawn.
  enum Disposal: Sendable {
    /// It stays.
    case keep
    /// It is cleared.
    case clear
    /// It shows again what was below the frame.
    case restore
  }

  /// The frame's area on the canvas; nil when all of it is outside.
  var area: FrameArea?
  /// Pixels that are decoded to draw it.
  var pixelCount: Int
  /// In milliseconds, as the file says.
  var duration: Int
  var disposal = Disposal.keep
  /// Whether pixels of the frame may be transparent.
  var hasAlpha: Bool
  /// Whether it is drawn over what is below; else it replaces even that with transparent pixels.
  var isBlended: Bool

  /// Whether every pixel below the frame is replaced.
  var replacesArea: Bool { !hasAlpha || !isBlended }
}

/// A rectangle of whole pixels inside a canvas, never empty.
struct FrameArea: Sendable, Hashable {
  let left: Int
  let top: Int
  let width: Int
  let height: Int

  /// The part of a rectangle that lies on a canvas; nil when none does.
  ///
  /// The rectangle must not begin left of the canvas or above it.
  init?(left: Int, top: Int, size: PixelSize, on canvas: PixelSize) {
    guard (0..<canvas.width).contains(left), (0..<canvas.height).contains(top), size.isPositive
    else { return nil }
    self.left = left
    self.top = top
    width = min(size.width, canvas.width - left)
    height = min(size.height, canvas.height - top)
  }

  var rectangle: PixelRectangle { PixelRectangle(x: left, y: top, width: width, height: height) }

  func covers(_ canvas: PixelSize) -> Bool { width == canvas.width && height == canvas.height }
}
