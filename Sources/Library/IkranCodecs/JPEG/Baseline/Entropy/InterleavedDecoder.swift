/// Decodes four segments at once, a block of each in turn.
///
/// One stream is limited by latency: each table look-up waits for the length of the last entry, and
/// each block ends with a branch misprediction. Here four look-ups wait at the same time, and the
/// four blocks share one misprediction. They have the same position in their MCUs, so they also
/// share their tables.
enum InterleavedDecoder {
  static let count = 4

  /// Decodes `segments` until fewer than ``count`` are left.
  ///
  /// The first four begin with the block at position `first` of an MCU; a later one begins with the
  /// position that is next when a stream becomes free.
  ///
  /// - Parameters:
  ///   - segments: At least ``count``; ``Segment/end`` says where decoding each of them stopped.
  ///   - slots: Those of an MCU.
  ///   - blocksPerMCU: How many.
  ///   - first: The position of the first block in its MCU.
  ///   - window: The bytes, with ``EntropyDecoder/padding`` more after the last segment.
  static func decode(
    _ segments: UnsafeMutableBufferPointer<Segment>,
    _ slots: UnsafePointer<BlockSlot>,
    blocksPerMCU: Int,
    from first: Int,
    _ window: UnsafePointer<UInt8>
  ) {
    var blockInMCU = first
    var streams = SegmentStreams(
      a: SegmentStream(segments, 0, blockInMCU),
      b: SegmentStream(segments, 1, blockInMCU),
      c: SegmentStream(segments, 2, blockInMCU),
      d: SegmentStream(segments, 3, blockInMCU)
    )
    var next = count
    while true {
      let slot = slots + blockInMCU
      streams.each { $0.takeDC(slot, window) }
      if slot.pointee.lastCoefficient > 0 {
        streams.takeValues(slot, window)
      } else {
        streams.skipFirst(slot.pointee.skips)
      }
      streams.skipRest(slot.pointee.skips, window)
      if !streams.allAreAtEnd {
        streams.a = streams.a.redecoded(slot, window)
        streams.b = streams.b.redecoded(slot, window)
        streams.c = streams.c.redecoded(slot, window)
        streams.d = streams.d.redecoded(slot, window)
      }
      streams.each { $0.nextBlock(slot) }
      blockInMCU = blockInMCU &+ 1 == blocksPerMCU ? 0 : blockInMCU &+ 1
      if streams.remaining < 0 {
        streams.a = streams.a.continued(segments, &next, blockInMCU)
        streams.b = streams.b.continued(segments, &next, blockInMCU)
        streams.c = streams.c.continued(segments, &next, blockInMCU)
        streams.d = streams.d.continued(segments, &next, blockInMCU)
        if streams.remaining < 0 { break }
      }
    }
    streams.each { $0.close(segments) }
  }
}

/// Four streams, as stored properties so that loops over them stay in registers.
private struct SegmentStreams {
  var a, b, c, d: SegmentStream

  @inline(__always) mutating func each(_ body: (inout SegmentStream) -> Void) {
    body(&a)
    body(&b)
    body(&c)
    body(&d)
  }

  /// Negative when one has reached the end of its segment.
  @inline(__always) var remaining: Int { a.remaining | b.remaining | c.remaining | d.remaining }

  @inline(__always) var allAreAtEnd: Bool { a.isAtEnd && b.isAtEnd && c.isAtEnd && d.isAtEnd }

  /// Negative while one has not reached the end of the part of the block being decoded.
  @inline(__always) private var states: Int { a.state | b.state | c.state | d.state }

