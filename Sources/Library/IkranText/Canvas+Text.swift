public import IkranPixels

extension TextStyle {
  /// The size that `Bitmap.text(_:style:)` draws a text with, in pixels.
  ///
  /// Cost: finding the fonts and laying the text out, from tenths of a millisecond; the first text
  /// on each thread takes longer, as it loads its fonts.
  ///
  /// - Throws: ``TextError``.
  public func size(of text: String) throws(TextError) -> PixelSize {
    try PlacedText(text, self).size
  }
}

extension Bitmap {
  /// A text on a transparent ground.
  ///
  /// Any script that the installed fonts have is drawn, in its own direction; other characters
  /// appear as boxes. A line feed begins a line. Control characters are left out, and so is what
  /// follows the first 4,096 code points.
  ///
  /// - Returns: The lines' boxes, in ``PixelFormat/bgra``; strokes that reach out of them are
  ///   cropped.
  /// - Throws: ``TextError``.
  public static func text(
    _ text: String,
    style: TextStyle = TextStyle()
  ) throws(TextError) -> Bitmap {
    try PlacedText(text, style).draw()
  }
}

extension Canvas {
  /// Draws a text over what is there, the top left of its first line's box at (`x`, `y`).
  ///
  /// What lies outside the canvas is cropped. See `Bitmap.text(_:style:)`.
  ///
  /// - Throws: ``TextError``; nothing has been drawn then.
  public mutating func draw(
    _ text: String,
    x: Int,
    y: Int,
    style: TextStyle = TextStyle()
  ) throws(TextError) {
    draw(try Bitmap.text(text, style: style), x: x, y: y)
  }
}

/// A text laid out in a box of whole pixels.
private struct PlacedText: ~Copyable {
  let size: PixelSize
  private let layout: LayoutHandle
  private let left, top, fontSize: Double
  private let color: Color

  init(_ text: String, _ style: TextStyle) throws(TextError) {
    guard (1...2048).contains(style.fontSize) else { throw .invalidFontSize }
    let layout = try LayoutHandle(CleanText(text), style)
    let (lines, fontSize) = (layout.lines, style.fontSize)
    let size = PixelSize(
      width: max(1, Int((lines.width * fontSize).rounded(.up))),
      height: max(1, Int((lines.height * fontSize).rounded(.up)))
    )
    guard size.width <= 16384, size.height <= 16384 else { throw .invalidSize(size) }
    (left, top) = (-lines.x * fontSize, -lines.y * fontSize)
    (self.size, self.fontSize, color) = (size, fontSize, style.color)
    self.layout = layout
  }

  func draw() throws(TextError) -> Bitmap {
    var canvas: Canvas
    do { canvas = try Canvas(size: size, format: .bgra) } catch { throw .bitmap(error) }
    try layout.draw(on: &canvas, x: left, y: top, fontSize: fontSize, color: color)
    return canvas.finish()
  }
}
