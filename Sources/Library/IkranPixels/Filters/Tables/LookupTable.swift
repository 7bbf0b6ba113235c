/// A table that replaces colours: a cube of them, as looks are sold and exchanged, or curves.
public struct LookupTable: Sendable, Hashable {
  /// Colours along each edge of the cube, 2…129, or values of each curve, 2…65,536.
  public let side: Int
  /// Lower bounds of red, green and blue, then factors to 0…1.
  let domain: [Double]
  /// Red, green, blue and a filling zero for each colour; red changes fastest.
  private let storage: Storage

  /// Empty where there are curves.
  var colors: [Float] { storage.colors }
  /// What red, green and blue become; nil for a cube.
  var curves: PointTable? { storage.curves }

  private final class Storage: Sendable {
    let colors: [Float]
    let curves: PointTable?
    let digest: ContentDigest

    init(_ colors: [Float], domain: [Double]) {
      self.colors = colors
      curves = nil
      digest = ContentDigest(of: colors + domain.map { Float($0) })
    }

    init(_ curves: PointTable) {
      colors = []
      self.curves = curves
      // The last number, which no cube ends with, tells curves from one with the same numbers.
      digest = ContentDigest(of: curves.values + curves.domain.map { Float($0) } + [-1])
    }
  }

  /// A cube of `side`³ colours, red fastest, four numbers each.
  init(side: Int, colors: [Float], domain: (low: [Double], high: [Double])) {
    precondition(side >= 2 && colors.count == side * side * side * 4, "A cube is full.")
    self.side = side
    self.domain = domain.low + zip(domain.low, domain.high).map { 1 / ($1 - $0) }
    storage = Storage(colors, domain: self.domain)
  }

  /// A curve for each of red, green and blue.
  init(curves: PointTable) {
    side = curves.count
    domain = curves.domain
    storage = Storage(curves)
  }

  /// Names the table by what is in it.
  var digest: String { "\(storage.digest)" }

  /// Whether both replace colours alike.
  public static func == (left: LookupTable, right: LookupTable) -> Bool {
    left.storage.digest == right.storage.digest
  }

  /// Adds what is in the table.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(storage.digest)
  }
}

extension LookupTable {
  /// Reads a picture of colours.
  ///
  /// Either a square of squares (512 × 512 pixels hold 64 × 64 × 64 colours, as in GPUImage and
  /// Harbeth) or a row of squares (1024 × 32 pixels hold 32 × 32 × 32): red to the right in each
  /// square, green down, blue from square to square.
  ///
  /// - Throws: ``FilterError/invalidTable(reason:)`` when the picture has another shape.
  public init(image: Bitmap) throws(FilterError) {
    let tiles = (2...11).first { $0 * $0 * $0 == image.width && image.height == image.width }
    let side = tiles.map { $0 * $0 } ?? image.height
    guard (2...129).contains(side), tiles != nil || image.width == side * side else {
      throw .invalidTable(
        reason: "\(image.width) × \(image.height) pixels; make it 512 × 512, or N·N × N"
      )
    }
    let wide: Bitmap
    do { wide = try image.converted(to: .bgrx) } catch { throw .bitmap(error) }
    let columns = tiles ?? side
    var colors = [Float](repeating: 0, count: side * side * side * 4)
    for y in 0..<wide.height {
      wide.withRow(y) { row in
        for x in 0..<wide.width {
          let blue = y / side * columns + x / side
          let place = ((blue * side + y % side) * side + x % side) * 4
          for channel in 0..<3 { colors[place + channel] = Float(row[x * 4 + 2 - channel]) / 255 }
        }
      }
    }
    self.init(side: side, colors: colors, domain: ([0, 0, 0], [1, 1, 1]))
  }
}
