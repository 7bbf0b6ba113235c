import CIkranKernels

// Decision 7: the loops that need AVX2 are C.
/// Resamples rows, top to bottom, to a smaller or larger bitmap.
///
/// It holds only the rows its filter spans, so a decoder never needs the whole image in memory.
/// Rows have four bytes per pixel, premultiplied when they have alpha.
package struct Resampler: ~Copyable {
  /// The rows the result depends on; a decoder delivers these and may skip the others.
  package let neededRows: Range<Int>
  /// The columns the result depends on; the content of the others does not matter.
  package let neededColumns: Range<Int>
  /// The pixels of the result that are computed.
  private let part: PixelRectangle
  /// The blocks across that they need, from the first that any result needs.
  private let columns: Range<Int>
  private let rows: PixelSize
  private let vertical: AxisWeights
  private let horizontal: AxisWeights
  private let block: (x: Int, y: Int)
  private let workspace: Workspace
  private let scratch: ScratchMemory
  private let layout: Layout
  private var canvas: Canvas
  private var sourceRow: Int
  private var blockRow: Int
  private var outputRow: Int

  /// Prepares to resample `crop` of an image of `rows` pixels to `output`.
  ///
  /// With an update only what depends on its area is computed; the rest, and the size, are those of
  /// its bitmap, an earlier result of the same plan.
  ///
  /// - Throws: ``BitmapError`` when a size is impossible, the crop is not inside the image, or
  ///   memory runs out.
  package init(
    rows: PixelSize,
    crop: PixelArea,
    output: PixelSize,
    format: PixelFormat,
    filter: ResamplingFilter = .lanczos3,
    updating update: Update? = nil,
    workspace: Workspace
  ) throws(BitmapError) {
    precondition(format.bytesPerPixel == 4, "A resampler takes rows of four bytes a pixel.")
    let crop = try Self.checked(crop, of: rows, output: output)
    let (across, down) = Self.axes(of: rows, crop: crop, output: output, filter: filter)
    let horizontal = workspace.weights(for: across)
    let vertical = workspace.weights(for: down)
    var part = PixelRectangle(x: 0, y: 0, width: output.width, height: output.height)
    if let area = update?.area {
      let columns = horizontal.results(of: area.x..<area.x + area.size.width, across.block)
      let lines = vertical.results(of: area.y..<area.y + area.size.height, down.block)
      part = PixelRectangle(columns: columns, rows: lines)
    }
    let blocks = horizontal.blocks(of: part.x..<part.x + part.size.width)
    let lines = vertical.blocks(of: part.y..<part.y + part.size.height)
    let columns = Self.pixels(blocks, block: across.block, length: rows.width)
    let layout = Layout(
      width: rows.width,
      columns: columns.count,
      isBlocked: across.block > 1 || down.block > 1,
      horizontal: horizontal,
      vertical: vertical
    )
    let scratch = try workspace.takeScratch(byteCount: layout.byteCount)
    canvas = try Canvas(size: output, format: format, zeroed: false)
    if let update { canvas.draw(update.bitmap, left: 0, top: 0) }
    self.part = part
    self.columns =
      blocks.lowerBound - horizontal.range.lowerBound..<blocks.upperBound
      - horizontal.range.lowerBound
    (self.horizontal, self.vertical, block) = (horizontal, vertical, (across.block, down.block))
    (self.rows, self.workspace, self.scratch, self.layout) = (rows, workspace, scratch, layout)
    neededRows = Self.pixels(lines, block: down.block, length: rows.height)
    neededColumns = columns
    sourceRow = neededRows.lowerBound
    blockRow = lines.lowerBound - vertical.range.lowerBound
    outputRow = part.y
    if layout.isBlocked {
      let sums = scratch.start + layout.sums
      sums.initializeMemory(as: UInt8.self, repeating: 0, count: layout.blended - layout.sums)
    }
  }

  /// Calls `fill` with memory for the next needed row in its full width, then processes the row.
  ///
  /// Call it once for each row of ``neededRows``, in order.
  ///
  /// - Throws: Whatever `fill` throws; the row then counts as not delivered.
  package mutating func nextRow<E: Error>(
    _ fill: (UnsafeMutableRawBufferPointer) throws(E) -> Void
  ) throws(E) {
    precondition(sourceRow < neededRows.upperBound, "A resampler takes only the rows it needs.")
    let memory = layout.isBlocked ? scratch.start + layout.staging : ringRow(blockRow)
    try fill(UnsafeMutableRawBufferPointer(start: memory, count: rows.width * 4))
    if layout.isBlocked {
      gather(UnsafeRawPointer(memory))
    } else {
      sourceRow += 1
      blockRow += 1
      emitReadyRows()
    }
  }

  /// Ends the image; rows that were not delivered count as clear, or black when opaque.
  package consuming func finish() throws(BitmapError) -> Bitmap {
    while sourceRow < neededRows.upperBound {
      nextRow { row in _ = row.initializeMemory(as: UInt8.self, repeating: 0) }
    }
    workspace.give(back: scratch)
    return canvas.finish()
  }

  /// Resamples an image that is already in memory, without copying its rows.
  consuming func render(_ bitmap: Bitmap) throws(BitmapError) -> Bitmap {
    bitmap.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      if layout.isBlocked {
        while sourceRow < neededRows.upperBound {
          gather(base + sourceRow * bitmap.bytesPerRow)
        }
      } else {
        let first = base + neededRows.lowerBound * bitmap.bytesPerRow + neededColumns.lowerBound * 4
        let count = neededRows.count
        for row in 0..<canvas.size.height {
          emit(row, from: first, bytesPerRow: bitmap.bytesPerRow, wrap: count, available: count)
        }
      }
    }
    sourceRow = neededRows.upperBound
    return try finish()
  }

  // MARK: - Rows in

  private func ringRow(_ row: Int) -> UnsafeMutableRawPointer {
    scratch.start + row % vertical.capacity * layout.ringStride
  }

  /// Adds a row to its block and completes the block with its last row.
  private mutating func gather(_ row: UnsafeRawPointer) {
    let sums = (scratch.start + layout.sums).assumingMemoryBound(to: UInt16.self)
    let pixels = (row + neededColumns.lowerBound * 4).assumingMemoryBound(to: UInt8.self)
    ikran_add_row(sums, pixels, neededColumns.count * 4)
    sourceRow += 1
    let gathered = (sourceRow - 1) % block.y + 1
    guard gathered == block.y || sourceRow == neededRows.upperBound else { return }
    let mean = (ringRow(blockRow) + columns.lowerBound * 4).assumingMemoryBound(to: UInt8.self)
    ikran_average_row(sums, neededColumns.count, block.x, gathered, mean)
    blockRow += 1
    emitReadyRows()
  }

  // MARK: - Rows out

  private mutating func emitReadyRows() {
    let offset = layout.isBlocked ? 0 : horizontal.range.lowerBound * 4
    let first = UnsafeRawPointer(scratch.start + offset)
    while outputRow < part.y + part.size.height, vertical.ends[outputRow] <= blockRow {
      emit(
        outputRow,
        from: first,
        bytesPerRow: layout.ringStride,
        wrap: vertical.capacity,
        available: blockRow
      )
      outputRow += 1
    }
  }

  /// Computes one result row from rows that lie `bytesPerRow` apart and repeat after `wrap`.
  private mutating func emit(
    _ row: Int,
    from first: UnsafeRawPointer,
    bytesPerRow: Int,
    wrap: Int,
    available: Int
  ) {
    let pointers = (scratch.start + layout.pointers)
      .assumingMemoryBound(to: UnsafePointer<UInt8>.self)
    let blended = (scratch.start + layout.blended).assumingMemoryBound(to: Int16.self)
    let across = columns
    let start = Int(vertical.starts[row])
    let count = (Int(vertical.ends[row]) - start + 1) & ~1
    for tap in 0..<count {
      // An odd run is padded with a weight of zero, for any row.
      let source = min(start + tap, available - 1) % wrap
      pointers[tap] = (first + source * bytesPerRow + across.lowerBound * 4)
        .assumingMemoryBound(to: UInt8.self)
    }
    let simd = workspace.usesSIMD
    vertical.weights.withUnsafeBufferPointer { weights in
      guard let base = weights.baseAddress else { return }
      let mine = base + row * vertical.stride
      let target = blended + across.lowerBound * 4
      ikran_blend_rows(pointers, mine, count, across.count * 4, target, simd)
    }
    let (opaque, rowBytes) = (canvas.format == .bgrx, canvas.bytesPerRow)
    let (weights, results) = (horizontal, part.x..<part.x + part.size.width)
    canvas.withUnsafeMutableBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      let out = (base + row * rowBytes).assumingMemoryBound(to: UInt8.self)
      weights.gather(blended, results, into: out, opaque: opaque, simd: simd)
    }
  }
}

