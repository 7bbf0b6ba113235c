import CIkranKernels
import IkranPixels

/// Decodes the most common JPEG files: see ``BaselineHeader``.
///
/// Rows are the same as libjpeg's, but for the coefficients that ``lastCoefficient(side:)`` leaves
/// out. It gives up on damaged data and everything ambiguous: then libjpeg decodes the file from
/// its first byte, and its result counts.
struct BaselineDecoder: ~Copyable {
  private let scale: JPEGScale
  private let layout: BaselineLayout
  private let usesSIMD: Bool
  /// Owns the memory that the slots point to.
  private let tables: [HuffmanTable]
  private var reader: EntropyReader
  private let restartInterval: Int
  private var restarts = 0
  private var mcusToRestart: Int

  /// Decodes, crops and scales as `reduction` says, in stored orientation; nil when libjpeg must.
  ///
  /// Where few coefficients matter it decodes speculatively, unless `isSpeculative` is false.
  static func render(
    _ bytes: Span<UInt8>,
    _ frame: JPEGHeader,
    _ reduction: JPEGReduction,
    workspace: Workspace,
    isSpeculative: Bool = true
  ) -> Bitmap? {
    guard let header = BaselineHeader(bytes), header.tables.size == frame.info.size else {
      return nil
    }
    let scale = JPEGScale(header.tables, eighths: reduction.eighths)
    let memory = JPEGMemory.of(workspace)
    defer { memory.trim() }
    return bytes.withUnsafeBufferPointer { bytes in
      let meanBits = Self.meanBits(bytes.count, header, scale)
      let isSpeculative =
        isSpeculative && meanBits >= minimumMeanBits && scale.planes.allSatisfy { $0.side <= 2 }
      guard let layout = BaselineLayout(scale, memory, isSpeculative: isSpeculative),
        var decoder = BaselineDecoder(bytes, header, scale, layout, meanBits, memory, workspace)
      else { return nil }
      do throws(DecodeError) {
        var sink = try PixelSink.open(
          reduction.plan,
          rows: reduction.rows,
          format: .bgrx,
          workspace: workspace
        )
        guard try decoder.decode(into: &sink) else { return nil }
        return try sink.finish()
      } catch {
        // libjpeg meets the same error and throws it.
        return nil
      }
    }
  }

  private init?(
    _ bytes: UnsafeBufferPointer<UInt8>,
    _ header: BaselineHeader,
    _ scale: JPEGScale,
    _ layout: BaselineLayout,
    _ meanBits: Int,
    _ memory: JPEGMemory,
    _ workspace: Workspace
  ) {
    var tables: [HuffmanTable] = []
    for (index, component) in header.tables.components.enumerated() {
      guard let dc = memory.table(for: header.codes[index].dc, .dc),
        let ac = memory.table(for: header.codes[index].ac, .ac)
      else { return nil }
      tables += [dc, ac]
      let last = Self.lastCoefficient(side: scale.planes[index].side)
      layout.fillSteps(of: index, header.tables.steps[component.quantization])
      layout.fillSlots(of: index, scale, dc: dc, ac: ac, lastCoefficient: last)
    }
    (self.scale, self.layout, self.tables) = (scale, layout, tables)
    usesSIMD = workspace.usesSIMD
    let blocksPerMCU = scale.blocksPerMCU
    reader = EntropyReader(
      bytes,
      from: header.scanStart,
      layout,
      blocksPerMCU: blocksPerMCU,
      decoder: layout.segments.map {
        SegmentDecoder($0, layout.visible, blocksPerMCU: blocksPerMCU, meanBits: meanBits)
      },
      // Windows end at restart markers, too.
      threads: header.tables.restartInterval == 0 ? workspace.idleThreads : nil
    )
    restartInterval = header.tables.restartInterval
    mcusToRestart = header.tables.restartInterval == 0 ? .max : header.tables.restartInterval
  }

