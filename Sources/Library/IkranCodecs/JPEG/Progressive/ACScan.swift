import CIkranKernels
import IkranPixels

/// Decodes scans of AC coefficients (ITU-T T.81, G.1.2.2 and G.1.2.3).
///
/// Hostile bytes cannot lead outside memory: an index of a table has as many bits as the table, a
/// coefficient is inside the band, a block uses fewer bytes than ``ProgressiveLayout/padding``, and
/// none begins after ``ScanReader/lastStart``.
struct ACScan {
  private let scan: ProgressiveScan
  private let plane: JPEGScale.Plane
  private let memory: ProgressiveLayout.Plane
  private let table: HuffmanTable
  private let usesSIMD: Bool

  /// A scan over a picture; nil when there is no memory for its table.
  init?(
    _ scan: ProgressiveScan,
    _ scale: JPEGScale,
    _ layout: ProgressiveLayout,
    usesSIMD: Bool
  ) {
    guard let component = scan.components.first, let code = scan.codes.first,
      let table = HuffmanTable(code, .band)
    else { return nil }
    (self.scan, self.table, self.usesSIMD) = (scan, table, usesSIMD)
    (plane, memory) = (scale.planes[component], layout.planes[component])
  }

  /// Decodes the scan; false when its data is damaged.
  func decode(_ reader: inout ScanReader) -> Bool {
    var block = 0
    return reader.forEachInterval(of: plane.blocksAcross * plane.blocksDown) { reader, count in
      let end = block + count
      // Blocks that have no new coefficients.
      var run = 0
      while block < end {
        let (row, column) = (block / plane.blocksAcross, block % plane.blocksAcross)
        let columns = min(end - block, plane.blocksAcross - column)
        let first = row * memory.blocksPerRow + column
        guard
          scan.isRefinement
            ? refine(first, columns, &run, &reader) : read(first, columns, &run, &reader)
        else { return false }
        block += columns
      }
      return run == 0
    }
  }

  /// Decodes the first bits of `count` blocks.
  private func read(
    _ first: Int,
    _ count: Int,
    _ run: inout Int,
    _ reader: inout ScanReader
  ) -> Bool {
    let lastStart = reader.lastStart
    var stream = reader.stream
    defer { reader.stream = stream }
    var index = first
    let end = first + count
    while index < end {
      if run > 0 {
        let skipped = min(run, end - index)
        run -= skipped
        index += skipped
        continue
      }
      guard stream.next <= lastStart else { return false }
      var known: UInt64 = 0
      run = readBlock(memory.coefficients + index * memory.stride, &stream, &known)
      if run < 0 { return false }
      if let history = memory.history { history[index] |= known }
      index += 1
    }
    return true
  }

  /// Decodes the first bits of a block and returns how many empty ones follow; negative for
  /// damage.
  @inline(__always)
  private func readBlock(
    _ block: UnsafeMutablePointer<Int16>,
    _ stream: inout BitStream,
    _ known: inout UInt64
  ) -> Int {
    let (values, order) = (table.values, memory.order)
    let (last, lowBit) = (scan.band.upperBound, scan.lowBit)
    // The number of coefficients so far.
    var position = scan.band.lowerBound
    repeat {
      stream.refill()
      let entry = values[stream.peek(HuffmanTable.valueBits)]
      position &+= Int(entry >> 6 & 0x3FF)
      var value = stream.value(after: entry)
      if position > last + 1 {
        if position >= HuffmanTable.endOfBlock { return takeRun(&stream, entry) }
        position &-= HuffmanTable.unknown
        guard position >= 0, let run = readSymbol(&stream, &position, &value) else { return -1 }
        if run >= 0 { return run }
      } else {
        stream.take(UInt64(entry))
      }
      block[Int(order[position])] = Int16(truncatingIfNeeded: value << lowBit)
      known |= (value == 0 ? 0 : 1 << 63) &>> UInt64(truncatingIfNeeded: position &- 1)
    } while position <= last
    return 0
  }

  /// The run of empty blocks after a block whose end `entry` stands for.
  @inline(__always)
  private func takeRun(_ stream: inout BitStream, _ entry: UInt32) -> Int {
    let size = UInt64(63 - entry >> 16 & 63)
    let digits = stream.bits &<< UInt64(entry >> 22)
    let rest = (digits &>> 1) &>> (63 - size)
    stream.take(UInt64(entry))
    return 1 << Int(size) + Int(truncatingIfNeeded: rest) - 1
  }

  /// One symbol that no entry holds: the run after the block when it ends there, negative when it
  /// goes on; nil for damage.
  @inline(never)
  private func readSymbol(
    _ stream: inout BitStream,
    _ position: inout Int,
    _ value: inout Int
  ) -> Int? {
    let codeword = HuffmanTable.codeword(stream.bits, table.codewords)
    guard codeword >= 0 else { return nil }
    stream.take(UInt64(truncatingIfNeeded: codeword))
    let (run, size) = (codeword >> 12, codeword >> 8 & 15)
    if size == 0, run < 15 {
      let rest = stream.peek(run)
      stream.take(UInt64(run))
      return run == 0 ? 0 : 1 << run + rest - 1
    }
    position += run + 1
    guard position <= scan.band.upperBound + 1 else { return nil }
    value = stream.takeValue(size)
    return -1
  }

  /// Adds a bit to `count` blocks.
  private func refine(
    _ first: Int,
    _ count: Int,
    _ run: inout Int,
    _ reader: inout ScanReader
  ) -> Bool {
    guard let history = memory.history else { return false }
    var refinement = ikran_jpeg_refinement(
      values: table.values,
      codewords: table.codewords,
      order: memory.order,
      band: scan.bandMask,
      stored: stored,
      step: 1 << Int32(scan.lowBit),
      run: UInt32(run),
      bits: reader.stream.bits,
      count: Int64(reader.stream.count & 63),
      next: reader.stream.next,
      last_start: reader.lastStart
    )
    let isRead = ikran_jpeg_refine(
      &refinement,
      history + first,
      memory.coefficients + first * memory.stride,
      memory.stride,
      count,
      usesSIMD
    )
    reader.stream.bits = refinement.bits
    reader.stream.count = Int(refinement.count)
    reader.stream.next = refinement.next
    run = Int(refinement.run)
    return isRead
  }

  /// The coefficients that a block has room for; others would share an element.
  private var stored: UInt64 {
    switch memory.stride {
    case 64: .max
    case 8: 0b11111 << 59
    default: 1 << 63
    }
  }
}
