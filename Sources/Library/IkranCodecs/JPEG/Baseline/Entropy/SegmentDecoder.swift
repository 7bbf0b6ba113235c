/// Divides a window into segments and decodes the blocks of all of them.
struct SegmentDecoder {
  /// Working memory, for one window or in equal parts for several smaller ones.
  struct Memory {
    /// Room for ``SegmentDecoder/segmentCount`` in each part.
    fileprivate(set) var segments: UnsafeMutablePointer<Segment>
    /// Room for ``blockCount`` blocks, and for their coefficients.
    var starts: UnsafeMutablePointer<UInt32>
    var values: UnsafeMutablePointer<Int16>
    var blockCount: Int
  }

  /// The most bytes of a window: the longer the segments, the less is decoded twice.
  static let maximumWindowBytes = 262_144
  /// Blocks for which there is room in a window; its size is chosen to fit.
  static let blockCount = 65_536
  /// Bits of a segment: the last of a window are short, so that the streams end at the same time.
  private static let segmentBits = 8_192..<131_072
  static let segmentCount = 64
  /// Windows of fewer bytes are decoded block by block.
  static let minimumBytes = InterleavedDecoder.count * segmentBits.lowerBound / 8

  /// Blocks for which there is room in a part, and in all parts or one window.
  private static let partBlocks = blockCount / WindowsAhead.sizeDivisor
  static let allBlocks = max(blockCount, partBlocks * WindowsAhead.count)

  /// Coefficients to allocate for MCUs of `blocksPerMCU` blocks with `coefficients` in all.
  static func valueCount(_ coefficients: Int, blocksPerMCU: Int) -> Int {
    (allBlocks / blocksPerMCU + 2 * segmentCount * WindowsAhead.count) * coefficients
  }

  private let whole: Memory
  /// The slots of an MCU whose blocks are all visible, and how many.
  let slots: UnsafePointer<BlockSlot>
  let blocksPerMCU: Int
  /// Coefficients that those blocks have room for.
  private let coefficients: Int
  /// The bits per block that capacities are computed from: with smaller blocks, segments end early.
  private let blockBits: Int

  /// Decodes MCUs of `blocksPerMCU` blocks, which have `meanBits` in this file.
  init(
    _ memory: Memory,
    _ slots: UnsafePointer<BlockSlot>,
    blocksPerMCU: Int,
    meanBits: Int
  ) {
    (whole, self.slots, self.blocksPerMCU) = (memory, slots, blocksPerMCU)
    blockBits = min(max(meanBits / 2, 4), 32)
    coefficients = (0..<blocksPerMCU).reduce(0) { $0 + slots[$1].stride }
  }

  /// Bytes of a window, which others share the memory with or not.
  func windowBytes(isPart: Bool) -> Int {
    let bytes = min(Self.maximumWindowBytes, Self.blockCount * blockBits / 8)
    return isPart ? bytes / WindowsAhead.sizeDivisor : bytes
  }

  /// The memory of one window, or of part `index`.
  func memory(part index: Int = 0) -> Memory {
    var part = whole
    part.segments += index * Self.segmentCount
    part.starts += index * Self.partBlocks
    part.blockCount = Self.partBlocks
    part.values += index * (Self.partBlocks / blocksPerMCU + 2 * Self.segmentCount) * coefficients
    return part
  }

  /// Decodes `bits` of a window when that is worth it, and returns how many segments there are; the
  /// first block is number `blockInMCU` of its MCU.
  ///
  /// The window has ``EntropyDecoder/padding`` bytes more.
  func decode(
    _ memory: Memory,
    _ window: UnsafePointer<UInt8>,
    bits: Range<Int>,
    blockInMCU: Int
  ) -> Int {
    let count = layOut(bits, memory)
    guard count >= InterleavedDecoder.count else { return 0 }
    InterleavedDecoder.decode(
      UnsafeMutableBufferPointer(start: memory.segments, count: count),
      slots,
      blocksPerMCU: blocksPerMCU,
      from: blockInMCU,
      window
    )
    return count
  }

  /// Divides bits into segments and returns how many.
  private func layOut(_ bits: Range<Int>, _ memory: Memory) -> Int {
    var (first, count) = (bits.lowerBound, 0)
    var (starts, values) = (memory.starts, memory.values)
    // The last window of a scan has some bytes more than there is room for.
    let end = min(bits.upperBound, first + memory.blockCount * blockBits)
    while end - first >= Self.segmentBits.lowerBound, count < Self.segmentCount {
      let share = (end - first) / (2 * InterleavedDecoder.count)
      let length = min(max(share, Self.segmentBits.lowerBound), Self.segmentBits.upperBound)
      let capacity = length / blockBits
      let segment = Segment(
        bits: first..<first + length,
        capacity: capacity,
        starts: starts,
        values: values
      )
      (memory.segments + count).initialize(to: segment)
      (first, count) = (first + length, count + 1)
      starts += capacity
      values += (capacity / blocksPerMCU + 2) * coefficients
    }
    return count
  }
}
