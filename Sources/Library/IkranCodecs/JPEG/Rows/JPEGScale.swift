import IkranPixels

/// The geometry of a picture that is decoded at `eighths`/8.
struct JPEGScale {
  /// One component's samples.
  struct Plane {
    /// Blocks of one MCU, across and down.
    let across, down: Int
    /// Samples of a block's side.
    let side: Int
    /// Samples of the component, without those of the last blocks that lie outside the picture.
    let width, height: Int
    /// Blocks of the component, without those that lie outside the picture.
    let blocksAcross, blocksDown: Int
    /// Whether only the means of blocks are decoded, and their samples are interpolated.
    let isInterpolated: Bool
    /// Whether the component has half as many columns, or rows, as the result.
    let isHalfWide, isHalfTall: Bool

    /// Rows that an MCU holds.
    var rows: Int { down * side }
    /// Coefficients that a block has room for.
    var stride: Int { side >= 4 ? 64 : side == 2 && !isInterpolated ? 8 : 1 }
  }

  /// The size of the result.
  let size: PixelSize
  /// The size of an MCU in the result.
  let mcu: PixelSize
  let mcusAcross, mcusDown: Int
  let planes: [Plane]
  /// Whether halved chroma is interpolated; in the smallest pictures it is repeated.
  let isSmooth: Bool

  /// The geometry that libjpeg has.
  ///
  /// At an eighth, that takes more than the means of chroma that has half of luma's columns and
  /// rows, unless `interpolatesChroma` is true.
  init(_ tables: JPEGTables, eighths: Int, interpolatesChroma: Bool = false) {
    func scaled(_ length: Int, by factor: Int, of whole: Int) -> Int {
      (length * factor + whole - 1) / whole
    }
    let across = tables.components[0].across
    let down = tables.components[0].down
    size = PixelSize(
      width: scaled(tables.size.width, by: eighths, of: 8),
      height: scaled(tables.size.height, by: eighths, of: 8)
    )
    mcu = PixelSize(width: across * eighths, height: down * eighths)
    mcusAcross = scaled(tables.size.width, by: 1, of: 8 * across)
    mcusDown = scaled(tables.size.height, by: 1, of: 8 * down)
    isSmooth = eighths > 1
    planes = tables.components.map { component in
      // Blocks of halved chroma are reduced less instead, when both axes allow it.
      let isQuartered = across == 2 * component.across && down == 2 * component.down
      let side = isQuartered && eighths < 8 ? 2 * eighths : eighths
      return Plane(
        across: component.across,
        down: component.down,
        side: side,
        width: scaled(tables.size.width, by: component.across * side, of: 8 * across),
        height: scaled(tables.size.height, by: component.down * side, of: 8 * down),
        blocksAcross: scaled(tables.size.width, by: component.across, of: 8 * across),
        blocksDown: scaled(tables.size.height, by: component.down, of: 8 * down),
        isInterpolated: interpolatesChroma && isQuartered && eighths == 1,
        isHalfWide: component.across * side < across * eighths,
        isHalfTall: component.down * side < down * eighths
      )
    }
  }

  /// Blocks of an MCU, of all components.
  var blocksPerMCU: Int { planes.reduce(0) { $0 + $1.across * $1.down } }

  /// Blocks of the picture.
  var blockCount: Int { mcusAcross * mcusDown * blocksPerMCU }

  /// The MCUs that `columns` of the result depend on, interpolation included.
  func mcus(for columns: Range<Int>) -> Range<Int> {
    Self.blocks(columns, mcu.width, mcusAcross)
  }

  /// The rows of MCUs that `rows` of the result depend on, interpolation included.
  func mcuRows(for rows: Range<Int>) -> Range<Int> { Self.blocks(rows, mcu.height, mcusDown) }

  private static func blocks(_ range: Range<Int>, _ length: Int, _ count: Int) -> Range<Int> {
    let first = max(range.lowerBound - 4, 0) / length
    return first..<max(first, min((range.upperBound + 3) / length + 1, count))
  }
}
