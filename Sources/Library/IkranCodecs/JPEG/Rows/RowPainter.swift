import CIkranKernels
import IkranPixels

/// Converts rows of samples to rows of pixels.
struct RowPainter {
  private let scale: JPEGScale
  private let memory: SampleMemory
  private let columns: Range<Int>
  private let usesSIMD: Bool

  /// Paints `columns` of each row, from samples in `memory`.
  init(
    _ scale: JPEGScale,
    _ memory: SampleMemory,
    _ columns: Range<Int>,
    usesSIMD: Bool
  ) {
    (self.scale, self.memory, self.columns, self.usesSIMD) = (scale, memory, columns, usesSIMD)
  }

  /// Paints the rows of the result that row `row` of MCUs completes, from `next` on, but none from
  /// `end` on.
  func paint(
    _ next: inout Int,
    below end: Int,
    after row: Int,
    into sink: inout PixelSink
  ) throws(DecodeError) {
    // The last row of an MCU also depends on the chroma of the next one.
    let done = row + 1 == scale.mcusDown ? end : (row + 1) * scale.mcu.height - 1
    while next < min(done, end) {
      let y = next
      try sink.nextRow { (row) throws(DecodeError) in paint(y, into: row) }
      next += 1
    }
  }

  /// Paints row `y` of the result, four bytes per pixel.
  private func paint(_ y: Int, into row: UnsafeMutableRawBufferPointer) {
    guard let start = row.baseAddress, columns.upperBound * 4 <= row.count else { return }
    let out = (start + columns.lowerBound * 4).assumingMemoryBound(to: UInt8.self)
    let luma = samples(0, y) + columns.lowerBound
    guard scale.planes.count == 3 else {
      ikran_jpeg_gray_row(luma, out, columns.count)
      return
    }
    let blue = chroma(1, y) + columns.lowerBound
    let red = chroma(2, y) + columns.lowerBound
    ikran_jpeg_color_row(luma, blue, red, out, columns.count, usesSIMD)
  }

  /// A row of a component's samples; a row outside the picture is the nearest one inside.
  private func samples(_ component: Int, _ y: Int) -> UnsafePointer<UInt8> {
    let plane = scale.planes[component]
    let row = min(max(y, 0), plane.height - 1) % (2 * plane.rows)
    return UnsafePointer(memory.planes[component].start + row * memory.planes[component].stride)
  }

  /// A row of chroma at the size of the result.
  private func chroma(_ component: Int, _ y: Int) -> UnsafePointer<UInt8> {
    let plane = scale.planes[component]
    guard plane.isHalfWide || plane.isHalfTall else { return samples(component, y) }
    // One sample more on each side: interpolation needs the neighbours.
    let first = plane.isHalfWide ? max(columns.lowerBound / 2 - 1, 0) : columns.lowerBound
    let end =
      plane.isHalfWide ? min((columns.upperBound + 1) / 2 + 1, plane.width) : columns.upperBound
    let enlarged = memory.planes[component].enlarged
    let below = y % 2 == 1
    let near = samples(component, plane.isHalfTall ? y / 2 : y) + first
    let far = samples(component, y / 2 + (below ? 1 : -1)) + first
    let out = enlarged + (plane.isHalfWide ? 2 * first : first)
    let isSmooth = scale.isSmooth && plane.width > 2
    switch (plane.isHalfWide, plane.isHalfTall) {
    case (true, true) where isSmooth:
      ikran_jpeg_enlarge(near, far, memory.columnSums, out, end - first, usesSIMD)
    case (true, false) where isSmooth: ikran_jpeg_widen(near, out, end - first, usesSIMD)
    case (true, _): ikran_jpeg_repeat(near, out, end - first)
    default:
      guard scale.isSmooth else { return near - first }
      ikran_jpeg_heighten(near, far, below, out, end - first, usesSIMD)
    }
    return UnsafePointer(enlarged)
  }
}
