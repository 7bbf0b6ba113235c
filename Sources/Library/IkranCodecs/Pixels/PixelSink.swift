import IkranPixels

/// Receives the rows of a decoder.
protocol RowSink: ~Copyable {
  /// The rows to deliver, in order; the others must be left out.
  var neededRows: Range<Int> { get }
  /// The columns that matter in each row; nil when all do.
  var neededColumns: Range<Int>? { get }

  /// Calls `fill` with memory for one row, four bytes per pixel, then processes the row.
  mutating func nextRow(
    _ fill: (UnsafeMutableRawBufferPointer) throws(DecodeError) -> Void
  ) throws(DecodeError)
}

/// Receives the rows of a decoder, directly into the result or through the resampler.
struct PixelSink: RowSink, ~Copyable {
  /// The rows to deliver, in order; the others must be left out.
  let neededRows: Range<Int>
  /// The columns that matter in each row; nil when all do.
  let neededColumns: Range<Int>?
  private var canvas: Canvas?
  /// A row of the image, of which the canvas gets only a part.
  private var staging: Canvas?
  private var resampler: Resampler?
  /// What the resampler gets of each row in ``staging``; nil when it gets all.
  private var part: PixelRectangle?
  private var nextCanvasRow = 0

  /// A sink for rows of an image of `rows` pixels, which `plan` crops and scales; an update needs a
  /// plan that scales.
  static func open(
    _ plan: RenderPlan,
    rows: PixelSize,
    format: PixelFormat,
    updating update: Resampler.Update? = nil,
    workspace: Workspace
  ) throws(DecodeError) -> PixelSink {
    do throws(BitmapError) {
      if plan.isIdentity {
        return PixelSink(try Canvas(size: rows, format: format, zeroed: false))
      }
      if let cut = plan.cut {
        let row = PixelSize(width: rows.width, height: 1)
        return PixelSink(
          try Canvas(size: cut.size, format: format, zeroed: false),
          staging: try Canvas(size: row, format: format, zeroed: false),
          cut
        )
      }
      if plan.isIsolated {
        return try isolated(plan, rows: rows, format: format, workspace: workspace)
      }
      return PixelSink(
        try Resampler(
          rows: rows,
          crop: plan.crop,
          output: plan.output,
          format: format,
          updating: update,
          workspace: workspace
        )
      )
    } catch { throw .bitmap(error) }
  }

  /// A sink that resamples a part of the rows as if it were all.
  private static func isolated(
    _ plan: RenderPlan,
    rows: PixelSize,
    format: PixelFormat,
    workspace: Workspace
  ) throws(BitmapError) -> PixelSink {
    let part = plan.isolatedPart
    let resampler = try Resampler(
      rows: part.size,
      crop: PixelArea(
        x: plan.crop.x - Double(part.x),
        y: plan.crop.y - Double(part.y),
        width: plan.crop.width,
        height: plan.crop.height
      ),
      output: plan.output,
      format: format,
      workspace: workspace
    )
    let row = PixelSize(width: rows.width, height: 1)
    let staging = try Canvas(size: row, format: format, zeroed: false)
    return PixelSink(resampler, staging: staging, part)
  }

  private init(_ canvas: consuming Canvas) {
    neededRows = 0..<canvas.size.height
    neededColumns = nil
    resampler = nil
    self.canvas = consume canvas
  }

  private init(
    _ canvas: consuming Canvas,
    staging: consuming Canvas,
    _ cut: PixelRectangle
  ) {
    neededRows = cut.y..<cut.y + cut.size.height
    neededColumns = cut.x..<cut.x + cut.size.width
    resampler = nil
    self.canvas = consume canvas
    self.staging = consume staging
  }

  private init(_ resampler: consuming Resampler) {
    neededRows = resampler.neededRows
    neededColumns = resampler.neededColumns
    canvas = nil
    self.resampler = consume resampler
  }

  private init(
    _ resampler: consuming Resampler,
    staging: consuming Canvas,
    _ part: PixelRectangle
  ) {
    let (rows, columns) = (resampler.neededRows, resampler.neededColumns)
    neededRows = rows.lowerBound + part.y..<rows.upperBound + part.y
    neededColumns = columns.lowerBound + part.x..<columns.upperBound + part.x
    canvas = nil
    self.staging = consume staging
    self.part = part
    self.resampler = consume resampler
  }

