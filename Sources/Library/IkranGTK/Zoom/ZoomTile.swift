import IkranPixels

/// A square of a picture, reduced by a power of two.
struct ZoomTile: Sendable, Hashable {
  /// Its width and height, in its own pixels, except at the right and lower edges of the picture.
  static let side = 256
  /// The most bytes that one takes.
  static let largestBytes = side * side * 4

  /// 0 is not reduced, 1 by a half, 2 by a quarter.
  let level: Int
  /// Counted from 0.
  let column, row: Int

  /// How many pixels of the picture make one, across and down.
  var reduction: Int { 1 << level }

  /// What it shows of the picture.
  func region(in picture: PixelSize) -> PixelRectangle {
    ZoomTiles(self).region(in: picture)
  }

  /// The tile of another level that shows what this one shows, and more.
  func parent(at level: Int) -> ZoomTile {
    let shift = level - self.level
    return ZoomTile(level: level, column: column >> shift, row: row >> shift)
  }
}

/// Neighbours from left to right, which are decoded at once: rows of a file are read as a whole.
struct ZoomTiles: Sendable, Hashable {
  /// The most neighbours.
  static let most = 4

  let level, row: Int
  var columns: Range<Int>

  init(_ tile: ZoomTile) {
    (level, row, columns) = (tile.level, tile.row, tile.column..<tile.column + 1)
  }

  var tiles: [ZoomTile] { columns.map { ZoomTile(level: level, column: $0, row: row) } }

  func region(in picture: PixelSize) -> PixelRectangle {
    let side = ZoomTile.side << level
    let (x, y) = (columns.lowerBound * side, row * side)
    return PixelRectangle(
      x: x,
      y: y,
      width: min(columns.count * side, picture.width - x),
      height: min(side, picture.height - y)
    )
  }

  /// Its size in its own pixels: a part of one at an edge counts.
  func pixels(in picture: PixelSize) -> PixelSize {
    let (size, reduction) = (region(in: picture).size, 1 << level)
    return PixelSize(
      width: (size.width + reduction - 1) / reduction,
      height: (size.height + reduction - 1) / reduction
    )
  }

  /// Whether a tile can be decoded with neighbours: one that ends within a pixel has another scale.
  static func isWhole(_ tile: ZoomTile, in picture: PixelSize) -> Bool {
    tile.region(in: picture).size.width % tile.reduction == 0
  }
}

/// Tiles in a rectangle, all of one level.
struct ZoomGrid: Sendable, Equatable {
  let level: Int
  var columns, rows: Range<Int>

  var count: Int { columns.count * rows.count }

  func contains(_ tile: ZoomTile) -> Bool {
    tile.level == level && columns.contains(tile.column) && rows.contains(tile.row)
  }

  var tiles: [ZoomTile] {
    rows.flatMap { row in columns.map { ZoomTile(level: level, column: $0, row: row) } }
  }

  /// The tiles, those next to a point first.
  ///
  /// - Parameters:
  ///   - column: Of the point, counted in tiles.
  ///   - row: Of the point, counted in tiles.
  /// - Returns: All tiles.
  func tiles(aroundColumn column: Double, row: Double) -> [ZoomTile] {
    func distance(_ tile: ZoomTile) -> Double {
      let (x, y) = (Double(tile.column) + 0.5 - column, Double(tile.row) + 0.5 - row)
      return x * x + y * y
    }
    return tiles.sorted { distance($0) < distance($1) }
  }
}

extension ZoomGeometry {
  /// How much more than its own size pixels are enlarged before a finer level is used.
  private static let tolerance = 1.2
  /// The most bytes of tiles in any room: more than a monitor of 7680 × 4320 pixels needs.
  private static let mostTileBytes = 256 << 20

  /// What the tiles take that a room shows where a pixel of the picture is one of the screen, and
  /// those around them.
  static func tileBytes(in room: Size) -> Int {
    func count(_ length: Double) -> Int {
      // The first one may begin before the room; another is on each side.
      Int((min(length, 65_536) / Double(ZoomTile.side)).rounded(.up)) + 3
    }
    return min(mostTileBytes, count(room.width) * count(room.height) * ZoomTile.largestBytes)
  }

  /// The tiles of which something is seen.
  ///
  /// - Parameters:
  ///   - overview: Pixels of the overview for one of the picture.
  ///   - bytes: What the tiles may take; a coarser level is used where those of the best one take
  ///     more.
  /// - Returns: Nil where the overview has enough pixels.
  func tiles(overview: Double, bytes: Int) -> ZoomGrid? {
    // From a pixel for a pixel on, those are the file's own.
    guard let visible, overview < 1, current >= 1 || overview * Self.tolerance < current else {
      return nil
    }
    var level = 0
    while Double(2 << level) * current <= Self.tolerance, level < 30 { level += 1 }
    while 1 / Double(1 << level) > overview {
      let seen = grid(visible, level)
      if seen.count * ZoomTile.largestBytes <= bytes { return seen }
      level += 1
    }
    return nil
  }

  private func grid(_ visible: PixelRectangle, _ level: Int) -> ZoomGrid {
    let side = ZoomTile.side << level
    return ZoomGrid(
      level: level,
      columns: visible.x / side..<(visible.x + visible.size.width - 1) / side + 1,
      rows: visible.y / side..<(visible.y + visible.size.height - 1) / side + 1
    )
  }

  /// The tiles and those around them; the same where these would take too much.
  func surroundings(of grid: ZoomGrid, bytes: Int) -> ZoomGrid {
    let side = ZoomTile.side << grid.level
    let last = (column: (picture.width - 1) / side, row: (picture.height - 1) / side)
    var larger = grid
    larger.columns =
      max(0, grid.columns.lowerBound - 1)..<min(last.column, grid.columns.upperBound) + 1
    larger.rows = max(0, grid.rows.lowerBound - 1)..<min(last.row, grid.rows.upperBound) + 1
    return larger.count * ZoomTile.largestBytes <= bytes ? larger : grid
  }

  /// The middle of what is seen, counted in tiles of a level.
  func middle(inTilesOf level: Int) -> Point {
    let side = Double(ZoomTile.side << level) * current
    return Point(
      x: (room.middle.x - origin.x) / side,
      y: (room.middle.y - origin.y) / side
    )
  }
}
