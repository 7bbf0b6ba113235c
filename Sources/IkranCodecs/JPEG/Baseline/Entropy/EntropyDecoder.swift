/// How one block is coded and where its coefficients go.
struct BlockSlot {
  /// What ``HuffmanTable`` says, for whoever holds the tables.
  let dc, values: UnsafePointer<UInt32>
  let skips: UnsafePointer<UInt16>
  let dcWords, acWords: UnsafePointer<Int32>
  /// Where the coefficient before each position goes.
  let order: UnsafePointer<UInt8>
  var block: UnsafeMutablePointer<Int16>
  /// The last coefficient that matters, in zigzag order.
  var limit: Int
  /// Picks the running DC value.
  var component: Int
  /// The DC values of true pictures are within this of zero.
  var range: Int
  /// Coefficients that a block has room for: a power of two.
  let stride: Int
}

/// The Huffman decoding of blocks (ITU-T T.81, annex F.2.2).
///
/// The position in a block counts the coefficients so far. Hostile bytes stay inside memory: an
/// entry is picked by as many bits as its table has, a position is below ``positions``, which
/// ``BlockSlot/order`` knows, and a block uses fewer bytes than ``reserve``. Arithmetic wraps where
/// an overflow is impossible or, as in a damaged picture's DC, harmless.
enum EntropyDecoder {
  /// Positions that an order must know: 64, and what one entry may add.
  static let positions = 64 + 1_024
  /// Bytes behind the mark that may be read: a block of 64 symbols of 31 bits, and 16 ahead.
  static let reserve = 272
  /// The position behind a block's last coefficient.
  private static let full = 64
  /// A position that no block has.
  private static let damaged = 65

  /// Decodes the blocks `first…` up to `count`, and answers where it stopped; nil for damage.
  ///
  /// It stops before a block when the next byte lies behind `mark`.
  static func decode(
    _ slots: UnsafePointer<BlockSlot>,
    from first: Int,
    count: Int,
    _ bits: inout EntropyBits,
    mark: UnsafePointer<UInt8>,
    _ sums: UnsafeMutablePointer<Int>
  ) -> Int? {
    // A copy in registers.
    var stream = bits
    var index = first
    while index < count, stream.next <= mark {
      let slot = slots + index
      stream.refill()
      let entry = slot.pointee.dc[stream.peek(HuffmanTable.valueBits)]
      var difference = 0
      if entry != 0 {
        difference = stream.value(behind: entry)
        stream.take(UInt64(entry))
      } else {
        let word = Self.word(stream.bits, slot.pointee.dcWords)
        guard word >= 0 else { return nil }
        stream.take(UInt64(truncatingIfNeeded: word))
        difference = stream.takeValue(word >> 8)
        stream.refill()
      }
      let sum = sums[slot.pointee.component] &+ difference
      sums[slot.pointee.component] = sum
      // Damage makes them drift away, usually before anything else shows.
      if sum.magnitude > UInt(bitPattern: slot.pointee.range) { return nil }
      slot.pointee.block[0] = Int16(truncatingIfNeeded: sum)
      var position = 1
      if slot.pointee.limit > 0 {
        position = takeValues(&stream, slot)
        stream.refill()
      }
      if position < full { position = skipRest(&stream, slot, from: position) }
      if position == damaged { return nil }
      index &+= 1
    }
    bits = stream
    return index
  }

  /// Decodes coefficients up to the limit, behind the DC.
  @inline(__always)
  private static func takeValues(
    _ stream: inout EntropyBits,
    _ slot: UnsafePointer<BlockSlot>
  ) -> Int {
    let (values, order) = (slot.pointee.values, slot.pointee.order)
    let (block, limit) = (slot.pointee.block, slot.pointee.limit)
    var position = 1
    while true {
      stream.refill()
      // Two entries are at most 40 bits.
      stream.put(values[stream.peek(HuffmanTable.valueBits)], &position, block, order)
      if position <= limit {
        stream.put(values[stream.peek(HuffmanTable.valueBits)], &position, block, order)
        if position <= limit { continue }
      }
      if position <= full { return position }
      if position >= HuffmanTable.endOfBlock { return full }
      position &-= HuffmanTable.unknown
      if position < 0 { return damaged }
      let (moved, value) = symbol(&stream, slot, position)
      if moved == damaged { return damaged }
      if value != 0 { block[Int(order[moved])] = Int16(truncatingIfNeeded: value) }
      position = moved
      if position > limit { return position }
    }
  }

  /// Passes over what is left of a block; as many bits are counted as two entries may take.
  @inline(__always)
  private static func skipRest(
    _ stream: inout EntropyBits,
    _ slot: UnsafePointer<BlockSlot>,
    from start: Int
  ) -> Int {
    let skips = slot.pointee.skips
    var position = start
    while true {
      var before = stream.bits
      var entry = skips[stream.peek(HuffmanTable.skipBits)]
      stream.pass(entry, &position)
      if position < full {
        before = stream.bits
        entry = skips[stream.peek(HuffmanTable.skipBits)]
        stream.pass(entry, &position)
      }
      if position < full {
        stream.refill()
        before = stream.bits
        entry = skips[stream.peek(HuffmanTable.skipBits)]
        stream.pass(entry, &position)
      }
      if position < full { continue }
      let end = position &- HuffmanTable.endOfBlock
      if position == full || (end >= 0 && end < full) { return full }
      // The entry tells too little, or goes on into the next block, which has other tables.
      stream.bits = before
      stream.count &+= Int(entry)
      position = symbol(&stream, slot, position &- Int(entry >> 6)).position
      if position == damaged || position == full { return position }
      stream.refill()
    }
  }

