import IkranPixels

/// The pixels that frames are drawn on: premultiplied BGRA, with one area that can be restored.
struct AnimationCanvas: ~Copyable {
  let size: PixelSize
  private var canvas: Canvas
  private let bytesPerRow: Int
  /// The rows of an area before the last frame was drawn, without padding.
  private var saved: [UInt8] = []

  /// Allocates a canvas; its pixels are undefined until it is cleared or loaded.
  init(size: PixelSize) throws(DecodeError) {
    do throws(BitmapError) {
      canvas = try Canvas(size: size, format: .bgra, zeroed: false)
    } catch { throw .bitmap(error) }
    self.size = size
    bytesPerRow = canvas.bytesPerRow
  }

  /// Calls `body` with the memory of an area, from its first pixel to its last, and with the number
  /// of bytes from row to row.
  mutating func withArea<R>(
    _ area: FrameArea,
    _ body: (UnsafeMutableRawBufferPointer, _ bytesPerRow: Int) throws(DecodeError) -> R
  ) throws(DecodeError) -> R {
    let start = area.top * bytesPerRow + area.left * 4
    let end = start + (area.height - 1) * bytesPerRow + area.width * 4
    let rowBytes = bytesPerRow
    return try canvas.withUnsafeMutableBytes { (bytes) throws(DecodeError) in
      try body(UnsafeMutableRawBufferPointer(rebasing: bytes[start..<end]), rowBytes)
    }
  }

  /// Makes all pixels clear.
  mutating func clear() {
    canvas.withUnsafeMutableBytes { bytes in
      _ = bytes.initializeMemory(as: UInt8.self, repeating: 0)
    }
  }

  /// Makes the pixels of an area clear.
  mutating func clear(_ area: FrameArea) {
    forEachRow(of: area) { row, _ in _ = row.initializeMemory(as: UInt8.self, repeating: 0) }
  }

  /// Stores the pixels of an area for ``restore(_:)``.
  mutating func save(_ area: FrameArea) {
    var rows = saved
    saved = []
    let count = area.width * area.height * 4
    if rows.count < count { rows = [UInt8](repeating: 0, count: count) }
    rows.withUnsafeMutableBytes { target in
      forEachRow(of: area) { row, y in
        UnsafeMutableRawBufferPointer(rebasing: target[y * row.count..<(y + 1) * row.count])
          .copyMemory(from: UnsafeRawBufferPointer(row))
      }
    }
    saved = rows
  }

  /// Puts back the pixels of the area that was stored last.
  mutating func restore(_ area: FrameArea) {
    let rows = saved
    guard rows.count >= area.width * area.height * 4 else { return }
    rows.withUnsafeBytes { source in
      forEachRow(of: area) { row, y in
        row.copyMemory(
          from: UnsafeRawBufferPointer(rebasing: source[y * row.count..<(y + 1) * row.count])
        )
      }
    }
  }

  /// Replaces all pixels by those of a picture of the same size and of four bytes per pixel.
  mutating func load(_ picture: Bitmap) {
    guard picture.size == size, picture.format.bytesPerPixel == 4,
      let whole = FrameArea(left: 0, top: 0, size: size, on: size)
    else { return }
    picture.withUnsafeBytes { source in
      forEachRow(of: whole) { row, y in
        let start = y * picture.bytesPerRow
        row.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[start..<start + row.count]))
      }
    }
  }

  /// Draws a picture of the area's size, of four bytes per pixel; to be blended, its pixels must be
  /// straight.
  mutating func draw(
    _ picture: Bitmap,
    in area: FrameArea,
    isBlended: Bool
  ) throws(DecodeError) {
    let rowBytes = min(area.width, picture.width) * 4
    try withArea(area) { (target, bytesPerRow) throws(DecodeError) in
      picture.withUnsafeBytes { source in
        for y in 0..<min(area.height, picture.height) {
          let (start, below) = (y * picture.bytesPerRow, y * bytesPerRow)
          let from = UnsafeRawBufferPointer(rebasing: source[start..<start + rowBytes])
          let to = UnsafeMutableRawBufferPointer(rebasing: target[below..<below + rowBytes])
          if isBlended { blend(from, over: to) } else { to.copyMemory(from: from) }
        }
      }
    }
  }

  /// Crops and scales the pixels as `plan` says; they are copied, and the canvas stays as it is.
  mutating func picture(
    _ plan: RenderPlan,
    _ format: PixelFormat,
    workspace: Workspace
  ) throws(DecodeError) -> Bitmap {
    var sink = try PixelSink.open(plan, rows: size, format: format, workspace: workspace)
    let (rowBytes, width) = (bytesPerRow, size.width * 4)
    try canvas.withUnsafeMutableBytes { (bytes) throws(DecodeError) in
      for y in sink.neededRows {
        let row = UnsafeRawBufferPointer(rebasing: bytes[y * rowBytes..<y * rowBytes + width])
        try sink.nextRow { (target) throws(DecodeError) in target.copyMemory(from: row) }
      }
    }
    return try sink.finish()
  }

  private mutating func forEachRow(
    of area: FrameArea,
    _ body: (_ row: UnsafeMutableRawBufferPointer, _ y: Int) -> Void
  ) {
    let rowBytes = bytesPerRow
    let start = area.top * rowBytes + area.left * 4
    canvas.withUnsafeMutableBytes { bytes in
      for y in 0..<area.height {
        let row = start + y * rowBytes
        body(UnsafeMutableRawBufferPointer(rebasing: bytes[row..<row + area.width * 4]), y)
      }
    }
  }
}
