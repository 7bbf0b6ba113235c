// Decision 27: blocks are decoded speculatively, four segments at once.
/// Decodes the blocks of a window from several bits of it at once (speculative decoding of
/// self-synchronizing codes; Klein & Wiseman, 2003).
///
/// The window is divided into ``Segment``s. Only the first begins at a known block. Their blocks
/// are taken one segment after the other: between two segments, and where a segment is not
/// synchronized yet, ``EntropyReader`` decodes block by block until a block begins at the same bit
/// as one of the next segment and has the same position in its MCU. From there on the segment is
/// right.
struct SpeculativeDecoder {
  /// The slots of an MCU whose blocks are all visible, and how many.
  private let slots: UnsafePointer<BlockSlot>
  private let blocksPerMCU: Int
  private var segments: UnsafePointer<Segment>?
  /// Segments whose blocks may still be taken.
  private var pending = 0..<0
  /// Blocks of the first of them that were taken or skipped, and the coefficients of the next.
  private var taken = 0
  private var values: UnsafePointer<Int16>?
  /// Blocks of it that are known to come next.
  private(set) var ready = 0

  /// Takes blocks of MCUs of `blocksPerMCU`.
  init(_ slots: UnsafePointer<BlockSlot>, blocksPerMCU: Int) {
    (self.slots, self.blocksPerMCU) = (slots, blocksPerMCU)
  }

  /// The bit that the next segment begins at; nil when there is none.
  var next: Int? {
    guard let first = pending.first, let segments else { return nil }
    return segments[first].bits.lowerBound
  }

  /// Begins a window of `count` decoded segments; its first block begins at `position` and is
  /// block `blockInMCU` of its MCU.
  mutating func begin(
    _ segments: UnsafePointer<Segment>?,
    count: Int,
    at position: Int,
    blockInMCU: Int
  ) {
    (self.segments, pending) = (segments, 0..<count)
    beginSegment()
    synchronize(at: position, blockInMCU: blockInMCU)
  }

  /// Marks the blocks of a segment as ready when one of them is the block at `position`, which is
  /// block `blockInMCU` of its MCU.
  mutating func synchronize(at position: Int, blockInMCU: Int) {
    while let first = pending.first, let segments {
      let segment = segments[first]
      while taken < segment.count, Int(segment.starts[taken]) < position {
        values? += slots[(segment.blockInMCU + taken) % blocksPerMCU].stride
        taken += 1
      }
      guard taken == segment.count else {
        let isSame = Int(segment.starts[taken]) == position
        if isSame, (segment.blockInMCU + taken) % blocksPerMCU == blockInMCU {
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
    guard ready > 0, let first = pending.first, let segments else { return nil }
    return Int(segments[first].starts[taken])
  }

  /// Leaves the current segment and returns the bit after the last block taken from it.
  mutating func leaveSegment() -> Int {
    guard let first = pending.first, let segments else { return 0 }
    let segment = segments[first]
    defer { nextSegment() }
    return ready > 0 ? Int(segment.starts[taken]) : segment.end
  }

  private mutating func nextSegment() {
    pending = pending.dropFirst()
    beginSegment()
  }

  private mutating func beginSegment() {
    (taken, ready) = (0, 0)
    if let first = pending.first, let segments {
      values = UnsafePointer(segments[first].values)
    }
  }
}
