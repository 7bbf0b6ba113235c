/// A rounded rectangle centred in a picture; equal shapes have equal masks.
struct EdgeShape: Hashable {
  let width, height: Int
  /// The distance from the picture's edges, in pixels.
  let inset: Double
  /// The radius of the corners, at most half of the shorter side.
  let radius: Double

  init(_ size: PixelSize, inset: Double, radius: Double) {
    width = size.width
    height = size.height
    // An inset past the middle leaves nothing.
    let inset = min(inset, Double(max(size.width, size.height)))
    self.inset = inset
    let shorter = Double(min(size.width, size.height)) - 2 * inset
    self.radius = max(0, min(radius, shorter / 2))
  }

  /// Whether every pixel is covered.
  var isWhole: Bool { inset <= 0 && radius <= 0 }
  /// How many columns and rows from each edge differ from the middle.
  var border: (x: Int, y: Int) {
    let reach = (inset + radius).rounded(.up)
    return (min(Int(reach), (width + 1) / 2), min(Int(reach), (height + 1) / 2))
  }

  /// Counts, for each pixel of `row`, how many of its 16 × 16 samples lie inside the shape.
  ///
  /// Row `border.y` stands for all rows between the corners. `samples` holds `border.x + 1`
  /// pixels, the last of which stands for all columns between the corners.
  func count(row: Int, into samples: inout [Int32]) {
    for index in samples.indices { samples[index] = 0 }
    for line in 0..<16 {
      let y = row == border.y ? nil : Double(row) + (Double(line) + 0.5) / 16
      guard let edge = firstSample(y), edge < 16 * width - edge else { continue }
      // The run of samples is symmetric; its two ends are stored as differences.
      add(16, at: edge, to: &samples)
      add(-16, at: 16 * width - edge, to: &samples)
    }
    for index in samples.indices.dropFirst() { samples[index] += samples[index - 1] }
  }

  /// The first sample inside the shape on the line at `y`; nil means a line between the corners.
  private func firstSample(_ y: Double?) -> Int? {
    var left = inset
    if let y {
      let depth = min(y, Double(height) - y) - inset
      if depth < 0 { return nil }
      let rise = radius - depth
      if rise > 0 { left += radius - (radius * radius - rise * rise).squareRoot() }
    }
    return max(0, Int((left * 16 - 0.5).rounded(.up)))
  }

  private func add(_ change: Int32, at sample: Int, to samples: inout [Int32]) {
    let (pixel, part) = (sample / 16, Int32(sample % 16))
    let share = change * (16 - part) / 16
    if pixel < samples.count { samples[pixel] += share }
    if pixel + 1 < samples.count { samples[pixel + 1] += change - share }
  }
}

/// The coverage of each pixel, 0…255: the top left quarter, from which the others are mirrored.
final class EdgeMask {
  let shape: EdgeShape
  /// Columns and rows of the quarter.
  let columns, rows: Int
  private let stride: Int
  /// For each row: the left run, the same mirrored for the right, and the middle's one coverage.
  private var coverage: [UInt8]
  private var samples: [Int32]
  /// A mask that is too large to store computes its rows one by one.
  private let keepsRows: Bool

  var byteCount: Int { coverage.count + samples.count * 4 }

  init(_ shape: EdgeShape) {
    self.shape = shape
    (columns, rows) = shape.border
    stride = 2 * columns + 1
    keepsRows = (rows + 1) * stride <= 1 << 20
    coverage = [UInt8](repeating: 0, count: keepsRows ? (rows + 1) * stride : stride)
    samples = [Int32](repeating: 0, count: columns + 1)
    guard keepsRows else { return }
    for row in 0...rows { compute(row, at: row * stride) }
  }

  /// Calls `body` with the coverage of one row of the picture.
  func withRow<R>(_ y: Int, _ body: (EdgeRun) -> R) -> R {
    let row = min(y, shape.height - 1 - y, rows)
    if !keepsRows { compute(row, at: 0) }
    let first = keepsRows ? row * stride : 0
    return coverage.withUnsafeBufferPointer { bytes in
      body(EdgeRun(bytes: bytes, first: first, columns: columns, width: shape.width))
    }
  }

  private func compute(_ row: Int, at first: Int) {
    shape.count(row: row, into: &samples)
    for column in 0..<columns {
      let covered = UInt8((samples[column] * 255 + 128) / 256)
      coverage[first + column] = covered
      coverage[first + 2 * columns - 1 - column] = covered
    }
    coverage[first + 2 * columns] = UInt8((samples[columns] * 255 + 128) / 256)
  }
}

/// One row of a mask; valid inside the call that passes it.
struct EdgeRun {
  private let bytes: UnsafeBufferPointer<UInt8>
  private let first, columns, width: Int

  init(bytes: UnsafeBufferPointer<UInt8>, first: Int, columns: Int, width: Int) {
    self.bytes = bytes
    self.first = first
    self.columns = columns
    self.width = width
  }

  /// How many pixels the left and the right run hold; an odd width's middle belongs to the left.
  var leftCount: Int { min(columns, width - width / 2) }
  var rightCount: Int { min(columns, width / 2) }
  /// The coverage of the pixels at the left edge, from the edge inwards.
  var left: UnsafePointer<UInt8>? { bytes.baseAddress.map { $0 + first } }
  /// The coverage of the pixels at the right edge, from left to right.
  var right: UnsafePointer<UInt8>? {
    bytes.baseAddress.map { $0 + first + 2 * columns - rightCount }
  }
  /// The coverage of every pixel between the two runs.
  var middle: UInt8 { bytes[first + 2 * columns] }

  /// Writes the whole row's coverage.
  func expand(into row: UnsafeMutablePointer<UInt8>) {
    guard let left, let right else { return }
    row.update(from: left, count: leftCount)
    (row + leftCount).update(repeating: middle, count: width - leftCount - rightCount)
    (row + width - rightCount).update(from: right, count: rightCount)
  }
}
