import IkranPixels

/// Decodes scans of DC coefficients (ITU-T T.81, G.1.2.1).
///
/// Hostile bytes cannot lead outside memory: an MCU uses fewer bytes than
/// ``ProgressiveLayout/padding``, and none begins after ``ScanReader/lastStart``.
struct DCScan {
  /// A block of the next MCU.
  private struct Block {
    var value: UnsafeMutablePointer<Int16>
    /// How far the same block of the MCU after it is.
    let step: Int
    /// An index of ``Coding``.
    let component: Int
  }

  /// How a component is coded.
  private struct Coding {
    /// Of the component's ``HuffmanTable``.
    let values: UnsafePointer<UInt32>
    let codewords: UnsafePointer<Int32>
    /// The largest magnitude in an undamaged picture.
    let limit: Int
    var predictor = 0
  }

  private let scan: ProgressiveScan
  private let planes: [JPEGScale.Plane]
  private let memory: [ProgressiveLayout.Plane]
  private let tables: [HuffmanTable]
  /// MCUs in a row, and in all.
  private let across, count: Int

  /// A scan over a picture; nil when there is no memory for its tables.
  init?(_ scan: ProgressiveScan, _ scale: JPEGScale, _ layout: ProgressiveLayout) {
    self.scan = scan
    planes = scan.components.map { scale.planes[$0] }
    memory = scan.components.map { layout.planes[$0] }
    tables = scan.codes.compactMap { HuffmanTable($0, .dc) }
    guard tables.count == scan.codes.count else { return nil }
    // A single component is not interleaved.
    let isAlone = planes.count == 1
    across = isAlone ? planes[0].blocksAcross : scale.mcusAcross
    count = across * (isAlone ? planes[0].blocksDown : scale.mcusDown)
  }

  /// Decodes the scan; false when its data is damaged.
  func decode(_ reader: inout ScanReader) -> Bool {
    var mcu = 0
    return reader.forEachInterval(of: count) { reader, count in
      let end = mcu + count
      var codings = zip(tables, memory).map { table, memory in
        Coding(
          values: UnsafePointer(table.values),
          codewords: UnsafePointer(table.codewords),
          limit: (4_096 / max(1, Int(memory.quantization[0]))) >> scan.lowBit
        )
      }
      while mcu < end {
        let columns = min(end - mcu, across - mcu % across)
        var blocks = blocks(of: mcu)
        guard
          scan.isRefinement
            ? refine(columns, &blocks, &reader) : read(columns, &blocks, &codings, &reader)
        else { return false }
        mcu += columns
      }
      return true
    }
  }

  /// The blocks of an MCU, row after row of each component.
  private func blocks(of mcu: Int) -> [Block] {
    let (row, column) = (mcu / across, mcu % across)
    var blocks: [Block] = []
    for (component, (plane, memory)) in zip(planes, memory).enumerated() {
      let (width, height) = planes.count == 1 ? (1, 1) : (plane.across, plane.down)
      for y in 0..<height {
        for x in 0..<width {
          let index = (row * height + y) * memory.blocksPerRow + column * width + x
          let value = memory.coefficients + index * memory.stride
          blocks.append(Block(value: value, step: width * memory.stride, component: component))
        }
      }
    }
    return blocks
  }

  /// Decodes the first bits of `count` MCUs of a row.
  private func read(
    _ count: Int,
    _ blocks: inout [Block],
    _ codings: inout [Coding],
    _ reader: inout ScanReader
  ) -> Bool {
    let (lastStart, lowBit) = (reader.lastStart, scan.lowBit)
    var stream = reader.stream
    defer { reader.stream = stream }
    return blocks.withUnsafeMutableBufferPointer { blocks in
      codings.withUnsafeMutableBufferPointer { codings in
        guard let blocks = blocks.baseAddress.map({ ($0, $0 + blocks.count) }),
          let codings = codings.baseAddress
        else { return false }
        for _ in 0..<count {
          guard stream.next <= lastStart else { return false }
          var block = blocks.0
          while block < blocks.1 {
            let coding = codings + block.pointee.component
            guard let difference = Self.difference(&stream, coding) else { return false }
            let dc = coding.pointee.predictor &+ difference
            coding.pointee.predictor = dc
            if dc.magnitude > UInt(bitPattern: coding.pointee.limit) { return false }
            block.pointee.value.pointee = Int16(truncatingIfNeeded: dc << lowBit)
            block.pointee.value += block.pointee.step
            block += 1
          }
        }
        return true
      }
    }
  }

  /// The next difference; nil for damage.
  @inline(__always)
  private static func difference(
    _ stream: inout BitStream,
    _ coding: UnsafePointer<Coding>
  ) -> Int? {
    stream.refill()
    let entry = coding.pointee.values[stream.peek(HuffmanTable.valueBits)]
    if entry != 0 {
      defer { stream.take(UInt64(entry)) }
      return stream.value(after: entry)
    }
    let codeword = HuffmanTable.codeword(stream.bits, coding.pointee.codewords)
    guard codeword >= 0 else { return nil }
    stream.take(UInt64(truncatingIfNeeded: codeword))
    return stream.takeValue(codeword >> 8)
  }

  /// Adds a bit to `count` MCUs of a row.
  private func refine(_ count: Int, _ blocks: inout [Block], _ reader: inout ScanReader) -> Bool {
    let (lastStart, lowBit) = (reader.lastStart, scan.lowBit)
    var stream = reader.stream
    defer { reader.stream = stream }
    return blocks.withUnsafeMutableBufferPointer { blocks in
      guard let blocks = blocks.baseAddress.map({ ($0, $0 + blocks.count) }) else { return false }
      for _ in 0..<count {
        guard stream.next <= lastStart else { return false }
        stream.refill()
        var block = blocks.0
        while block < blocks.1 {
          block.pointee.value.pointee |= Int16(truncatingIfNeeded: stream.peek(1) << lowBit)
          stream.take(1)
          block.pointee.value += block.pointee.step
          block += 1
        }
      }
      return true
    }
  }
}
