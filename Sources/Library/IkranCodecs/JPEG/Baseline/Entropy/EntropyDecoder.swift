/// How one block is coded and where its coefficients go.
struct BlockSlot {
  /// The memory of a ``HuffmanTable``, which must outlive the slot.
  let dc, values: UnsafePointer<UInt32>
  let skips: UnsafePointer<UInt16>
  let dcCodewords, acCodewords: UnsafePointer<Int32>
  /// The index in `block` of the coefficient before each position.
  let order: UnsafePointer<UInt8>
  var block: UnsafeMutablePointer<Int16>
  /// The last coefficient that matters, in zigzag order.
  var lastCoefficient: Int
  /// The component, whose DC predictor the block uses.
  var component: Int
  /// The largest magnitude of a DC value in an undamaged picture.
  var dcLimit: Int
  /// Coefficients that a block has room for: a power of two.
  let stride: Int
}

/// The Huffman decoding of blocks (ITU-T T.81, annex F.2.2).
///
/// The position in a block is the number of coefficients so far. Hostile bytes cannot lead outside
/// memory: the index of an entry has as many bits as its table, a position is below ``positions``,
/// the size of ``BlockSlot/order``, and a block uses fewer bytes than ``padding``. Arithmetic wraps
/// where an overflow is impossible or, as in a damaged picture's DC, harmless.
enum EntropyDecoder {
  /// The size of an order: 64, and what one entry may add.
  static let positions = 64 + 1_024
  /// Bytes after the last start of a block that may be read: a block of 64 symbols of 31 bits, and
  /// 16 bytes of look-ahead.
  static let padding = 272
  /// The position after a block's last coefficient.
  private static let full = 64
  /// A position that no block has.
  private static let damaged = 65

  /// Decodes the blocks `first…` below `count` and returns where it stopped; nil for damage.
  ///
  /// Stops before a block when the next byte lies after `lastStart`.
  static func decode(
    _ slots: UnsafePointer<BlockSlot>,
    from first: Int,
    count: Int,
    _ bits: inout BitStream,
    lastStart: UnsafePointer<UInt8>,
    _ predictors: UnsafeMutablePointer<Int>
  ) -> Int? {
    // A copy, so that it stays in registers.
    var stream = bits
    var index = first
    while index < count, stream.next <= lastStart {
      let slot = slots + index
      stream.refill()
      let entry = slot.pointee.dc[stream.peek(HuffmanTable.valueBits)]
      var difference = 0
      if entry != 0 {
        difference = stream.value(after: entry)
        stream.take(UInt64(entry))
      } else {
        let codeword = HuffmanTable.codeword(stream.bits, slot.pointee.dcCodewords)
        guard codeword >= 0 else { return nil }
        stream.take(UInt64(truncatingIfNeeded: codeword))
        difference = stream.takeValue(codeword >> 8)
        stream.refill()
      }
      let dc = predictors[slot.pointee.component] &+ difference
      predictors[slot.pointee.component] = dc
      // In damaged data the DC drifts out of range, usually before another error is found.
      if dc.magnitude > UInt(bitPattern: slot.pointee.dcLimit) { return nil }
      slot.pointee.block[0] = Int16(truncatingIfNeeded: dc)
      var position = 1
      if slot.pointee.lastCoefficient > 0 {
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

  /// Decodes the coefficients after the DC, up to the slot's last one.
  @inline(__always)
  private static func takeValues(
    _ stream: inout BitStream,
    _ slot: UnsafePointer<BlockSlot>
  ) -> Int {
    let (values, order) = (slot.pointee.values, slot.pointee.order)
    let (block, last) = (slot.pointee.block, slot.pointee.lastCoefficient)
    var position = 1
    while true {
      stream.refill()
      // Two entries are at most 40 bits.
      stream.put(values[stream.peek(HuffmanTable.valueBits)], &position, block, order)
      if position <= last {
        stream.put(values[stream.peek(HuffmanTable.valueBits)], &position, block, order)
        if position <= last { continue }
      }
      if position <= full { return position }
      if position >= HuffmanTable.endOfBlock { return full }
      position &-= HuffmanTable.unknown
      if position < 0 { return damaged }
      let (moved, value) = symbol(&stream, slot, position)
      if moved == damaged { return damaged }
      if value != 0 { block[Int(order[moved])] = Int16(truncatingIfNeeded: value) }
      position = moved
      if position > last { return position }
    }
  }

  /// Skips the rest of a block; the stream has as many valid bits as two entries may take.
  @inline(__always)
  private static func skipRest(
    _ stream: inout BitStream,
    _ slot: UnsafePointer<BlockSlot>,
    from start: Int
  ) -> Int {
    let skips = slot.pointee.skips
    var position = start
    while true {
      var before = stream.bits
      var entry = skips[stream.peek(HuffmanTable.skipBits)]
      stream.skip(entry, &position)
      if position < full {
        before = stream.bits
        entry = skips[stream.peek(HuffmanTable.skipBits)]
        stream.skip(entry, &position)
      }
      if position < full {
        stream.refill()
        before = stream.bits
        entry = skips[stream.peek(HuffmanTable.skipBits)]
        stream.skip(entry, &position)
      }
      if position < full { continue }
      let end = position &- HuffmanTable.endOfBlock
      if position == full || (end >= 0 && end < full) { return full }
      // The entry is unknown, or includes bits of the next block, which has other tables.
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

  /// One AC symbol that no entry holds: the new position, `full` at the block's end, and the value.
  @inline(__always)
  private static func symbol(
    _ stream: inout BitStream,
    _ slot: UnsafePointer<BlockSlot>,
    _ position: Int
  ) -> (position: Int, value: Int) {
    stream.refill()
    let codeword = HuffmanTable.codeword(stream.bits, slot.pointee.acCodewords)
    guard codeword >= 0 else { return (damaged, 0) }
    stream.take(UInt64(truncatingIfNeeded: codeword))
    let size = codeword >> 8 & 15
    let run = codeword >> 12
    if size == 0, run != 15 { return (full, 0) }
    let moved = position &+ run &+ 1
    guard moved <= full else { return (damaged, 0) }
    return (moved, stream.takeValue(size))
  }
}