  @inline(__always) mutating func takeValues(
    _ slot: UnsafePointer<BlockSlot>,
    _ window: UnsafePointer<UInt8>
  ) {
    let bias = (slot.pointee.lastCoefficient &+ 1) &<< 6
    let (values, order) = (slot.pointee.values, slot.pointee.order)
    let unused = slot.pointee.stride &- 1
    each { $0.state &+= SegmentStream.whole &- bias }
    // The DC's entry and this one are at most 41 bits.
    each { $0.takeValue(values, order, bias, unused) }
    each { $0.count() }
    while states < 0 {
      // Two entries are at most 40 bits.
      each { $0.refill(window) }
      each { $0.takeValue(values, order, bias, unused) }
      each { $0.takeValue(values, order, bias, unused) }
      each { $0.count() }
    }
    each { $0.state &+= bias &- SegmentStream.whole }
  }

  /// Skips the first coefficients; the DC's entry and two more are at most 55 bits.
  @inline(__always) mutating func skipFirst(_ skips: UnsafePointer<UInt16>) {
    each { $0.skip(skips) }
    each { $0.skip(skips) }
    each { $0.count() }
  }

  @inline(__always) mutating func skipRest(
    _ skips: UnsafePointer<UInt16>,
    _ window: UnsafePointer<UInt8>
  ) {
    while states < 0 {
      // Three entries are at most 51 bits.
      each { $0.refill(window) }
      each { $0.skip(skips) }
      each { $0.skip(skips) }
      each { $0.skip(skips) }
      each { $0.count() }
    }
  }
}

/// A bit stream through one segment.
private struct SegmentStream {
  /// The next bits; 57 of them are valid.
  private var bits: UInt64 = 0
  /// In 0…5, the bits taken since `position`; above, the distance to the end of this part of the
  /// block: its coefficients up to the last that matters, or all of them.
  ///
  /// Once it is not negative the part has ended, and entries change nothing: they are masked to 0.
  var state = 0
  /// The bit of the window where `bits` begin.
  private var position: Int
  private var values: UnsafeMutablePointer<Int16>
  private var starts: UnsafeMutablePointer<UInt32>
  /// Blocks that there is room for, less one.
  private var capacity: Int
  private let end: Int
  private let segment: Int

  /// What is added to a position for the rest of a block.
  static let whole = 64 << 6
  /// A capacity that marks a stream that met bits which are no codeword.
  private static let failed = Int.min / 2
  /// A segment with more failures than this is given up.
  private static let maximumFailures = 16
  /// A stream that is not synchronized fails before this many blocks.
  private static let synchronizationBlocks = 64
  /// A state that no block reaches: the table did not know the DC's codeword.
  private static let unresolved = 1_000 << 6

  init(
    _ segments: UnsafeMutableBufferPointer<Segment>,
    _ index: Int,
    _ blockInMCU: Int,
    from position: Int? = nil
  ) {
    segments[index].blockInMCU = blockInMCU
    let chosen = segments[index]
    segment = index
    self.position = position ?? chosen.bits.lowerBound
    (end, capacity) = (chosen.bits.upperBound, chosen.capacity - 1)
    (values, starts) = (chosen.values, chosen.starts)
  }

  /// Negative at the end of the segment.
  @inline(__always) var remaining: Int { (end &- 1 &- position) | capacity }

  // MARK: - A block

  @inline(__always) mutating func refill(_ window: UnsafePointer<UInt8>) {
    let word = UnsafeRawPointer(window + position &>> 3).loadUnaligned(as: UInt64.self)
    bits = word.bigEndian &<< UInt64(truncatingIfNeeded: position & 7)
  }

  /// Moves the position on by what was taken.
  @inline(__always) mutating func count() {
    position &+= state & 63
    state &= ~63
  }

  @inline(__always) mutating func takeDC(
    _ slot: UnsafePointer<BlockSlot>,
    _ window: UnsafePointer<UInt8>
  ) {
    starts.pointee = UInt32(truncatingIfNeeded: position)
    if slot.pointee.lastCoefficient > 0 { EntropyDecoder.clear(values, count: slot.pointee.stride) }
    refill(window)
    let entry = slot.pointee.dc[Int(truncatingIfNeeded: bits &>> Self.valueShift)]
    values[0] = Int16(truncatingIfNeeded: BitStream.value(bits, after: entry))
    bits = bits &<< UInt64(entry)
    state = entry == 0 ? Self.unresolved : 64 &- Self.whole &+ Int(entry & 63)
  }