  deinit { reader.end() }

  /// The last coefficient, in zigzag order, that matters to a block of `side` samples.
  private static func lastCoefficient(side: Int) -> Int {
    switch side {
    case 8: 63
    case 4: 24
    case 2: 4
    default: 0
    }
  }

  /// With fewer bits per block on average, decoding one by one is as fast.
  static let minimumMeanBits = 20

  /// The average number of bits of a block in a file of `count` bytes.
  static func meanBits(_ count: Int, _ header: BaselineHeader, _ scale: JPEGScale) -> Int {
    (count - header.scanStart) * 8 / scale.blockCount
  }

  // MARK: - Rows of MCUs

  /// Decodes the rows `sink` needs; false when the data is damaged.
  private mutating func decode(into sink: inout PixelSink) throws(DecodeError) -> Bool {
    let rows = sink.neededRows
    let columns = sink.neededColumns ?? 0..<scale.size.width
    let mcuRows = scale.mcuRows(for: rows)
    let mcus = scale.mcus(for: columns)
    let painter = RowPainter(scale, layout.samples, columns, usesSIMD: usesSIMD)
    var next = rows.lowerBound
    // One row of MCUs more: libjpeg reads it too, so damage there counts.
    for row in 0..<min(mcuRows.upperBound + 1, scale.mcusDown) {
      let isVisible = mcuRows.contains(row)
      let span = isVisible ? mcus : 0..<0
      guard run(0..<span.lowerBound, row, isVisible: false), run(span, row, isVisible: true),
        run(span.upperBound..<scale.mcusAcross, row, isVisible: false)
      else { return false }
      guard isVisible else { continue }
      try painter.paint(&next, below: rows.upperBound, after: row, into: &sink)
    }
    return next == rows.upperBound
  }

  /// Decodes the MCUs `span` of a row, and their samples when they are visible.
  private mutating func run(_ span: Range<Int>, _ row: Int, isVisible: Bool) -> Bool {
    var first = span.lowerBound
    while first < span.upperBound {
      if mcusToRestart == 0 {
        guard reader.restart(restarts) else { return false }
        restarts += 1
        mcusToRestart = restartInterval
        layout.dcPredictors.update(repeating: 0, count: 3)
      }
      let count = min(span.upperBound - first, mcusToRestart, BaselineLayout.mcusAtOnce)
      if isVisible { clear(count) }
      let slots = isVisible ? layout.visible : layout.skipped
      guard reader.decode(count * scale.blocksPerMCU, slots, layout.dcPredictors) else {
        return false
      }
      if isVisible { transform(count, at: first, row) }
      first += count
      mcusToRestart -= restartInterval == 0 ? 0 : count
    }
    return true
  }

  /// Clears the coefficients of `count` MCUs; where blocks have only one, it is always written.
  private func clear(_ count: Int) {
    for (plane, memory) in zip(scale.planes, layout.planes) where plane.side > 1 {
      let row = plane.across * plane.stride
      for y in 0..<plane.down {
        (memory.coefficients + y * BaselineLayout.mcusAtOnce * row)
          .update(repeating: 0, count: count * row)
      }
    }
  }

  /// Transforms the coefficients of `count` MCUs to samples, in the row's half of the memory.
  private func transform(_ count: Int, at first: Int, _ row: Int) {
    for (index, (plane, memory)) in zip(scale.planes, layout.planes).enumerated() {
      let samples = layout.samples.planes[index]
      let start = samples.start + row % 2 * plane.rows * samples.stride
      for y in 0..<plane.down {
        ikran_jpeg_blocks(
          memory.coefficients + y * BaselineLayout.mcusAtOnce * plane.across * plane.stride,
          count * plane.across,
          memory.steps,
          plane.side,
          start + y * plane.side * samples.stride + first * plane.across * plane.side,
          samples.stride,
          usesSIMD
        )
      }
    }
  }
}
