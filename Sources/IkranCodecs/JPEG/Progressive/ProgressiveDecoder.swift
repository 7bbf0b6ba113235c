import CIkranKernels
import IkranPixels

/// Decodes progressive JPEG files: see ``ProgressiveHeader``.
///
/// It decodes the scans that matter at the wanted scale and skips the others, whose data it does
/// not check. Rows at full size are the same as libjpeg's. It gives up on damaged data and
/// everything ambiguous: then libjpeg decodes the file from its first byte, and its result counts.
struct ProgressiveDecoder: ~Copyable {
  private let scale: JPEGScale
  private let plan: ScanPlan
  private let layout: ProgressiveLayout
  private let usesSIMD: Bool

  /// Decodes, crops and scales as `reduction` says, in stored orientation; nil when libjpeg must.
  static func render(
    _ bytes: Span<UInt8>,
    _ frame: JPEGHeader,
    _ reduction: JPEGReduction,
    workspace: Workspace
  ) -> Bitmap? {
    guard frame.process == 0xC2 else { return nil }
    let memory = JPEGMemory.of(workspace)
    defer { memory.trim() }
    return bytes.withUnsafeBufferPointer { bytes in
      guard let header = ProgressiveHeader(bytes), header.tables.size == frame.info.size,
        let decoder = ProgressiveDecoder(header, eighths: reduction.eighths, memory, workspace),
        decoder.decode(bytes)
      else { return nil }
      do throws(DecodeError) {
        var sink = try PixelSink.open(
          reduction.plan,
          rows: reduction.rows,
          format: .bgrx,
          workspace: workspace
        )
        try decoder.paint(into: &sink)
        return try sink.finish()
      } catch {
        // libjpeg meets the same error and throws it.
        return nil
      }
    }
  }

  private init?(
    _ header: ProgressiveHeader,
    eighths: Int,
    _ memory: JPEGMemory,
    _ workspace: Workspace
  ) {
    scale = JPEGScale(header.tables, eighths: eighths, halvesChroma: true)
    plan = ScanPlan(header, scale, eighths: eighths)
    usesSIMD = workspace.usesSIMD
    guard let layout = ProgressiveLayout(header, scale, plan, memory) else { return nil }
    self.layout = layout
  }

  /// Decodes the scans; false when one is damaged.
  private func decode(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    plan.scans.allSatisfy { scan in
      var reader = ScanReader(bytes, scan, window: layout.window)
      return scan.isDC
        ? DCScan(scan, scale, layout)?.decode(&reader) == true
        : BandScan(scan, scale, layout, usesSIMD: usesSIMD)?.decode(&reader) == true
    }
  }

  /// Paints the rows `sink` needs.
  private func paint(into sink: inout PixelSink) throws(DecodeError) {
    let rows = sink.neededRows
    let columns = sink.neededColumns ?? 0..<scale.size.width
    let mcus = scale.mcus(for: columns)
    let painter = RowPainter(scale, layout.samples, columns, usesSIMD: usesSIMD)
    let missing = layout.planes.indices.map { MissingBits(plan.components[$0], layout.planes[$0]) }
    var next = rows.lowerBound
    for row in scale.mcuRows(for: rows) {
      for index in scale.planes.indices { transform(index, mcus, row, missing[index]) }
      try painter.paint(&next, below: rows.upperBound, after: row, into: &sink)
    }
  }

  /// Transforms a component's coefficients in the MCUs of a row to samples.
  private func transform(_ component: Int, _ mcus: Range<Int>, _ row: Int, _ missing: MissingBits?)
  {
    let (plane, memory) = (scale.planes[component], layout.planes[component])
    let samples = layout.samples.planes[component]
    let count = mcus.count * plane.across
    for y in 0..<plane.down {
      let block = (row * plane.down + y) * memory.blocksPerRow + mcus.lowerBound * plane.across
      let coefficients = memory.coefficients + block * memory.stride
      missing?.restore(coefficients, count: count)
      ikran_jpeg_blocks(
        coefficients,
        count,
        memory.steps,
        plane.side,
        samples.start + (row % 2 * plane.rows + y * plane.side) * samples.stride
          + mcus.lowerBound * plane.across * plane.side,
        samples.stride,
        usesSIMD
      )
    }
  }
}
