import CIkranKernels
import IkranPixels

/// Decodes the JPEG files that nearly all are: see ``BaselineHeader``.
///
/// Rows are libjpeg's, but for what ``limit(side:)`` leaves out. It gives up on everything it is
/// not sure of, damaged data first of all: then libjpeg begins again from the first byte, and what
/// it makes of the file is the answer.
struct BaselineDecoder: ~Copyable {
  private let scale: BaselineScale
  private let layout: BaselineLayout
  private let usesSIMD: Bool
  /// Holds what the slots point at.
  private let tables: [HuffmanTable]
  /// The blocks of an MCU that is shown, and of one that is only passed over.
  private let shown, passed: [BlockSlot]
  private var reader: EntropyReader
  private let restartInterval: Int
  private var restarts = 0
  private var mcusToRestart: Int

  /// Decodes, crops and scales as `plan` says, in stored orientation; nil when libjpeg must.
  static func render(
    _ bytes: Span<UInt8>,
    _ plan: RenderPlan,
    _ frame: JPEGHeader,
    workspace: Workspace
  ) -> Bitmap? {
    guard let header = BaselineHeader(bytes), header.size == frame.info.size else { return nil }
    let eighths = frame.eighths(for: plan)
    let scale = BaselineScale(header, eighths: eighths)
    let memory = BaselineMemory.of(workspace)
    defer { memory.trim() }
    return bytes.withUnsafeBufferPointer { bytes in
      guard var decoder = BaselineDecoder(bytes, header, scale, memory, workspace) else {
        return nil
      }
      do throws(DecodeError) {
        var sink = try PixelSink.open(
          eighths == 8 ? plan : plan.scaled(to: scale.size, numerator: eighths, denominator: 8),
          rows: scale.size,
          format: .bgrx,
          workspace: workspace
        )
        guard try decoder.decode(into: &sink) else { return nil }
        return try sink.finish()
      } catch {
        // The other decoder meets the same and says so.
        return nil
      }
    }
  }

  private init?(
    _ bytes: UnsafeBufferPointer<UInt8>,
    _ header: BaselineHeader,
    _ scale: BaselineScale,
    _ memory: BaselineMemory,
    _ workspace: Workspace
  ) {
    guard let layout = BaselineLayout(scale, memory) else { return nil }
    var tables: [HuffmanTable] = []
    var shown: [BlockSlot] = []
    for (index, plane) in scale.planes.enumerated() {
      let component = header.components[index]
      guard let dcCode = header.dcCodes[component.dc], let acCode = header.acCodes[component.ac],
        let dc = memory.table(for: dcCode, isDC: true),
        let ac = memory.table(for: acCode, isDC: false)
      else { return nil }
      tables += [dc, ac]
      let steps = header.steps[plane.quantization * 64..<plane.quantization * 64 + 64]
      layout.fillSteps(index, of: plane.side, from: steps)
      for block in 0..<plane.down * plane.across {
        let (y, x) = block.quotientAndRemainder(dividingBy: plane.across)
        shown.append(
          BlockSlot(
            component: index,
            dc: .passUnretained(dc),
            ac: .passUnretained(ac),
            dcValues: UnsafePointer(dc.values),
            values: UnsafePointer(ac.values),
            skips: UnsafePointer(ac.skips),
            limit: Self.limit(side: plane.side),
            order: UnsafePointer(plane.side >= 4 ? layout.natural : layout.first16),
            coefficients: layout.coefficients[index]
              + (y * BaselineLayout.mcusAtOnce * plane.across + x) * plane.stride,
            step: plane.across * plane.stride
          )
        )
      }
    }
    (self.scale, self.layout, self.tables, self.shown) = (scale, layout, tables, shown)
    passed = shown.map { slot in
      var slot = slot
      (slot.limit, slot.coefficients, slot.step) = (0, layout.unread, 0)
      return slot
    }
    usesSIMD = workspace.usesSIMD
    reader = EntropyReader(bytes, from: header.scanStart, window: layout.window)
    restartInterval = header.restartInterval
    mcusToRestart = header.restartInterval == 0 ? .max : header.restartInterval
  }

