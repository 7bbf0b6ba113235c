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

  /// How many samples of a reduced picture there must be for each of the result, across and down,
  /// where chroma is interpolated: measured ≥ 45 dB against a full decode.
  private static let interpolatedRatio = 3.75

  /// Decodes, crops and scales as `reduction` says, in stored orientation; nil when libjpeg must.
  ///
  /// Of a file whose first bytes are there, nil unless the missing scans bring nothing visible.
  static func render(
    _ bytes: Span<UInt8>,
    _ frame: JPEGHeader,
    _ reduction: JPEGReduction,
    workspace: Workspace,
    isPrefix: Bool = false
  ) -> Bitmap? {
    guard frame.process == 0xC2 else { return nil }
    let memory = JPEGMemory.of(workspace)
    defer { memory.trim() }
    return bytes.withUnsafeBufferPointer { bytes in
      guard let header = ProgressiveHeader(bytes, isPrefix: isPrefix),
        header.tables.size == frame.info.size
      else { return nil }
      for choice in [reduction] + reduction.stronger(frame.info.size) {
        if let decoder = ProgressiveDecoder(header, choice, memory, workspace) {
          return decoder.render(bytes, by: choice, workspace: workspace)
        }
      }
      return nil
    }
  }

  private func render(
    _ bytes: UnsafeBufferPointer<UInt8>,
    by reduction: JPEGReduction,
    workspace: Workspace
  ) -> Bitmap? {
    guard plan.isSufficient, decode(bytes) else { return nil }
    do throws(DecodeError) {
      var sink = try PixelSink.open(
        reduction.plan,
        rows: reduction.decodedSize,
        format: .bgrx,
        workspace: workspace
      )
      try paint(into: &sink)
      return try sink.finish()
    } catch {
      // libjpeg meets the same error and throws it.
      return nil
    }
  }

  private init?(
    _ header: ProgressiveHeader,
    _ reduction: JPEGReduction,
    _ memory: JPEGMemory,
    _ workspace: Workspace
  ) {
    scale = Self.scale(header, reduction)
    plan = ScanPlan(header, scale, eighths: reduction.eighths)
    usesSIMD = workspace.usesSIMD
    let mostBytes = reduction.coefficientBytes
    guard let layout = ProgressiveLayout(header, scale, plan, memory, mostBytes: mostBytes) else {
      return nil
    }
    self.layout = layout
  }

  private static func scale(_ header: ProgressiveHeader, _ reduction: JPEGReduction) -> JPEGScale {
    JPEGScale(
      header.tables,
      eighths: reduction.eighths,
      interpolatesChroma: reduction.plan.ratio >= interpolatedRatio
    )
  }

  /// How many of a file's first bytes are enough for `reduction`; nil when later scans bring
  /// something visible.
  static func sufficientByteCount(
    _ header: ProgressiveHeader,
    _ reduction: JPEGReduction
  ) -> Int? {
    let plan = ScanPlan(header, scale(header, reduction), eighths: reduction.eighths)
    return plan.isSufficient ? plan.end : nil
  }

  /// Decodes the scans; false when one is damaged.
  private func decode(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    plan.scans.allSatisfy { scan in
      var reader = ScanReader(bytes, scan, window: layout.window)
      return scan.isDC
        ? DCScan(scan, scale, layout)?.decode(&reader) == true
        : ACScan(scan, scale, layout, usesSIMD: usesSIMD)?.decode(&reader) == true
    }
  }

  /// Paints the rows `sink` needs.
  private func paint(into sink: inout PixelSink) throws(DecodeError) {
    let rows = sink.neededRows
    let columns = sink.neededColumns ?? 0..<scale.size.width
    let mcus = scale.mcus(for: columns)
    let painter = RowPainter(scale, layout.samples, columns, usesSIMD: usesSIMD)
    for (component, plane) in zip(plan.components, layout.planes) {
      CoefficientReconstruction(component, plane)?.restore(plane)
    }
    var next = rows.lowerBound
    for row in scale.mcuRows(for: rows) {
      for index in scale.planes.indices {
        if scale.planes[index].isInterpolated {
          interpolate(index, row)
        } else {
          transform(index, mcus, row)
        }
      }
      try painter.paint(&next, below: rows.upperBound, after: row, into: &sink)
    }
  }

  /// Transforms a component's coefficients in the MCUs of a row to samples.
  private func transform(_ component: Int, _ mcus: Range<Int>, _ row: Int) {
    let (plane, memory) = (scale.planes[component], layout.planes[component])
    let samples = layout.samples.planes[component]
    for y in 0..<plane.down {
      let block = (row * plane.down + y) * memory.blocksPerRow + mcus.lowerBound * plane.across
      ikran_jpeg_blocks(
        memory.coefficients + block * memory.stride,
        mcus.count * plane.across,
        memory.quantization,
        plane.side,
        samples.start + (row % 2 * plane.rows + y * plane.side) * samples.stride
          + mcus.lowerBound * plane.across * plane.side,
        samples.stride,
        usesSIMD
      )
    }
  }

  /// Interpolates a component's samples in a row of MCUs, of one block each.
  private func interpolate(_ component: Int, _ row: Int) {
    let memory = layout.planes[component]
    let samples = layout.samples.planes[component]
    // Rows outside the picture are the nearest ones inside.
    let rows: [UnsafePointer<Int16>] = (row - 2...row + 2).map {
      UnsafePointer(memory.coefficients)
        + min(max($0, 0), scale.mcusDown - 1) * memory.blocksPerRow
    }
    ikran_jpeg_interpolate(
      rows,
      scale.mcusAcross,
      memory.quantization[0],
      samples.start + row % 2 * 2 * samples.stride,
      samples.stride,
      usesSIMD
    )
  }
}
