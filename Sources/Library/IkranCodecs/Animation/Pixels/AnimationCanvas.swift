import IkranPixels

// Decision 68: what a frame costs, and what an animation may.
/// The pixels that frames are drawn on: premultiplied BGRA, with one area that can be restored.
///
/// Its memory is used only where something was drawn, and a picture of it that is scaled down only
/// computed where something has changed: a frame of one pixel costs next to nothing on any canvas.
struct AnimationCanvas: ~Copyable {
  let size: PixelSize
  private var canvas: Canvas
  private let bytesPerRow: Int
  /// The columns of each row whose memory is in use; all others are clear, whatever is stored
  /// there.
  private var used: [Range<Int>]
  /// What has changed since the last picture.
  private var changes = CanvasChanges()
  private var last: (plan: RenderPlan, picture: Bitmap)?
  /// The rows of an area before the last frame was drawn, without padding.
  private var saved: [UInt8] = []

  /// Allocates a clear canvas.
  init(size: PixelSize) throws(DecodeError) {
    do throws(BitmapError) {
      canvas = try Canvas(size: size, format: .bgra, zeroed: false)
    } catch { throw .bitmap(error) }
    self.size = size
    bytesPerRow = canvas.bytesPerRow
    used = [Range<Int>](repeating: 0..<0, count: size.height)
  }

  /// Calls `body` with the memory of an area to draw on, from its first pixel to its last, and with
  /// the number of bytes from row to row.
  mutating func withArea<R>(
    _ area: FrameArea,
    _ body: (UnsafeMutableRawBufferPointer, _ bytesPerRow: Int) throws(DecodeError) -> R
  ) throws(DecodeError) -> R {
    use(area)
    changes.add(area, on: size)
    let start = area.top * bytesPerRow + area.left * 4
    let end = start + (area.height - 1) * bytesPerRow + area.width * 4
    let rowBytes = bytesPerRow
    return try canvas.withUnsafeMutableBytes { (bytes) throws(DecodeError) in
      try body(UnsafeMutableRawBufferPointer(rebasing: bytes[start..<end]), rowBytes)
    }
  }

  /// Makes all pixels clear.
  mutating func clear() {
    if let area = usedArea { changes.add(area, on: size) }
    for y in used.indices { used[y] = 0..<0 }
  }

  /// Makes the pixels of an area clear.
  mutating func clear(_ area: FrameArea) {
    changes.add(area, on: size)
    for y in area.rows {
      let columns = area.columns.clamped(to: used[y])
      if columns == used[y] { used[y] = 0..<0 } else { clear(columns, y) }
    }
  }

