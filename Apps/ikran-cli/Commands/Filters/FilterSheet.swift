import Ikran
import IkranPixels
import IkranText

/// One picture with every filter, labelled with what made it.
enum FilterSheet {
  static let cell = PixelSize(width: 168, height: 126)
  private static let gap = 12
  private static let label = 34
  private static let columns = 8

  /// Draws the sheet of a picture of the cell's size.
  static func draw(_ picture: Bitmap) throws -> Bitmap {
    let workspace = Workspace()
    let filters = try FilterDescription.all.map { ($0, try example(of: $0, picture)) }
    let (width, height) = (cell.width + gap, cell.height + label + gap)
    let rows = (filters.count + columns) / columns
    let size = PixelSize(width: columns * width + gap, height: rows * height + gap)
    var canvas = try Canvas(size: size, format: .bgrx)
    canvas.fill(RoundedShape(size), with: Color(red: 0xE6, green: 0xE6, blue: 0xE6))
    let all =
      [("the picture", picture)]
      + (try filters.map { (text($0, $1), try picture.filtered([$1], workspace: workspace)) })
    for (index, (text, picture)) in all.enumerated() {
      let (x, y) = (gap + index % columns * width, gap + index / columns * height)
      try draw(picture, text, on: &canvas, x: x, y: y)
    }
    return canvas.finish()
  }

  private static func draw(
    _ picture: Bitmap,
    _ text: String,
    on canvas: inout Canvas,
    x: Int,
    y: Int
  ) throws {
    let small =
      try picture.width > cell.width || picture.height > cell.height
      ? picture.resampled(.inside(cell)) : picture
    canvas.draw(
      small,
      x: x + (cell.width - small.width) / 2,
      y: y + (cell.height - small.height) / 2
    )
    let style = TextStyle(fontSize: 12, maximumWidth: cell.width, maximumLines: 2)
    try canvas.draw(text, x: x, y: y + cell.height + 2, style: style)
  }

  /// The filter that shows what a description says; those that need files get what is at hand.
  private static func example(of filter: FilterDescription, _ picture: Bitmap) throws -> Filter {
    if let example = filter.example { return try Filter(parsing: example) }
    if filter.name == "blend" {
      return .blend(.screen, with: try picture.flipped(horizontally: true))
    }
    return .lookup(try table())
  }

  private static func text(_ description: FilterDescription, _ filter: Filter) -> String {
    description.example ?? "\(description.name) \(filter.name == "blend" ? "screen" : "(a look)")"
  }

  /// A look: shadows cool, lights warm.
  private static func table() throws -> LookupTable {
    let side = 16
    let size = PixelSize(width: side * side, height: side)
    var canvas = try Canvas(size: size, format: .bgrx)
    let rowBytes = canvas.bytesPerRow
    canvas.withMutableBytes { bytes in
      for y in 0..<side {
        for x in 0..<side * side {
          let place = y * rowBytes + x * 4
          bytes[place] = UInt8(x / side * 17)
          bytes[place + 1] = UInt8(y * 17)
          bytes[place + 2] = UInt8(x % side * 17)
          bytes[place + 3] = 255
        }
      }
    }
    let cool: [(x: Double, y: Double)] = [(0, 0.25), (1, 0.85)]
    let look: [Filter] = [.contrast(1.2), .curves(red: [(0, 0), (0.5, 0.6), (1, 1)], blue: cool)]
    return try LookupTable(image: canvas.finish().filtered(look))
  }
}
