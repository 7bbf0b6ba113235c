import CIkranKernels

extension Bitmap {
  /// The picture blurred with a Gaussian, edge pixels repeated outside; within 1/255 of the exact
  /// weighted means.
  ///
  /// Cost: a pixel takes as long for a sigma of 1000 as for one of 3. A sigma up to 0.15 changes
  /// nothing and returns the bitmap itself.
  ///
  /// - Parameters:
  ///   - sigma: The standard deviation in pixels, at most 1000.
  ///   - workspace: Working memory.
  /// - Returns: A picture of the same size and format.
  /// - Throws: ``BitmapError`` when memory runs out.
  package func gaussianBlurred(
    sigma: Double,
    workspace: Workspace
  ) throws(BitmapError) -> Bitmap {
    guard sigma > 0.15 else { return self }
    let blur = try GaussianBlur(self, GaussianKernel(sigma: min(sigma, 1000)), workspace)
    var canvas = try Canvas(size: size, format: format, zeroed: false)
    canvas.profile = profile
    let stride = canvas.bytesPerRow
    withUnsafeBytes { source in
      canvas.withUnsafeMutableBytes { target in
        guard let from = source.baseAddress, let to = target.baseAddress else { return }
        let pixels = from.assumingMemoryBound(to: UInt8.self)
        let result = to.assumingMemoryBound(to: UInt8.self)
        if blur.kernel.step == 1 {
          blur.runNarrow(pixels, into: result, stride: stride)
        } else {
          blur.runWide(pixels, into: result, stride: stride)
        }
      }
    }
    blur.finish()
    return canvas.finish()
  }
}

/// One blur: its weights in the forms that the loops take, and their working memory.
private struct GaussianBlur {
  let kernel: GaussianKernel
  private let rows: IntegerWeights
  private let columns: [Float]
  private let columnSums: [Float]
  /// The second pass down, `spreadStride` weights for each phase.
  private let spreadRows: [Int16]
  private let spreadStride, spreadShift: Int
  private let spreadColumns: [Float]
  private let size: PixelSize
  private let bytesPerRow: Int
  private let simd: Bool
  private let workspace: Workspace
  private let scratch: ScratchMemory
  private let layout: Layout

  init(_ bitmap: Bitmap, _ kernel: GaussianKernel, _ workspace: Workspace) throws(BitmapError) {
    self.kernel = kernel
    self.workspace = workspace
    (size, bytesPerRow, simd) = (bitmap.size, bitmap.bytesPerRow, workspace.usesSIMD)
    let peak = kernel.gather.max() ?? 1
    rows = IntegerWeights(kernel.gather[...], limit: 23, peak: peak)
    columns = kernel.gather.map { Float($0) }
    var sums: [Float] = [0]
    var sum = 0.0
    for weight in kernel.gather {
      sum += weight
      sums.append(Float(sum))
    }
    columnSums = sums
    let spreadPeak = kernel.spread.max() ?? 1
    let spread = stride(from: 0, to: kernel.spread.count, by: max(kernel.taps, 1)).map { first in
      IntegerWeights(kernel.spread[first..<first + kernel.taps], limit: 15, peak: spreadPeak)
    }
    spreadRows = spread.flatMap(\.values)
    spreadShift = spread.first?.shift ?? 14
    spreadStride = kernel.taps
    spreadColumns = kernel.spread.map { Float($0) }
    layout = Layout(size: bitmap.size, kernel: kernel)
    scratch = try workspace.takeScratch(byteCount: layout.byteCount)
  }

  func finish() { workspace.give(back: scratch) }

  /// A single pass down and one across, in which a pixel's neighbours are the row, shifted.
  func runNarrow(
    _ pixels: UnsafePointer<UInt8>,
    into result: UnsafeMutablePointer<UInt8>,
    stride: Int
  ) {
    let taps = kernel.gather.count
    let before = -kernel.origin
    let padded = (scratch.start + layout.ring).assumingMemoryBound(to: Int16.self)
    let middle = padded + before * 4
    let shifted = (scratch.start + layout.pointers)
      .assumingMemoryBound(to: UnsafePointer<Int16>.self)
    // Across, the sum must leave room for 15 bits of a pixel.
    let across = IntegerWeights(kernel.gather[...], limit: 15, peak: kernel.gather.max() ?? 1)
    for y in 0..<size.height {
      blendRows(y, pixels, into: middle)
      for x in 0..<before { (padded + x * 4).update(from: middle, count: 4) }
      let last = middle + (size.width - 1) * 4
      for x in 1...taps - before { (last + x * 4).update(from: last, count: 4) }
      for tap in 0..<across.values.count { shifted[tap] = UnsafePointer(padded + tap * 4) }
      across.values.withUnsafeBufferPointer { weights in
        guard let weights = weights.baseAddress else { return }
        let count = across.values.count
        let out = result + y * stride
        ikran_blur_finish_rows(
          shifted,
          weights,
          count,
          Int32(across.shift),
          size.width * 4,
          out,
          simd
        )
      }
    }
  }

