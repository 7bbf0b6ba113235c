/// A run of blocks that was decoded from a guessed place.
///
/// Huffman codes fall into step: blocks that are read from any place, as if one began there, soon
/// begin where true blocks begin – after some 130 bytes, in photos. From then on all are true.
struct EntropyStretch {
  /// The bits of the window that its blocks begin in.
  let bits: Range<Int>
  /// The most blocks it may have.
  let room: Int
  /// The bit each block begins at.
  let starts: UnsafeMutablePointer<UInt32>
  /// The coefficients of its blocks, each with as much room as its slot says; DC is a difference.
  let values: UnsafeMutablePointer<Int16>
  /// The kind of its first block: a place in the MCU.
  var phase = 0
  /// How often the guess led nowhere.
  var failures = 0
  /// How many blocks it has.
  var count = 0
  /// The bit behind its last block.
  var end = 0
}

/// Decodes four stretches of the same bytes at once, a block of each in turn.
///
/// What limits the decoding of one is that each table's address waits for the last entry, and that
/// nobody foresees where a block ends. Here four wait at the same time, and there is one wrong guess
/// for the four of them. The blocks in turn are of the same kind, so they share their tables.
enum EntropyLanes {
  static let count = 4

  /// Decodes as many of `stretches` as there are lanes for.
  ///
  /// The first four begin with a block of the kind `first`, the others with whatever kind is in turn.
  /// It stops when there are fewer left than lanes.
  ///
  /// - Parameters:
  ///   - stretches: At least as many as there are lanes; what is left to do begins where they end.
  ///   - slots: Those of an MCU.
  ///   - kinds: How many.
  ///   - first: The kind of the first block.
  ///   - window: The bytes, with ``EntropyDecoder/reserve`` more behind the last stretch.
  static func decode(
    _ stretches: UnsafeMutableBufferPointer<EntropyStretch>,
    _ slots: UnsafePointer<BlockSlot>,
    kinds: Int,
    from first: Int,
    _ window: UnsafePointer<UInt8>
  ) {
    var phase = first
    var lanes = Lanes(
      a: EntropyLane(stretches, 0, phase),
      b: EntropyLane(stretches, 1, phase),
      c: EntropyLane(stretches, 2, phase),
      d: EntropyLane(stretches, 3, phase)
    )
    var next = count
    while true {
      let slot = slots + phase
      lanes.each { $0.takeDC(slot, window) }
      if slot.pointee.limit > 0 {
        lanes.takeValues(slot, window)
      } else {
        lanes.skipFirst(slot.pointee.skips)
      }
      lanes.skipRest(slot.pointee.skips, window)
      if !lanes.allAreAtEnd {
        lanes.a = lanes.a.repaired(slot, window)
        lanes.b = lanes.b.repaired(slot, window)
        lanes.c = lanes.c.repaired(slot, window)
        lanes.d = lanes.d.repaired(slot, window)
      }
      lanes.each { $0.nextBlock(slot) }
      phase = phase &+ 1 == kinds ? 0 : phase &+ 1
      if lanes.left < 0 {
        lanes.a = lanes.a.renewed(stretches, &next, phase)
        lanes.b = lanes.b.renewed(stretches, &next, phase)
        lanes.c = lanes.c.renewed(stretches, &next, phase)
        lanes.d = lanes.d.renewed(stretches, &next, phase)
        if lanes.left < 0 { break }
      }
    }
    lanes.each { $0.close(stretches) }
  }
}

/// The lanes, for loops that stay in registers.
private struct Lanes {
  var a, b, c, d: EntropyLane

  @inline(__always) mutating func each(_ body: (inout EntropyLane) -> Void) {
    body(&a)
    body(&b)
    body(&c)
    body(&d)
  }

  /// Negative when one has no more to do.
  @inline(__always) var left: Int { a.left | b.left | c.left | d.left }

  @inline(__always) var allAreAtEnd: Bool { a.isAtEnd && b.isAtEnd && c.isAtEnd && d.isAtEnd }

  /// Negative while one is inside a block's part.
  @inline(__always) private var sums: Int { a.sum | b.sum | c.sum | d.sum }

