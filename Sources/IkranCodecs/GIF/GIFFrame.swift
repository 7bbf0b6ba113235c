import IkranPixels

/// One picture of a GIF file: palette indices of the part that lies on the screen.
struct GIFFrame {
  /// Where the picture lies on the screen, in pixels; parts of it may lie outside.
  let left: Int
  let top: Int
  /// The index that shows what is below, nil when there is none.
  let transparentIndex: UInt8?
  /// 256 words of blue, green, red, 255 (little-endian); a gray ramp when the file has no palette.
  var colors: [UInt32] = (0..<256).map { 0xFF00_0000 | UInt32($0) &* 0x01_0101 }
  private let visible: PixelSize
  private var indices: [UInt8]

  init(left: Int, top: Int, size: PixelSize, screen: PixelSize, transparentIndex: UInt8?) {
    self.left = left
    self.top = top
    self.transparentIndex = transparentIndex
    visible = PixelSize(
      width: max(0, min(size.width, screen.width - left)),
      height: max(0, min(size.height, screen.height - top))
    )
    indices = [UInt8](repeating: 0, count: visible.width * visible.height)
  }

  /// Keeps the visible part of row `y`.
  mutating func setRow(_ y: Int, _ line: [UInt8]) {
    guard y < visible.height else { return }
    let start = y * visible.width
    indices.replaceSubrange(start..<start + visible.width, with: line[..<visible.width])
  }

  /// Draws the picture on an empty screen, cropped and scaled as `plan` says.
  func render(
    on screen: PixelSize,
    _ plan: RenderPlan,
    hasAlpha: Bool,
    workspace: Workspace
  ) throws(DecodeError) -> Bitmap {
    var table = colors
    if hasAlpha, let transparentIndex { table[Int(transparentIndex)] = 0 }
    let format: PixelFormat = hasAlpha ? .bgra : .bgrx
    var sink = try PixelSink.open(plan, rows: screen, format: format, workspace: workspace)
    let empty: UInt32 = hasAlpha ? 0 : 0xFF00_0000
    var row = [UInt32](repeating: empty, count: screen.width)
    for y in sink.neededRows {
      drawRow(y - top, table, empty, into: &row)
      try sink.nextRow(row)
    }
    return try sink.finish()
  }

  private func drawRow(_ y: Int, _ table: [UInt32], _ empty: UInt32, into row: inout [UInt32]) {
    guard y >= 0, y < visible.height else {
      for x in row.indices { row[x] = empty }
      return
    }
    let start = y * visible.width
    for x in 0..<visible.width { row[left + x] = table[Int(indices[start + x])] }
  }
}
