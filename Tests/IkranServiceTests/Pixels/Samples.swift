import IkranCodecs
import IkranPixels

@testable import IkranService

/// Pictures whose parts are known by their colours.
enum Samples {
  static let red = Color(red: 255, green: 0, blue: 0)
  static let green = Color(red: 0, green: 255, blue: 0)
  static let blue = Color(red: 0, green: 0, blue: 255)
  static let clear = Color(red: 0, green: 0, blue: 0, alpha: 0)

  /// A picture of one colour with rectangles of others.
  static func picture(
    _ width: Int,
    _ height: Int,
    _ ground: Color,
    _ parts: [(PixelRectangle, Color)] = []
  ) throws -> Bitmap {
    let size = PixelSize(width: width, height: height)
    var canvas = try Canvas(size: size, format: ground.alpha == 255 ? .bgrx : .bgra)
    canvas.fill(RoundedShape(size), with: ground)
    for (part, color) in parts {
      canvas.draw(try Bitmap(color, size: part.size), x: part.x, y: part.y)
    }
    return canvas.finish()
  }

  static func box(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> PixelRectangle {
    PixelRectangle(x: x, y: y, width: width, height: height)
  }

  /// 40 × 20 pixels: red, green above, blue, white below.
  static func quarters() throws -> Bitmap {
    try picture(
      40,
      20,
      .white,
      [(box(0, 0, 20, 10), red), (box(20, 0, 20, 10), green), (box(0, 10, 20, 10), blue)]
    )
  }

  /// The result of an upright picture.
  static func result(
    of picture: Bitmap,
    _ options: ProcessingOptions,
    as format: ImageFormat = .png,
    orientation: Orientation = .up,
    watermark: WatermarkPicture? = nil
  ) throws -> Bitmap {
    // A turn and its inverse have the same sides.
    var info = ImageInfo(format: .png, size: orientation.uprightSize(of: picture.size))
    info.orientation = orientation
    let plan = try ResultPlan(info, options, as: format)
    return try plan.render(try picture.resampled(plan.fitting), watermark: watermark)
  }

  /// The colours in the four corners, row by row.
  static func corners(_ picture: Bitmap) -> [Color?] {
    let (right, bottom) = (picture.width - 1, picture.height - 1)
    return [
      picture.color(x: 0, y: 0), picture.color(x: right, y: 0), picture.color(x: 0, y: bottom),
      picture.color(x: right, y: bottom),
    ]
  }
}