  @inline(__always) mutating func takeValues(
    _ slot: UnsafePointer<BlockSlot>,
    _ window: UnsafePointer<UInt8>
  ) {
    let bias = (slot.pointee.limit &+ 1) &<< 6
    let (values, order) = (slot.pointee.values, slot.pointee.order)
    let unused = slot.pointee.stride &- 1
    each { $0.sum &+= EntropyLane.whole &- bias }
    // The DC's entry and this one are at most 41 bits.
    each { $0.takeValue(values, order, bias, unused) }
    each { $0.count() }
    while sums < 0 {
      // Two entries are at most 40 bits.
      each { $0.refill(window) }
      each { $0.takeValue(values, order, bias, unused) }
      each { $0.takeValue(values, order, bias, unused) }
      each { $0.count() }
    }
    each { $0.sum &+= bias &- EntropyLane.whole }
  }

  /// Passes the first coefficients; the DC's entry and two more are at most 55 bits.
  @inline(__always) mutating func skipFirst(_ skips: UnsafePointer<UInt16>) {
    each { $0.skip(skips) }
    each { $0.skip(skips) }
    each { $0.count() }
  }

  @inline(__always) mutating func skipRest(
    _ skips: UnsafePointer<UInt16>,
    _ window: UnsafePointer<UInt8>
  ) {
    while sums < 0 {
      // Three entries are at most 51 bits.
      each { $0.refill(window) }
      each { $0.skip(skips) }
      each { $0.skip(skips) }
      each { $0.skip(skips) }
      each { $0.count() }
    }
  }
}

/// One of the places that are decoded at once.
private struct EntropyLane {
  /// The bits to come; 57 of them count.
  private var bits: UInt64 = 0
  /// In 0…5, the bits taken since `position`; above, how far the block is from the end of this part.
  ///
  /// Once it is not negative there is nothing more to do, and no entry changes anything.
  var sum = 0
  /// The bit of the window where `bits` begin.
  private var position: Int
  private var values: UnsafeMutablePointer<Int16>
  private var starts: UnsafeMutablePointer<UInt32>
  /// Blocks that there is room for, less one.
  private var room: Int
  private let end: Int
  private let stretch: Int

  /// What is added to a position for the rest of a block.
  static let whole = 64 << 6
  /// A room that says that the guess led nowhere.
  private static let lost = Int.min / 2
  /// More failures than this in one stretch, and it is left alone.
  private static let mostFailures = 16
  /// Guesses that go wrong do so before this many blocks.
  private static let fewBlocks = 64
  /// A sum that no block reaches.
  private static let odd = 1_000 << 6

  init(
    _ stretches: UnsafeMutableBufferPointer<EntropyStretch>,
    _ index: Int,
    _ phase: Int,
    from position: Int? = nil
  ) {
    stretches[index].phase = phase
    let chosen = stretches[index]
    stretch = index
    self.position = position ?? chosen.bits.lowerBound
    (end, room) = (chosen.bits.upperBound, chosen.room - 1)
    (values, starts) = (chosen.values, chosen.starts)
  }

  /// Negative when the stretch is done.
  @inline(__always) var left: Int { (end &- 1 &- position) | room }

  // MARK: - A block

  @inline(__always) mutating func refill(_ window: UnsafePointer<UInt8>) {
    let word = UnsafeRawPointer(window + position &>> 3).loadUnaligned(as: UInt64.self)
    bits = word.bigEndian &<< UInt64(truncatingIfNeeded: position & 7)
  }

  /// Moves the position on by what was taken.
  @inline(__always) mutating func count() {
    position &+= sum & 63
    sum &= ~63
  }

  @inline(__always) mutating func takeDC(
    _ slot: UnsafePointer<BlockSlot>,
    _ window: UnsafePointer<UInt8>
  ) {
    starts.pointee = UInt32(truncatingIfNeeded: position)
    if slot.pointee.limit > 0 { EntropyDecoder.clear(values, count: slot.pointee.stride) }
    refill(window)
    let entry = slot.pointee.dc[Int(truncatingIfNeeded: bits &>> Self.valueShift)]
    values[0] = Int16(truncatingIfNeeded: EntropyBits.value(bits, behind: entry))
    bits = bits &<< UInt64(entry)
    sum = entry == 0 ? Self.odd : 64 &- Self.whole &+ Int(entry & 63)
  }

