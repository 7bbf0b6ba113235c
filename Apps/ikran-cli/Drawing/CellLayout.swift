import Ikran

/// The cells of a terminal that a picture covers, and the pixels that it needs there.
struct CellLayout: Sendable, Hashable {
  /// The size of a page without a terminal.
  static let page = TerminalSize(columns: 80, rows: 200)

  /// A character where the terminal does not say: twice as high as wide.
  private static let usualCell = PixelSize(width: 8, height: 16)
  /// Larger terminals leave the rest empty; each cell takes half a kilobyte.
  private static let largest = PixelSize(width: 1000, height: 500)

  let columns: Int
  let rows: Int
  /// Lines that stay free below the picture.
  let linesBelow: Int
  /// Of a cell.
  let cell: PixelSize
  /// The size to draw the picture at; never larger than the picture.
  let pixels: PixelSize

  /// Every pixel of the cells.
  var canvas: PixelSize { PixelSize(width: columns * cell.width, height: rows * cell.height) }

  /// Lays out a picture in a terminal.
  ///
  /// Its aspect is kept. Drawn in pixels, it is never larger than it is; drawn in characters, it
  /// has at most one column for each pixel.
  init(_ picture: PixelSize, in terminal: TerminalSize, linesBelow: Int, inPixels: Bool) {
    self.linesBelow = linesBelow
    cell = terminal.cell ?? Self.usualCell
    let free = PixelSize(
      width: min(max(1, terminal.columns), Self.largest.width),
      height: min(max(1, terminal.rows - linesBelow), Self.largest.height)
    )
    let (width, height) = (Double(picture.width), Double(picture.height))
    let (cellWidth, cellHeight) = (Double(cell.width), Double(cell.height))
    // Screen pixels for each pixel of the picture.
    let factor = min(
      Double(free.width) * cellWidth / width,
      Double(free.height) * cellHeight / height,
      inPixels ? 1 : cellWidth
    )
    let exact = (columns: width * factor / cellWidth, rows: height * factor / cellHeight)
    let rounding: FloatingPointRoundingRule = inPixels ? .up : .toNearestOrAwayFromZero
    columns = min(max(1, Int(exact.columns.rounded(rounding))), free.width)
    rows = min(max(1, Int(exact.rows.rounded(rounding))), free.height)
    pixels = PixelSize(
      width: min(max(1, Int((width * factor).rounded())), picture.width),
      height: min(max(1, Int((height * factor).rounded())), picture.height)
    )
  }
}