extension Resampler {
  /// An earlier result of a picture that has changed since.
  package struct Update {
    let bitmap: Bitmap
    /// The pixels of the picture outside of which nothing has changed; not empty.
    let area: PixelRectangle

    /// Updates a bitmap of the size and the format of the result.
    package init(_ bitmap: Bitmap, changed area: PixelRectangle) {
      (self.bitmap, self.area) = (bitmap, area)
    }
  }

  /// The parts of the scratch memory: ring, staging row, block sums, blended row, pointers.
  private struct Layout {
    let isBlocked: Bool
    let ringStride, staging, sums, blended, pointers, byteCount: Int

    init(
      width: Int,
      columns: Int,
      isBlocked: Bool,
      horizontal: AxisWeights,
      vertical: AxisWeights
    ) {
      func rounded(_ bytes: Int) -> Int { (bytes + 63) & ~63 }
      self.isBlocked = isBlocked
      ringStride = rounded((isBlocked ? horizontal.range.count : width) * 4)
      staging = ringStride * vertical.capacity
      sums = staging + (isBlocked ? rounded(width * 4) : 0)
      blended = sums + (isBlocked ? rounded(columns * 8) : 0)
      // Weights come in fours, so the last pixel's may reach three past the row.
      pointers = blended + rounded((horizontal.range.count + 4) * 8)
      byteCount = pointers + (vertical.stride + 1) * MemoryLayout<UnsafeRawPointer>.stride
    }
  }