  /// The last coefficient, in zigzag order, that matters to a block of `side` samples.
  private static func limit(side: Int) -> Int {
    switch side {
    case 8: 63
    case 4: 63
    case 2: 15
    default: 0
    }
  }

  // MARK: - Rows of MCUs

  /// Decodes the rows `sink` needs; false when the data cannot be right.
  private mutating func decode(into sink: inout PixelSink) throws(DecodeError) -> Bool {
    let rows = sink.neededRows
    let columns = sink.neededColumns ?? 0..<scale.size.width
    let mcuRows = scale.mcuRows(for: rows)
    let mcus = scale.mcus(for: columns)
    var next = rows.lowerBound
    // One row of MCUs more, as libjpeg reads ahead: damage there counts.
    for row in 0..<min(mcuRows.upperBound + 1, scale.mcusDown) {
      let isShown = mcuRows.contains(row)
      let span = isShown ? mcus : 0..<0
      guard run(0..<span.lowerBound, row, isShown: false), run(span, row, isShown: true),
        run(span.upperBound..<scale.mcusAcross, row, isShown: false)
      else { return false }
      guard isShown else { continue }
      // The last row of an MCU is made from the next one's chroma too.
      let done = row + 1 == scale.mcusDown ? rows.upperBound : (row + 1) * scale.mcu.height - 1
      while next < min(done, rows.upperBound) {
        let y = next
        let painter = RowPainter(scale, layout, columns, usesSIMD: usesSIMD)
        try sink.nextRow { (row) throws(DecodeError) in painter.paint(y, into: row) }
        next += 1
      }
    }
    return next == rows.upperBound
  }

  /// Decodes the MCUs `span` of a row, and their samples when they are shown.
  private mutating func run(_ span: Range<Int>, _ row: Int, isShown: Bool) -> Bool {
    var first = span.lowerBound
    while first < span.upperBound {
      if mcusToRestart == 0 {
        guard reader.restart(restarts) else { return false }
        restarts += 1
        mcusToRestart = restartInterval
        layout.predictions.update(repeating: 0, count: 3)
      }
      let most = isShown ? BaselineLayout.mcusAtOnce : .max
      let count = min(span.upperBound - first, mcusToRestart, most)
      if isShown { clear(count) }
      let isRight = (isShown ? shown : passed).withUnsafeBufferPointer { slots in
        EntropyDecoder.decode(count, slots, &reader, layout.predictions)
      }
      guard isRight else { return false }
      if isShown { transform(count, at: first, row) }
      first += count
      mcusToRestart -= restartInterval == 0 ? 0 : count
    }
    return true
  }

  /// Clears the coefficients of `count` MCUs; where only the first is kept, it is always written.
  private func clear(_ count: Int) {
    for (index, plane) in scale.planes.enumerated() where plane.stride > 1 {
      let row = plane.across * plane.stride
      for y in 0..<plane.down {
        (layout.coefficients[index] + y * BaselineLayout.mcusAtOnce * row)
          .update(repeating: 0, count: count * row)
      }
    }
  }

  /// Turns the coefficients of `count` MCUs into samples of the row's half of the memory.
  private func transform(_ count: Int, at first: Int, _ row: Int) {
    for (index, plane) in scale.planes.enumerated() {
      let stride = layout.strides[index]
      let start = layout.samples[index] + row % 2 * plane.rows * stride
      for y in 0..<plane.down {
        ikran_jpeg_blocks(
          layout.coefficients[index]
            + y * BaselineLayout.mcusAtOnce * plane.across * plane.stride,
          count * plane.across,
          layout.steps[index],
          plane.side,
          start + y * plane.side * stride + first * plane.across * plane.side,
          stride,
          usesSIMD
        )
      }
    }
  }
}