  /// Means of every `step`-th row and column, then the pixels between them.
  func runWide(
    _ pixels: UnsafePointer<UInt8>,
    into result: UnsafeMutablePointer<UInt8>,
    stride: Int
  ) {
    let pointers = (scratch.start + layout.pointers)
      .assumingMemoryBound(to: UnsafePointer<Int16>.self)
    var ready = 0
    for y in 0..<size.height {
      let first = kernel.firstMean(of: y)
      while ready < first + kernel.taps {
        computeMeans(ready, pixels)
        ready += 1
      }
      for tap in 0..<kernel.taps { pointers[tap] = UnsafePointer(ringRow(first + tap)) }
      spreadRows.withUnsafeBufferPointer { weights in
        guard let weights = weights.baseAddress else { return }
        let mine = weights + y % kernel.step * spreadStride
        let out = result + y * stride
        ikran_blur_finish_rows(
          pointers,
          mine,
          kernel.taps,
          Int32(spreadShift),
          size.width * 4,
          out,
          simd
        )
      }
    }
  }

  private func ringRow(_ row: Int) -> UnsafeMutablePointer<Int16> {
    (scratch.start + layout.ring + row % kernel.taps * layout.ringStride)
      .assumingMemoryBound(to: Int16.self)
  }

  /// Computes the means of one row in full width.
  private func computeMeans(_ row: Int, _ pixels: UnsafePointer<UInt8>) {
    let blended = (scratch.start + layout.blended).assumingMemoryBound(to: Int16.self)
    let wide = (scratch.start + layout.wide).assumingMemoryBound(to: Float.self)
    let narrow = (scratch.start + layout.narrow).assumingMemoryBound(to: Float.self)
    blendRows(row, pixels, into: blended)
    columns.withUnsafeBufferPointer { columns in
      columnSums.withUnsafeBufferPointer { sums in
        guard let weights = columns.baseAddress, let sums = sums.baseAddress else { return }
        let results = kernel.count(size.width)
        ikran_blur_narrow(
          blended,
          size.width,
          kernel.step,
          kernel.origin,
          weights,
          sums,
          columns.count,
          wide,
          narrow,
          results,
          simd
        )
      }
    }
    spreadColumns.withUnsafeBufferPointer { weights in
      guard let weights = weights.baseAddress else { return }
      ikran_blur_widen(
        narrow,
        kernel.step,
        weights,
        kernel.taps,
        ringRow(row),
        size.width,
        simd
      )
    }
  }

  /// Writes row `index` of the first pass down.
  private func blendRows(
    _ index: Int,
    _ pixels: UnsafePointer<UInt8>,
    into out: UnsafeMutablePointer<Int16>
  ) {
    let pointers = (scratch.start + layout.pointers)
      .assumingMemoryBound(to: UnsafePointer<UInt8>.self)
    let start = index * kernel.step + kernel.origin
    let taps = kernel.gather.count
    let low = min(max(0, -start), taps)
    let high = max(min(taps, size.height - start), low)
    // An odd run takes one row more; its weight is zero, or is taken off the repeated edge.
    let count = high - low
    let last = pixels + (size.height - 1) * bytesPerRow
    for tap in 0..<count { pointers[tap] = pixels + (start + low + tap) * bytesPerRow }
    var runs = Array(rows.values[low..<high])
    if !count.isMultiple(of: 2) {
      pointers[count] = last
      runs.append(0)
    }
    let before = rows.values[..<low].reduce(0) { $0 + Int32($1) }
    let after = rows.values[high...].reduce(0) { $0 + Int32($1) }
    runs.withUnsafeBufferPointer { weights in
      guard let weights = weights.baseAddress else { return }
      ikran_blur_rows(
        pointers,
        weights,
        runs.count,
        pixels,
        before,
        last,
        after,
        Int32(rows.shift - 7),
        size.width * 4,
        out,
        simd
      )
    }
  }
}

extension GaussianBlur {
  /// The parts of the working memory.
  private struct Layout {
    let ringStride, ring, blended, wide, narrow, pointers, byteCount: Int

    init(size: PixelSize, kernel: GaussianKernel) {
      func rounded(_ bytes: Int) -> Int { (bytes + 63) & ~63 }
      let padding = kernel.step == 1 ? kernel.gather.count + 1 : 0
      // Not a multiple of 4096, which would put one column of all rows into one cache set.
      ringStride = rounded((size.width + padding) * 8) + 64
      ring = 0
      blended = ringStride * max(kernel.taps, 1)
      wide = blended + rounded(size.width * 8)
      narrow = wide + rounded(size.width * 16)
      pointers = narrow + rounded(kernel.count(size.width) * 16)
      byteCount = pointers + (kernel.gather.count + 2) * MemoryLayout<UnsafeRawPointer>.stride
    }
  }
}