  /// What the weights across and down depend on.
  private static func axes(
    of rows: PixelSize,
    crop: PixelArea,
    output: PixelSize,
    filter: ResamplingFilter
  ) -> (across: AxisKey, down: AxisKey) {
    let across = AxisKey(
      length: rows.width,
      start: crop.x,
      extent: crop.width,
      output: output.width,
      filter: filter
    )
    let down = AxisKey(
      length: rows.height,
      start: crop.y,
      extent: crop.height,
      output: output.height,
      filter: filter
    )
    return (across, down)
  }

  private static func pixels(_ blocks: Range<Int>, block: Int, length: Int) -> Range<Int> {
    blocks.lowerBound * block..<min(blocks.upperBound * block, length)
  }

  /// The crop clamped to the image; sides are bounded so that no product here can overflow.
  private static func checked(
    _ crop: PixelArea,
    of rows: PixelSize,
    output: PixelSize
  ) throws(BitmapError) -> PixelArea {
    let sides = 1...(1 << 20)
    guard sides.contains(rows.width), sides.contains(rows.height) else { throw .invalidSize(rows) }
    guard sides.contains(output.width), sides.contains(output.height) else {
      throw .invalidSize(output)
    }
    let left = max(crop.x, 0)
    let top = max(crop.y, 0)
    let right = min(crop.x + crop.width, Double(rows.width))
    let bottom = min(crop.y + crop.height, Double(rows.height))
    // Comparisons with NaN are false, so it ends here too.
    guard left < right, top < bottom, crop.x.isFinite, crop.y.isFinite else {
      throw .invalidSize(PixelSize(width: 0, height: 0))
    }
    return PixelArea(x: left, y: top, width: right - left, height: bottom - top)
  }
}

extension PixelRectangle {
  fileprivate init(columns: Range<Int>, rows: Range<Int>) {
    self.init(
      x: columns.lowerBound,
      y: rows.lowerBound,
      width: columns.count,
      height: rows.count
    )
  }
}

extension AxisWeights {
  fileprivate func gather(
    _ row: UnsafePointer<Int16>,
    _ results: Range<Int>,
    into out: UnsafeMutablePointer<UInt8>,
    opaque: Bool,
    simd: Bool
  ) {
    starts.withUnsafeBufferPointer { starts in
      counts.withUnsafeBufferPointer { counts in
        weights.withUnsafeBufferPointer { weights in
          guard let starts = starts.baseAddress, let counts = counts.baseAddress,
            let weights = weights.baseAddress
          else { return }
          let first = results.lowerBound
          ikran_gather_row(
            row,
            starts + first,
            counts + first,
            weights + first * stride,
            stride,
            results.count,
            out + first * 4,
            opaque,
            simd
          )
        }
      }
    }
  }
}
