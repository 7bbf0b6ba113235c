import Ikran

/// The layout of a contact sheet: equal cells with gaps between and around them.
struct SheetLayout: Equatable {
  /// The pixels between two cells and at the edges.
  static let gap = 8
  /// The longest side of a sheet.
  static let maximumSide = 16_384
  /// The most pixels of a sheet: a quarter of a gigabyte while it is drawn.
  static let maximumPixels = 1 << 26

  let cell: PixelSize
  let columns: Int
  let size: PixelSize

  /// Lays out `count` cells; `columns` nil makes about as many columns as rows.
  ///
  /// - Throws: ``Failure`` when the sheet would be too large.
  init(count: Int, cell: PixelSize, columns: Int?) throws(Failure) {
    let square = Int(Double(count).squareRoot().rounded(.up))
    self.cell = cell
    self.columns = min(max(columns ?? square, 1), max(count, 1))
    let rows = (count + self.columns - 1) / self.columns
    size = PixelSize(
      width: self.columns * (cell.width + Self.gap) + Self.gap,
      height: rows * (cell.height + Self.gap) + Self.gap
    )
    let isFine =
      max(size.width, size.height) <= Self.maximumSide
      && size.width * size.height <= Self.maximumPixels
    guard isFine else {
      throw Failure(
        "a sheet of \(size) pixels is too large (\(Self.maximumSide) per side and "
          + "\(Self.maximumPixels) in all); use a smaller style, other --columns or a shorter list"
      )
    }
  }

  /// The left and top edge of cell `index`.
  func origin(of index: Int) -> (x: Int, y: Int) {
    let (row, column) = index.quotientAndRemainder(dividingBy: columns)
    return (
      Self.gap + column * (cell.width + Self.gap),
      Self.gap + row * (cell.height + Self.gap)
    )
  }
}
