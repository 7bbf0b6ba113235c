/// Decodes the blocks of a window from several bits of it at once (speculative decoding of
/// self-synchronizing codes; Klein & Wiseman, 2003).
///
/// The window is divided into ``Segment``s. Only the first begins at a known block. Their blocks
/// are taken one segment after the other: between two segments, and where a segment is not
/// synchronized yet, ``EntropyReader`` decodes block by block until a block begins at the same bit
/// as one of the next segment and has the same position in its MCU. From there on the segment is
/// right.
struct SpeculativeDecoder {
  /// Working memory.
  struct Memory {
    /// Room for ``SpeculativeDecoder/segmentCount``.
    let segments: UnsafeMutablePointer<Segment>
    /// Room for ``SpeculativeDecoder/blockCount``, and for their coefficients.
    let starts: UnsafeMutablePointer<UInt32>
    let values: UnsafeMutablePointer<Int16>
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

  /// Coefficients to allocate for MCUs of `blocksPerMCU` blocks with `coefficients` in all.
  static func valueCount(_ coefficients: Int, blocksPerMCU: Int) -> Int {
    (blockCount / blocksPerMCU + 2 * segmentCount) * coefficients
  }

  private let memory: Memory?
  /// The slots of an MCU whose blocks are all visible, and how many.
  private let slots: UnsafePointer<BlockSlot>
  private let blocksPerMCU: Int
  /// Coefficients that those blocks have room for.
  private let coefficients: Int
  /// The bits per block that capacities are computed from: with smaller blocks, segments end early.
  private let blockBits: Int
  /// Segments whose blocks may still be taken.
  private var pending = 0..<0
  /// Blocks of the first of them that were taken or skipped, and the coefficients of the next.
  private var taken = 0
  private var values: UnsafePointer<Int16>?
  /// Blocks of it that are known to come next.
  private(set) var ready = 0

  /// Decodes MCUs of `blocksPerMCU` blocks, which have `meanBits` in this file; does nothing
  /// without memory.
  init(
    _ memory: Memory?,
    _ slots: UnsafePointer<BlockSlot>,
    blocksPerMCU: Int,
    meanBits: Int
  ) {
    (self.memory, self.slots, self.blocksPerMCU) = (memory, slots, blocksPerMCU)
    blockBits = min(max(meanBits / 2, 4), 32)
    coefficients = (0..<blocksPerMCU).reduce(0) { $0 + slots[$1].stride }
  }

  /// Bytes of the window; nil where everything is decoded block by block.
  var windowBytes: Int? {
    memory == nil ? nil : min(Self.maximumWindowBytes, Self.blockCount * blockBits / 8)
  }

  /// The bit that the next segment begins at; nil when there is none.
  var next: Int? {
    guard let first = pending.first, let memory else { return nil }
    return memory.segments[first].bits.lowerBound
  }

  /// Decodes `bits` of a window when that is worth it; the first block has position `phase` in its
  /// MCU.
  ///
  /// The window has ``EntropyDecoder/padding`` bytes more.
  mutating func begin(_ window: UnsafePointer<UInt8>, bits: Range<Int>, phase: Int) {
    (pending, ready) = (0..<0, 0)
    guard let memory else { return }
    let count = layOut(bits, memory)
    guard count >= InterleavedDecoder.count else { return }
    InterleavedDecoder.decode(
      UnsafeMutableBufferPointer(start: memory.segments, count: count),
      slots,
      blocksPerMCU: blocksPerMCU,
      from: phase,
      window
    )
    pending = 0..<count
    beginSegment()
    synchronize(at: bits.lowerBound, phase: phase)
  }

  /// Divides bits into segments and returns how many.
  private func layOut(_ bits: Range<Int>, _ memory: Memory) -> Int {
    var (first, count) = (bits.lowerBound, 0)
    var (starts, values) = (memory.starts, memory.values)
    while bits.upperBound - first >= Self.segmentBits.lowerBound, count < Self.segmentCount {
      let share = (bits.upperBound - first) / (2 * InterleavedDecoder.count)
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

  /// Marks the blocks of a segment as ready when one of them is the block at `position`, which has
  /// position `phase` in its MCU.
  mutating func synchronize(at position: Int, phase: Int) {
    while let first = pending.first, let memory {
      let segment = memory.segments[first]
      while taken < segment.count, Int(segment.starts[taken]) < position {
        values? += slots[(segment.phase + taken) % blocksPerMCU].stride
        taken += 1
      }
      guard taken == segment.count else {
        let isSame = Int(segment.starts[taken]) == position
        if isSame, (segment.phase + taken) % blocksPerMCU == phase {
          ready = segment.count - taken
        }
        return
      }
      nextSegment()
    }
  }

  /// Takes blocks `first…` below `count` that are ready and returns where it stopped; nil for
  /// damage.
  mutating func take(
    _ slots: UnsafePointer<BlockSlot>,
    from first: Int,
    count: Int,
    _ predictors: UnsafeMutablePointer<Int>
  ) -> Int? {
    guard var values else { return nil }
    let last = min(first + ready, count)
    // In registers: each sum needs the one before.
    var (luma, blue, red) = (predictors[0], predictors[1], predictors[2])
    for index in first..<last {
      let slot = slots + index
      let (block, component) = (slot.pointee.block, slot.pointee.component)
      let dc = (component == 0 ? luma : component == 1 ? blue : red) &+ Int(values[0])
      luma = component == 0 ? dc : luma
      blue = component == 1 ? dc : blue
      red = component == 2 ? dc : red
      if dc.magnitude > UInt(bitPattern: slot.pointee.dcLimit) { return nil }
      if slot.pointee.lastCoefficient > 0 {
        EntropyDecoder.copy(values, to: block, count: slot.pointee.stride)
      }
      block[0] = Int16(truncatingIfNeeded: dc)
      values += slot.pointee.stride
    }
    (predictors[0], predictors[1], predictors[2]) = (luma, blue, red)
    self.values = values
    taken += last - first
    ready -= last - first
    return last
  }

  /// The bit that the next block that is ready begins at; nil when none is.
  var position: Int? {
    guard ready > 0, let first = pending.first, let memory else { return nil }
    return Int(memory.segments[first].starts[taken])
  }

  /// Leaves the current segment and returns the bit after the last block taken from it.
  mutating func leaveSegment() -> Int {
    guard let first = pending.first, let memory else { return 0 }
    let segment = memory.segments[first]
    defer { nextSegment() }
    return ready > 0 ? Int(segment.starts[taken]) : segment.end
  }

  private mutating func nextSegment() {
    pending = pending.dropFirst()
    beginSegment()
  }

  private mutating func beginSegment() {
    (taken, ready) = (0, 0)
    if let first = pending.first, let memory {
      values = UnsafePointer(memory.segments[first].values)
    }
  }
}
