/// How much of each pixel of a canvas a shape covers, 0…255: the share of 16 × 16 samples.
///
/// Rows are computed one by one; those between the corners, which are equal, only once.
struct ShapeCoverage {
  /// The canvas's columns that the shape may cover.
  let columns: Range<Int>
  /// The canvas's rows that the shape may cover.
  let rows: Range<Int>
  private let shape: RoundedShape
  private let radius: Double
  private let right, bottom: Double
  /// The coverage of the last row, for each of ``columns``.
  private var coverage: [UInt8]
  private var samples: [Int32]
  /// Whether ``coverage`` is that of the rows between the corners.
  private var holdsMiddle = false

  init(_ shape: RoundedShape, on size: PixelSize) {
    self.shape = shape
    radius = shape.usedRadius
    (right, bottom) = (shape.x + shape.width, shape.y + shape.height)
    let isDrawable = shape.isDrawable
    columns = isDrawable ? Self.pixels(shape.x, right, limit: size.width) : 0..<0
    rows = isDrawable ? Self.pixels(shape.y, bottom, limit: size.height) : 0..<0
    coverage = [UInt8](repeating: 0, count: columns.count)
    samples = [Int32](repeating: 0, count: columns.count)
  }

  /// Calls `body` with the coverage of each of ``columns`` in a row.
  mutating func withRow<R>(_ y: Int, _ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
    let (top, bottom) = (Double(y), Double(y + 1))
    let isMiddle = top >= shape.y + radius && bottom <= self.bottom - radius
    if !isMiddle || !holdsMiddle { count(row: y) }
    holdsMiddle = isMiddle
    return coverage.withUnsafeBufferPointer(body)
  }

  /// Writes the coverage of all of the canvas's columns in any of its rows.
  mutating func expand(_ y: Int, into row: UnsafeMutablePointer<UInt8>, width: Int) {
    row.update(repeating: 0, count: width)
    guard rows.contains(y) else { return }
    let first = columns.lowerBound
    withRow(y) { covered in
      guard let start = covered.baseAddress else { return }
      (row + first).update(from: start, count: covered.count)
    }
  }

  /// Adds up the samples of a row's sixteen lines.
  private mutating func count(row: Int) {
    for index in samples.indices { samples[index] = 0 }
    for line in 0..<16 {
      guard let ends = ends(atHeight: Double(row) + (Double(line) + 0.5) / 16) else { continue }
      // A run of samples is stored as differences at its two ends.
      let first = sample((ends.left * 16 - 0.5).rounded(.up))
      let last = sample((ends.right * 16 - 0.5).rounded(.down) + 1)
      guard first < last else { continue }
      add(16, at: first)
      add(-16, at: last)
    }
    var sum: Int32 = 0
    for index in samples.indices {
      sum += samples[index]
      coverage[index] = UInt8(clamping: (sum * 255 + 128) / 256)
    }
  }

  /// Where the shape begins and ends on a line; nil above and below it.
  private func ends(atHeight y: Double) -> (left: Double, right: Double)? {
    let (depth, rise) = (y - shape.y, bottom - y)
    guard depth >= 0, rise >= 0 else { return nil }
    let (above, below) = (indent(depth), indent(rise))
    func inwards(_ upper: RoundedShape.Corners, _ lower: RoundedShape.Corners) -> Double {
      max(shape.corners.contains(upper) ? above : 0, shape.corners.contains(lower) ? below : 0)
    }
    return (shape.x + inwards(.topLeft, .bottomLeft), right - inwards(.topRight, .bottomRight))
  }

  /// How far a round corner moves the edge inwards, at a distance from the top or the bottom.
  private func indent(_ depth: Double) -> Double {
    let rise = radius - depth
    return rise > 0 ? radius - (radius * radius - rise * rise).squareRoot() : 0
  }

  /// A sample counted from the first of ``columns``, at most one past the last.
  private func sample(_ position: Double) -> Int {
    let first = Double(columns.lowerBound * 16)
    return Int(max(0, min(position - first, Double(columns.count * 16))))
  }

  private mutating func add(_ change: Int32, at sample: Int) {
    let (pixel, part) = (sample / 16, Int32(sample % 16))
    let share = change * (16 - part) / 16
    if pixel < samples.count { samples[pixel] += share }
    if pixel + 1 < samples.count { samples[pixel + 1] += change - share }
  }

  /// The pixels between two edges, within a canvas.
  private static func pixels(_ start: Double, _ end: Double, limit: Int) -> Range<Int> {
    let (first, last) = (start.rounded(.down), end.rounded(.up))
    let lower = Int(max(0, min(first, Double(limit))))
    return lower..<max(lower, Int(max(0, min(last, Double(limit)))))
  }
}