  /// Stores the pixels of an area for ``restore(_:)``.
  mutating func save(_ area: FrameArea) {
    var rows = saved
    saved = []
    let count = area.width * area.height * 4
    if rows.count < count { rows = [UInt8](repeating: 0, count: count) }
    use(area)
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
    use(area)
    changes.add(area, on: size)
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
    for y in used.indices { used[y] = whole.columns }
    changes.add(whole, on: size)
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
  ///
  /// Cost: all pixels; those that have changed since the last picture when that was of the same
  /// plan and has at most a quarter of the canvas's pixels.
  mutating func picture(
    _ plan: RenderPlan,
    _ format: PixelFormat,
    workspace: Workspace
  ) throws(DecodeError) -> Bitmap {
    let pixels = size.width * size.height
    guard plan.output.pixelCount ?? .max <= pixels / 4, plan.cut == nil else {
      return try picture(plan, format, updating: nil, workspace: workspace)
    }
    var areas = changes.areas
    var base: Bitmap?
    if let last, last.plan == plan, last.picture.format == format {
      base = last.picture
    } else if format == .bgra {
      // All clear, but for what was drawn.
      base = try Canvas.decoding(plan.output, format, zeroed: true).finish()
      areas = usedArea.map { [$0] } ?? []
    }
    if areas.reduce(0, { $0 + $1.width * $1.height }) > pixels / 2 { base = nil }
    if base == nil { areas = [] }
    var result =
      if let base {
        base
      } else {
        try picture(plan, format, updating: nil, workspace: workspace)
      }
    for area in areas {
      let update = Resampler.Update(result, changed: area.rectangle)
      result = try picture(plan, format, updating: update, workspace: workspace)
    }
    last = (plan, result)
    changes = CanvasChanges()
    return result
  }

  private mutating func picture(
    _ plan: RenderPlan,
    _ format: PixelFormat,
    updating update: Resampler.Update?,
    workspace: Workspace
  ) throws(DecodeError) -> Bitmap {
    var sink = try PixelSink.open(
      plan,
      rows: size,
      format: format,
      updating: update,
      workspace: workspace
    )
    let columns = sink.neededColumns ?? 0..<size.width
    let (used, rowBytes) = (used, bytesPerRow)
    try canvas.withUnsafeMutableBytes { (bytes) throws(DecodeError) in
      for y in sink.neededRows {
        let drawn = used[y].clamped(to: columns)
        let start = y * rowBytes
        let source = bytes[start + drawn.lowerBound * 4..<start + drawn.upperBound * 4]
        try sink.nextRow { (target) throws(DecodeError) in
          target[columns.lowerBound * 4..<drawn.lowerBound * 4].makeClear()
          UnsafeMutableRawBufferPointer(
            rebasing: target[drawn.lowerBound * 4..<drawn.upperBound * 4]
          )
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: source))
          target[drawn.upperBound * 4..<columns.upperBound * 4].makeClear()
        }
      }
    }
    return try sink.finish()
  }

  // MARK: - Memory in use

  /// The smallest area outside of which everything is clear; nil when all is.
  private var usedArea: FrameArea? {
    let rows = used.indices.filter { !used[$0].isEmpty }
    guard let top = rows.first, let bottom = rows.last else { return nil }
    let left = rows.reduce(size.width) { min($0, used[$1].lowerBound) }
    let right = rows.reduce(0) { max($0, used[$1].upperBound) }
    let bounds = PixelSize(width: right - left, height: bottom + 1 - top)
    return FrameArea(left: left, top: top, size: bounds, on: size)
  }

  /// Makes memory of an area's pixels, and of what lies between them and others of their rows,
  /// whose colours are then stored there.
  private mutating func use(_ area: FrameArea) {
    let columns = area.columns
    for y in area.rows {
      let old = used[y]
      if old.isEmpty {
        used[y] = columns
        clear(columns, y)
      } else if columns.lowerBound < old.lowerBound || columns.upperBound > old.upperBound {
        let left = min(columns.lowerBound, old.lowerBound)
        let right = max(columns.upperBound, old.upperBound)
        used[y] = left..<right
        clear(left..<old.lowerBound, y)
        clear(old.upperBound..<right, y)
      }
    }
  }

  private mutating func clear(_ columns: Range<Int>, _ y: Int) {
    let start = y * bytesPerRow
    canvas.withUnsafeMutableBytes { bytes in
      bytes[start + columns.lowerBound * 4..<start + columns.upperBound * 4].makeClear()
    }
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

/// The areas of a canvas that have changed, at most four: in most animations what is disposed of
/// and what is drawn.
private struct CanvasChanges {
  private(set) var areas: [FrameArea] = []

  mutating func add(_ area: FrameArea, on size: PixelSize) {
    if areas.contains(where: { $0.contains(area) }) { return }
    areas.removeAll { area.contains($0) }
    if areas.count < 4 {
      areas.append(area)
    } else {
      areas[3] = areas[3].union(area, on: size)
    }
  }
}

extension FrameArea {
  fileprivate var columns: Range<Int> { left..<left + width }
  fileprivate var rows: Range<Int> { top..<top + height }

  fileprivate func contains(_ other: FrameArea) -> Bool {
    other.left >= left && other.top >= top && other.left + other.width <= left + width
      && other.top + other.height <= top + height
  }
}

extension Slice where Base == UnsafeMutableRawBufferPointer {
  fileprivate func makeClear() {
    _ = UnsafeMutableRawBufferPointer(rebasing: self)
      .initializeMemory(as: UInt8.self, repeating: 0)
  }
}
