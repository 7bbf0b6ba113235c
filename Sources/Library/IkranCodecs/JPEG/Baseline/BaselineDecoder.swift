import CIkranKernels
import IkranPixels

// Decision 11: a custom decoder for baseline JPEG; libjpeg has the rest.
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
  /// Where MCUs begin, for decoders of many regions.
  private var index: EntropyIndex?
  /// Whether the index is used to leave out columns, not only rows.
  private var skipsColumns = false
  private let restartInterval: Int
  /// The next MCU of the picture, and how many there are before the next restart marker.
  private var mcu = 0
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
    var index: EntropyIndex?
    return render(
      bytes,
      frame,
      reduction,
      workspace: workspace,
      isSpeculative: isSpeculative,
      index: &index
    )
  }

  /// Does the same with an index, if there is one: begins where it says, and completes it.
  ///
  /// When libjpeg must decode the file it has what was noted above the damage; nil for one that
  /// this does not decode.
  static func render(
    _ bytes: Span<UInt8>,
    _ frame: JPEGHeader,
    _ reduction: JPEGReduction,
    workspace: Workspace,
    isSpeculative: Bool = true,
    index: inout EntropyIndex?
  ) -> Bitmap? {
    let known = index.take()
    guard let header = BaselineHeader(bytes), header.tables.size == frame.info.size else {
      return nil
    }
    let scale = JPEGScale(header.tables, eighths: reduction.eighths)
    let memory = JPEGMemory.of(workspace)
    defer { memory.trim() }
    return bytes.withUnsafeBufferPointer { bytes in
      do throws(DecodeError) {
        var sink = try PixelSink.open(
          reduction.plan,
          rows: reduction.decodedSize,
          format: .bgrx,
          workspace: workspace
        )
        let skipsColumns = known?.covers(sink, scale) == true
        let meanBits = Self.meanBits(bytes.count, header, scale)
        let isSpeculative =
          isSpeculative && !skipsColumns && meanBits >= minimumMeanBits
          && scale.planes.allSatisfy { $0.side <= 2 }
        guard let layout = BaselineLayout(scale, memory, isSpeculative: isSpeculative),
          var decoder = BaselineDecoder(
            bytes,
            header,
            scale,
            layout,
            meanBits,
            memory,
            workspace,
            // Windows end at restart markers, too; with an index, other bytes may come next.
            threads: header.tables.restartInterval == 0 && known == nil
              ? workspace.idleThreads : nil
          )
        else { return nil }
        (decoder.index, decoder.skipsColumns) = (known, skipsColumns)
        let isWhole = try decoder.decode(into: &sink)
        index = decoder.index
        return isWhole ? try sink.finish() : nil
      } catch {
        // libjpeg meets the same error and throws it: one of the result, not of the file.
        index = known
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
    _ workspace: Workspace,
    threads: (any IdleThreads)?
  ) {
    var tables: [HuffmanTable] = []
    for (index, component) in header.tables.components.enumerated() {
      guard let dc = memory.table(for: header.codes[index].dc, .dc),
        let ac = memory.table(for: header.codes[index].ac, .ac)
      else { return nil }
      tables += [dc, ac]
      let last = Self.lastCoefficient(side: scale.planes[index].side)
      layout.fillQuantization(of: index, header.tables.quantization[component.quantizationTable])
      layout.fillSlots(of: index, scale, dc: dc, ac: ac, lastCoefficient: last)
    }
    (self.scale, self.layout, self.tables) = (scale, layout, tables)
    usesSIMD = workspace.usesSIMD
    let blocksPerMCU = scale.blocksPerMCU
    reader = EntropyReader(
      bytes,
      from: EntropyReader.Position(offset: header.scanStart, bit: 0),
      layout,
      blocksPerMCU: blocksPerMCU,
      decoder: layout.segments.map {
        SegmentDecoder($0, layout.visible, blocksPerMCU: blocksPerMCU, meanBits: meanBits)
      },
      threads: threads
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
    for row in mcuRows {
      guard skip(to: row * scale.mcusAcross + mcus.lowerBound), decodeSamples(mcus, row) else {
        return false
      }
      try painter.paint(&next, below: rows.upperBound, after: row, into: &sink)
    }
    // One row of MCUs more: libjpeg reads it too, so damage there counts.
    let end = min(mcuRows.upperBound + 1, scale.mcusDown)
    return skip(to: end * scale.mcusAcross) && next == rows.upperBound
  }

  /// Moves on to an MCU; false when the data is damaged.
  private mutating func skip(to target: Int) -> Bool {
    useIndex(for: target)
    // The last interval has no marker after it.
    let last = min(target, scale.mcusAcross * scale.mcusDown - 1)
    while mcu < target {
      if mcusToRestart <= last - mcu {
        guard skipIntervals(upTo: last) else { return false }
      }
      guard beginMCU() else { return false }
      let count = min(target - mcu, mcusToRestart, BaselineLayout.mcusAtOnce)
      guard decode(count, layout.skipped) else { return false }
    }
    return true
  }

  /// Continues at the last checkpoint before an MCU, if that is farther on.
  private mutating func useIndex(for target: Int) {
    guard skipsColumns || mcu == 0, let checkpoint = index?.checkpoint(for: target),
      checkpoint.mcu > mcu
    else { return }
    reader.seek(to: checkpoint.position)
    checkpoint.restore(layout.dcPredictors)
    mcu = checkpoint.mcu
    if restartInterval > 0 { mcusToRestart = restartInterval - mcu % restartInterval }
  }

  /// Moves on to the last restart marker that is not after an MCU, or with an index to the next
  /// marker, without decoding what is in between.
  private mutating func skipIntervals(upTo target: Int) -> Bool {
    mcu += mcusToRestart
    let count = index == nil ? (target - mcu) / restartInterval : 0
    guard reader.skipIntervals(count, after: mcu / restartInterval - 1) else { return false }
    mcu += count * restartInterval
    mcusToRestart = 0
    return true
  }

  /// Decodes the MCUs `span` of a row, and their samples.
  private mutating func decodeSamples(_ span: Range<Int>, _ row: Int) -> Bool {
    var first = span.lowerBound
    while first < span.upperBound {
      guard beginMCU() else { return false }
      let count = min(span.upperBound - first, mcusToRestart, BaselineLayout.mcusAtOnce)
      clear(count)
      guard decode(count, layout.visible) else { return false }
      transform(count, at: first, row)
      first += count
    }
    return true
  }

  /// Passes the restart marker that is due, and notes where the next MCU begins.
  private mutating func beginMCU() -> Bool {
    if mcusToRestart == 0 {
      guard reader.restart(mcu / restartInterval - 1) else { return false }
      mcusToRestart = restartInterval
      layout.dcPredictors.update(repeating: 0, count: 3)
    }
    if let next = index?.next, mcu >= next {
      index?.append(EntropyIndex.Checkpoint(mcu: mcu, reader.position(), layout.dcPredictors))
    }
    return true
  }

  /// Decodes the blocks of `count` MCUs.
  private mutating func decode(_ count: Int, _ slots: UnsafePointer<BlockSlot>) -> Bool {
    mcu += count
    mcusToRestart -= restartInterval == 0 ? 0 : count
    return reader.decode(count * scale.blocksPerMCU, slots, layout.dcPredictors)
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
          memory.quantization,
          plane.side,
          start + y * plane.side * samples.stride + first * plane.across * plane.side,
          samples.stride,
          usesSIMD
        )
      }
    }
  }
}

extension EntropyIndex {
  /// Whether it saves a part of each row of MCUs that `sink` needs.
  fileprivate func covers(_ sink: borrowing PixelSink, _ scale: JPEGScale) -> Bool {
    guard let columns = sink.neededColumns else { return false }
    let mcus = scale.mcus(for: columns)
    let first = scale.mcuRows(for: sink.neededRows).lowerBound * scale.mcusAcross + mcus.lowerBound
    return mcus.count * 2 < scale.mcusAcross && first < next
  }
}