  /// Calls `fill` with memory for one row, four bytes per pixel, then processes the row.
  mutating func nextRow(
    _ fill: (UnsafeMutableRawBufferPointer) throws(DecodeError) -> Void
  ) throws(DecodeError) {
    if canvas != nil {
      try fillCanvasRow(fill)
    } else if let part {
      try fillResamplerRow(part, fill)
    } else {
      try resampler?.nextRow(fill)
    }
  }

  /// Processes a row of little-endian words, one per pixel.
  mutating func nextRow(_ words: [UInt32]) throws(DecodeError) {
    try nextRow { (target) throws(DecodeError) in
      words.withUnsafeBytes { target.copyMemory(from: $0) }
    }
  }

  /// The finished pixels, as stored (not yet turned upright).
  consuming func finish() throws(DecodeError) -> Bitmap {
    if let canvas = canvas.take() { return canvas.finish() }
    guard let resampler = resampler.take() else {
      throw .bitmap(.invalidSize(PixelSize(width: 0, height: 0)))
    }
    do throws(BitmapError) { return try resampler.finish() } catch { throw .bitmap(error) }
  }

  private mutating func fillResamplerRow(
    _ part: PixelRectangle,
    _ fill: (UnsafeMutableRawBufferPointer) throws(DecodeError) -> Void
  ) throws(DecodeError) {
    let width = staging?.size.width ?? 0
    try staging?.withUnsafeMutableBytes { (row) throws(DecodeError) in
      try fill(UnsafeMutableRawBufferPointer(rebasing: row[..<(width * 4)]))
      let start = row[(part.x * 4)...].prefix(part.size.width * 4)
      resampler?.nextRow { $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: start)) }
    }
  }

  private mutating func fillCanvasRow(
    _ fill: (UnsafeMutableRawBufferPointer) throws(DecodeError) -> Void
  ) throws(DecodeError) {
    let start = nextCanvasRow * (canvas?.bytesPerRow ?? 0)
    let length = (canvas?.size.width ?? 0) * 4
    nextCanvasRow += 1
    guard let columns = neededColumns, let width = staging?.size.width else {
      return try canvas?.withUnsafeMutableBytes { (bytes) throws(DecodeError) in
        try fill(UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start + length]))
      } ?? ()
    }
    try staging?.withUnsafeMutableBytes { (row) throws(DecodeError) in
      try fill(UnsafeMutableRawBufferPointer(rebasing: row[..<(width * 4)]))
      let part = UnsafeRawBufferPointer(rebasing: row[(columns.lowerBound * 4)...].prefix(length))
      canvas?.withUnsafeMutableBytes { bytes in
        UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start + length])
          .copyMemory(from: part)
      }
    }
  }
}

extension PixelSink {
  /// Crops and scales a picture that had to be decoded whole; without a copy when nothing changes.
  static func render(
    _ picture: consuming Canvas,
    _ plan: RenderPlan,
    workspace: Workspace
  ) throws(DecodeError) -> Bitmap {
    try render(picture.finish(), plan, workspace: workspace)
  }

  /// Crops and scales a picture; without a copy when nothing changes.
  static func render(
    _ bitmap: Bitmap,
    _ plan: RenderPlan,
    workspace: Workspace
  ) throws(DecodeError) -> Bitmap {
    if plan.isIdentity { return bitmap }
    var sink = try PixelSink.open(
      plan,
      rows: bitmap.size,
      format: bitmap.format,
      workspace: workspace
    )
    let rows = sink.neededRows
    try bitmap.withUnsafeBytes { (bytes) throws(DecodeError) in
      for y in rows {
        let start = y * bitmap.bytesPerRow
        let row = UnsafeRawBufferPointer(rebasing: bytes[start..<start + bitmap.width * 4])
        try sink.nextRow { (target) throws(DecodeError) in target.copyMemory(from: row) }
      }
    }
    return try sink.finish()
  }
}
