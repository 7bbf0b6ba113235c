public import IkranPixels

extension Bitmap {
  /// The letters that ``initials(_:size:background:foreground:weight:)`` draws for a name.
  ///
  /// Of several words these are the first characters of the first and of the last one, of a single
  /// word its first, and a word of two characters is taken as it is: “Ada Lovelace” and “al” are
  /// AL, “Ada” is A and “李小龍” is 李. Letters are capitals; signs before a word's first letter,
  /// digit or symbol do not count.
  ///
  /// - Returns: One or two characters, or an empty text when the name has none.
  public static func initials(of name: String) -> String { Initials(name).letters }

  /// A picture with the initials of a name in its middle: a placeholder for a portrait.
  ///
  /// ```swift
  /// let face = try Bitmap.initials("Ada Lovelace", size: PixelSize(width: 96, height: 96))
  ///   .styled(.circle(48), scale: 2)
  /// ```
  /// The same name has the same colour on every machine. Cost: laying out the letters and three
  /// passes; about 0.06 ms for 40 × 40 pixels.
  ///
  /// - Parameters:
  ///   - name: A name or initials, in any script; see ``initials(of:)``.
  ///   - size: The picture's size in pixels, at most 16,384 a side.
  ///   - background: The ground, or nil for one of sixteen colours that the name decides.
  ///   - foreground: The letters, or nil for white or black, whichever is easier to read.
  ///   - weight: How heavy the letters are.
  /// - Returns: The picture, in ``PixelFormat/bgrx`` on an opaque ground, else in
  ///   ``PixelFormat/bgra``.
  /// - Throws: ``TextError``.
  public static func initials(
    _ name: String,
    size: PixelSize,
    background: Color? = nil,
    foreground: Color? = nil,
    weight: TextStyle.Weight = .medium
  ) throws(TextError) -> Bitmap {
    let sides = 1...16384
    guard sides.contains(size.width), sides.contains(size.height) else { throw .invalidSize(size) }
    let initials = Initials(name)
    let (red, green, blue) = initials.color
    let ground = background ?? Color(red: red, green: green, blue: blue)
    let color = foreground ?? ground.mostReadable
    let letters = try drawnInMiddle(
      initials.letters,
      of: size,
      TextStyle(color: color, weight: weight)
    )
    do {
      var canvas = try Canvas(size: size, format: ground.alpha == 255 ? .bgrx : .bgra)
      canvas.fill(RoundedShape(size), with: ground)
      canvas.draw(letters, x: 0, y: 0)
      return canvas.finish()
    } catch { throw .bitmap(error) }
  }

  /// A clear picture with a text in its middle, at most 0.7 of its sides wide or high.
  private static func drawnInMiddle(
    _ text: String,
    of size: PixelSize,
    _ style: TextStyle
  ) throws(TextError) -> Bitmap {
    var canvas: Canvas
    do { canvas = try Canvas(size: size, format: .bgra) } catch { throw .bitmap(error) }
    let (width, height) = (Double(size.width), Double(size.height))
    let layout = try LayoutHandle(CleanText(text), style)
    let ink = layout.ink
    let common = min(width, height) * (text.count > 1 ? 0.44 : 0.52)
    // A quotient by zero is infinite, and so is no limit.
    let fontSize = min(common, 0.7 * width / ink.width, 0.7 * height / ink.height)
    try layout.draw(
      on: &canvas,
      x: width / 2 - (ink.x + ink.width / 2) * fontSize,
      y: height / 2 - (ink.y + ink.height / 2) * fontSize,
      fontSize: fontSize,
      color: style.color
    )
    return canvas.finish()
  }
}

extension Color {
  /// White or black, whichever has more contrast; white wins while it is easy to read.
  fileprivate var mostReadable: Color {
    let white = contrast(with: .white)
    return white >= 4.5 || white >= contrast(with: .black) ? .white : .black
  }
}