  /// Copies `count` coefficients; nearly always eight.
  @inline(__always)
  static func copy(
    _ values: UnsafePointer<Int16>,
    to block: UnsafeMutablePointer<Int16>,
    count: Int
  ) {
    guard count == 8 else { return block.update(from: values, count: count) }
    let (from, to) = (UnsafeRawPointer(values), UnsafeMutableRawPointer(block))
    to.storeBytes(of: from.loadUnaligned(as: UInt64.self), as: UInt64.self)
    let next = from.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
    to.storeBytes(of: next, toByteOffset: 8, as: UInt64.self)
  }

  /// Clears `count` coefficients; nearly always eight.
  @inline(__always)
  static func clear(_ block: UnsafeMutablePointer<Int16>, count: Int) {
    guard count == 8 else { return block.update(repeating: 0, count: count) }
    let to = UnsafeMutableRawPointer(block)
    to.storeBytes(of: 0, as: UInt64.self)
    to.storeBytes(of: 0, toByteOffset: 8, as: UInt64.self)
  }

  /// One AC symbol that no entry tells: the new position, `full` at the block's end, and the value.
  @inline(__always)
  private static func symbol(
    _ stream: inout EntropyBits,
    _ slot: UnsafePointer<BlockSlot>,
    _ position: Int
  ) -> (position: Int, value: Int) {
    stream.refill()
    let word = Self.word(stream.bits, slot.pointee.acWords)
    guard word >= 0 else { return (damaged, 0) }
    stream.take(UInt64(truncatingIfNeeded: word))
    let size = word >> 8 & 15
    let run = word >> 12
    if size == 0, run != 15 { return (full, 0) }
    let moved = position &+ run &+ 1
    guard moved <= full else { return (damaged, 0) }
    return (moved, stream.takeValue(size))
  }

  /// The word that `bits` begin with: its length in 0…7, its symbol above; negative for none.
  @inline(never)
  private static func word(_ bits: UInt64, _ words: UnsafePointer<Int32>) -> Int {
    let top = Int32(truncatingIfNeeded: bits >> 48)
    // No early end: where a word ends nobody can foresee.
    var length = 1
    for index in 1...16 { length &+= top >= words[index] ? 1 : 0 }
    guard length <= 16 else { return -1 }
    let index = Int(top >> Int32(16 - length) &+ words[17 + length])
    return Int(words[34 + index & 255]) << 8 | length
  }
}

/// Bits from the top down.
struct EntropyBits {
  var bits: UInt64 = 0
  /// How many bits are counted, in the low six bits of this; those beyond are right already.
  var count = 0
  /// The first byte that is not counted.
  var next: UnsafePointer<UInt8>

  init(next: UnsafePointer<UInt8>) { self.next = next }

  /// Begins at a bit of a window.
  init(_ window: UnsafePointer<UInt8>, at bit: Int) {
    next = window + bit >> 3
    refill()
    take(UInt64(truncatingIfNeeded: bit & 7))
  }

  /// The first bit that is not used.
  func position(in window: UnsafePointer<UInt8>) -> Int { (next - window) * 8 - (count & 63) }

  /// Counts at least 56 bits.
  @inline(__always) mutating func refill() {
    count &= 63
    let word = UnsafeRawPointer(next).loadUnaligned(as: UInt64.self).bigEndian
    bits |= word &>> UInt64(truncatingIfNeeded: count)
    next += (63 &- count) &>> 3
    count |= 56
  }

  @inline(__always) func peek(_ width: Int) -> Int {
    Int(truncatingIfNeeded: bits &>> UInt64(truncatingIfNeeded: 64 &- width))
  }

  /// Uses up as many bits as the low six of an entry say; those above reach only what `refill`
  /// clears.
  @inline(__always) mutating func take(_ entry: UInt64) {
    bits = bits &<< entry
    count &-= Int(truncatingIfNeeded: entry)
  }

  @inline(__always) mutating func pass(_ entry: UInt16, _ position: inout Int) {
    take(UInt64(entry))
    position &+= Int(entry &>> 6)
  }

  @inline(__always) mutating func put(
    _ entry: UInt32,
    _ position: inout Int,
    _ block: UnsafeMutablePointer<Int16>,
    _ order: UnsafePointer<UInt8>
  ) {
    position &+= Int(entry &>> 6 & 0x3FF)
    block[Int(order[position])] = Int16(truncatingIfNeeded: value(behind: entry))
    take(UInt64(entry))
  }

  @inline(__always) func value(behind entry: UInt32) -> Int { Self.value(bits, behind: entry) }

  /// The value behind the word that `bits` begin with and `entry` stands for.
  @inline(__always) static func value(_ bits: UInt64, behind entry: UInt32) -> Int {
    value(bits &<< UInt64(entry &>> 22), shift: UInt64(entry &>> 16))
  }

  @inline(__always) mutating func takeValue(_ size: Int) -> Int {
    defer { take(UInt64(truncatingIfNeeded: size)) }
    return Self.value(bits, shift: UInt64(truncatingIfNeeded: 63 &- size))
  }

  /// The value in the first bits, all but `shift` + 1, of which the low six bits count: values that
  /// begin with a zero are negative.
  @inline(__always) private static func value(_ bits: UInt64, shift: UInt64) -> Int {
    let negative = ~Int(truncatingIfNeeded: bits) &>> 63
    let digits = bits ^ UInt64(bitPattern: Int64(negative))
    let magnitude = Int(truncatingIfNeeded: (digits &>> 1) &>> shift)
    return (magnitude ^ negative) &- negative
  }
}
