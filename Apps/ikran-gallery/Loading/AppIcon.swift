import Ikran

/// The program's icon: four avatars on a rounded tile, drawn with shapes and filters.
enum AppIcon {
  static let side = 256

  /// Draws it and encodes it as PNG.
  ///
  /// - Throws: ``BitmapError``, ``FilterError`` or ``EncodeError``.
  static func png() throws -> [UInt8] {
    let size = PixelSize(width: side, height: side)
    let tile = RoundedShape(x: 16, y: 16, width: 224, height: 224, radius: 52)
    var canvas = try Canvas(size: size, format: .bgra)
    canvas.draw(try shadow(of: tile, size), x: 0, y: 6)
    canvas.draw(try background(size), x: 0, y: 0, clippedTo: tile)
    for (index, color) in colors.enumerated() {
      let (column, row) = (Double(index % 2), Double(index / 2))
      let avatar = try avatar(color, diameter: 88)
      canvas.draw(avatar, x: Int(34 + column * 100), y: Int(34 + row * 100))
    }
    canvas.stroke(tile, width: 2, with: Color(red: 255, green: 255, blue: 255, alpha: 40))
    return try canvas.finish().encoded(as: .png)
  }

  private static let colors = [
    Color(red: 255, green: 196, blue: 87), Color(red: 108, green: 214, blue: 188),
    Color(red: 255, green: 139, blue: 122), Color(red: 142, green: 176, blue: 255),
  ]

  private static func shadow(of tile: RoundedShape, _ size: PixelSize) throws -> Bitmap {
    var canvas = try Canvas(size: size, format: .bgra)
    canvas.fill(tile, with: Color(red: 0, green: 0, blue: 0, alpha: 110))
    return try canvas.finish().filtered([.blur(radius: 7)])
  }

  /// Night blue, lighter where the light falls.
  private static func background(_ size: PixelSize) throws -> Bitmap {
    var canvas = try Canvas(size: size, format: .bgra)
    canvas.fill(RoundedShape(size), with: Color(red: 31, green: 44, blue: 84))
    let light = RoundedShape(x: -40, y: -90, width: 260, height: 220, radius: 110)
    canvas.fill(light, with: Color(red: 84, green: 118, blue: 190, alpha: 170))
    return try canvas.finish().filtered([.blur(radius: 36), .vignette()])
  }

  /// A head and shoulders in a disc.
  private static func avatar(_ color: Color, diameter: Int) throws -> Bitmap {
    let size = PixelSize(width: diameter, height: diameter)
    let side = Double(diameter)
    var person = try Canvas(size: size, format: .bgra)
    person.fill(RoundedShape(size), with: color)
    let ink = Color(red: 27, green: 36, blue: 66)
    let head = side * 0.36
    person.fill(
      RoundedShape(x: (side - head) / 2, y: side * 0.2, width: head, height: head, radius: head),
      with: ink
    )
    person.fill(
      RoundedShape(
        x: side * 0.18,
        y: side * 0.64,
        width: side * 0.64,
        height: side * 0.6,
        radius: side * 0.3
      ),
      with: ink
    )
    var disc = try Canvas(size: size, format: .bgra)
    let outline = RoundedShape(size, radius: side / 2)
    disc.draw(person.finish(), x: 0, y: 0, clippedTo: outline)
    disc.stroke(outline, width: 3, with: Color(red: 255, green: 255, blue: 255, alpha: 200))
    return disc.finish()
  }

  /// What stands for a picture that cannot be shown: an exclamation mark on gray.
  static func failure(isDark: Bool) -> Bitmap? {
    let side = 128.0
    let (ground, ink): (UInt8, UInt8) = isDark ? (62, 128) : (226, 158)
    guard var canvas = try? Canvas(size: PixelSize(width: 128, height: 128), format: .bgra) else {
      return nil
    }
    let size = canvas.size
    canvas.fill(RoundedShape(size), with: Color(red: ground, green: ground, blue: ground))
    let color = Color(red: ink, green: ink, blue: ink)
    let width = side * 0.085
    let left = (side - width) / 2
    canvas.fill(
      RoundedShape(x: left, y: side * 0.29, width: width, height: side * 0.27, radius: width),
      with: color
    )
    canvas.fill(
      RoundedShape(x: left, y: side * 0.63, width: width, height: width, radius: width),
      with: color
    )
    return canvas.finish()
  }
}