  @inline(__always) mutating func takeValue(
    _ entries: UnsafePointer<UInt32>,
    _ order: UnsafePointer<UInt8>,
    _ bias: Int,
    _ unused: Int
  ) {
    let mask = state &>> 63
    let picked = entries[Int(truncatingIfNeeded: bits &>> Self.valueShift)]
    let entry = picked & UInt32(truncatingIfNeeded: mask)
    let value = Int16(truncatingIfNeeded: BitStream.value(bits, after: entry))
    bits = bits &<< UInt64(entry)
    state &+= Int(entry & 0xFFFF)
    let index = Int(order[(state &+ bias) &>> 6])
    values[index | (~mask & unused)] = value
  }

  @inline(__always) mutating func skip(_ entries: UnsafePointer<UInt16>) {
    let picked = Int(entries[Int(truncatingIfNeeded: bits &>> Self.skipShift)])
    let entry = picked & (state &>> 63)
    bits = bits &<< UInt64(truncatingIfNeeded: entry)
    state &+= entry
  }

  /// Whether the block's end was found, and nothing else happened.
  @inline(__always) var isAtEnd: Bool {
    state == 0 || UInt(bitPattern: state &- (HuffmanTable.endOfBlock &<< 6 &- Self.whole)) < 64 << 6
  }

  @inline(__always) mutating func nextBlock(_ slot: UnsafePointer<BlockSlot>) {
    values += slot.pointee.stride
    starts += 1
    capacity &-= 1
  }

  private static let valueShift = UInt64(64 - HuffmanTable.valueBits)
  private static let skipShift = UInt64(64 - HuffmanTable.skipBits)

  // MARK: - Rare cases

  /// The stream after the block, decoded again where the tables did not know a codeword.
  @inline(never) func redecoded(
    _ slot: UnsafePointer<BlockSlot>,
    _ window: UnsafePointer<UInt8>
  ) -> SegmentStream {
    guard !isAtEnd else { return self }
    var result = self
    var stream = BitStream(window, at: Int(starts.pointee))
    var slot = slot.pointee
    (slot.block, slot.component, slot.dcLimit) = (values, 0, .max)
    EntropyDecoder.clear(values, count: slot.stride)
    var difference = 0
    let done = EntropyDecoder.decode(
      &slot,
      from: 0,
      count: 1,
      &stream,
      lastStart: stream.next,
      &difference
    )
    result.position = stream.position(in: window)
    if done == nil {
      (result.position, result.capacity) = (Int(starts.pointee) + 1, Self.failed)
    }
    return result
  }

  private var hasFailed: Bool { capacity < Self.failed / 2 }

  /// The stream through the next segment when this one's has ended and there is one.
  ///
  /// After a failure the segment starts again one bit later, a limited number of times, unless many
  /// blocks were found: those are the picture's.
  @inline(never) func continued(
    _ segments: UnsafeMutableBufferPointer<Segment>,
    _ next: inout Int,
    _ blockInMCU: Int
  ) -> SegmentStream {
    guard remaining < 0 else { return self }
    if hasFailed, position < end,
      starts - segments[segment].starts < Self.synchronizationBlocks,
      segments[segment].failures < Self.maximumFailures
    {
      segments[segment].failures += 1
      return SegmentStream(segments, segment, blockInMCU, from: position)
    }
    close(segments)
    guard next < segments.count else { return self }
    next += 1
    return SegmentStream(segments, next - 1, blockInMCU)
  }

  /// Stores how many blocks the segment holds; the block that failed does not count.
  @inline(never) func close(_ segments: UnsafeMutableBufferPointer<Segment>) {
    let found = starts - segments[segment].starts
    segments[segment].count = hasFailed ? found - 1 : found
    segments[segment].end = hasFailed ? position - 1 : position
  }
}