  @inline(__always) mutating func takeValue(
    _ entries: UnsafePointer<UInt32>,
    _ order: UnsafePointer<UInt8>,
    _ bias: Int,
    _ unused: Int
  ) {
    let mask = sum &>> 63
    let picked = entries[Int(truncatingIfNeeded: bits &>> Self.valueShift)]
    let entry = picked & UInt32(truncatingIfNeeded: mask)
    let value = Int16(truncatingIfNeeded: EntropyBits.value(bits, behind: entry))
    bits = bits &<< UInt64(entry)
    sum &+= Int(entry & 0xFFFF)
    let place = Int(order[(sum &+ bias) &>> 6])
    values[place | (~mask & unused)] = value
  }

  @inline(__always) mutating func skip(_ entries: UnsafePointer<UInt16>) {
    let picked = Int(entries[Int(truncatingIfNeeded: bits &>> Self.skipShift)])
    let entry = picked & (sum &>> 63)
    bits = bits &<< UInt64(truncatingIfNeeded: entry)
    sum &+= entry
  }

  /// Whether the block's end was found, and nothing else happened.
  @inline(__always) var isAtEnd: Bool {
    sum == 0 || UInt(bitPattern: sum &- (HuffmanTable.endOfBlock &<< 6 &- Self.whole)) < 64 << 6
  }

  @inline(__always) mutating func nextBlock(_ slot: UnsafePointer<BlockSlot>) {
    values += slot.pointee.stride
    starts += 1
    room &-= 1
  }

  private static let valueShift = UInt64(64 - HuffmanTable.valueBits)
  private static let skipShift = UInt64(64 - HuffmanTable.skipBits)

  // MARK: - What is rare

  /// After the block is decoded once more, by a decoder that knows all words.
  @inline(never) func repaired(
    _ slot: UnsafePointer<BlockSlot>,
    _ window: UnsafePointer<UInt8>
  ) -> EntropyLane {
    guard !isAtEnd else { return self }
    var lane = self
    var stream = EntropyBits(window, at: Int(starts.pointee))
    var slot = slot.pointee
    (slot.block, slot.component, slot.range) = (values, 0, .max)
    EntropyDecoder.clear(values, count: slot.stride)
    var difference = 0
    let done = EntropyDecoder.decode(
      &slot,
      from: 0,
      count: 1,
      &stream,
      mark: stream.next,
      &difference
    )
    lane.position = stream.position(in: window)
    if done == nil { (lane.position, lane.room) = (Int(starts.pointee) + 1, Self.lost) }
    return lane
  }

  private var isLost: Bool { room < Self.lost / 2 }

  /// The lane with the next stretch when its own is done and there is one.
  ///
  /// Where the guess led nowhere, the stretch begins anew behind that, but not for ever, and not
  /// behind many blocks: those are true ones.
  @inline(never) func renewed(
    _ stretches: UnsafeMutableBufferPointer<EntropyStretch>,
    _ next: inout Int,
    _ phase: Int
  ) -> EntropyLane {
    guard left < 0 else { return self }
    if isLost, position < end, starts - stretches[stretch].starts < Self.fewBlocks,
      stretches[stretch].failures < Self.mostFailures
    {
      stretches[stretch].failures += 1
      return EntropyLane(stretches, stretch, phase, from: position)
    }
    close(stretches)
    guard next < stretches.count else { return self }
    next += 1
    return EntropyLane(stretches, next - 1, phase)
  }

  /// Says what was found; the block that led nowhere does not count.
  @inline(never) func close(_ stretches: UnsafeMutableBufferPointer<EntropyStretch>) {
    let found = starts - stretches[stretch].starts
    stretches[stretch].count = isLost ? found - 1 : found
    stretches[stretch].end = isLost ? position - 1 : position
  }
}
