/// One block of an MCU: how it is coded and where its coefficients go.
struct BlockSlot {
  /// Picks the component's running DC value.
  let component: Int
  /// Outlived by whoever holds the tables.
  let dc, ac: Unmanaged<HuffmanTable>
  let dcValues, values: UnsafePointer<UInt32>
  let skips: UnsafePointer<UInt16>
  /// Coefficients behind this zigzag index are passed over.
  var limit: Int
  /// Where each zigzag index goes in a block; what only a damaged block reaches goes last.
  var order: UnsafePointer<UInt8>
  /// The first MCU's block, cleared but for its first coefficient.
  var coefficients: UnsafeMutablePointer<Int16>
  /// From one MCU's block to the next one's.
  var step: Int
}

/// The Huffman decoding of MCUs (ITU-T T.81, annex F.2.2).
///
/// Every read and write stays inside its memory whatever the bytes are: an MCU moves the reader by
/// less than its reserve, an entry's index has as many bits as its table, and a block's index has a
/// place in `order`. Arithmetic wraps; no sum comes near to it.
enum EntropyDecoder {
  /// Zigzag indices that ``BlockSlot/order`` knows: the last, and what one word may add.
  static let orderCount = 64 + HuffmanTable.endOfBlock
  /// An index that says a block cannot be right.
  private static let damaged = -1
  private static let last = 63

  /// Decodes `count` MCUs; false when the bytes cannot be right.
  static func decode(
    _ count: Int,
    _ slots: UnsafeBufferPointer<BlockSlot>,
    _ reader: inout EntropyReader,
    _ predictions: UnsafeMutablePointer<Int>
  ) -> Bool {
    guard let first = slots.baseAddress else { return false }
    var stream = BitStream(reader)
    var mark = reader.mark
    for mcu in 0..<count {
      if stream.next > mark {
        stream.store(to: &reader)
        guard reader.slide() else { return false }
        stream = BitStream(reader)
        mark = reader.mark
      }
      var slot = first
      for _ in 0..<slots.count {
        let block = slot.pointee.coefficients + mcu &* slot.pointee.step
        guard let difference = difference(&stream, slot) else { return false }
        let value = predictions[slot.pointee.component] &+ difference
        predictions[slot.pointee.component] = value
        block[0] = Int16(truncatingIfNeeded: value)
        var index = 0
        if slot.pointee.limit > 0 { index = keep(&stream, slot, block) }
        if index < last { index = skip(&stream, slot, from: index) }
        if index == damaged { return false }
        slot += 1
      }
    }
    stream.store(to: &reader)
    return !reader.isOverrun
  }

  /// A DC difference, nil when no word of the code fits.
  @inline(__always)
  private static func difference(
    _ stream: inout BitStream,
    _ slot: UnsafePointer<BlockSlot>
  ) -> Int? {
    stream.refill()
    let entry = slot.pointee.dcValues[stream.peek(HuffmanTable.valueBits)]
    if entry != 0 {
      stream.take(UInt64(entry))
      return Int(Int32(bitPattern: entry) >> 16)
    }
    let word = slot.pointee.dc.takeUnretainedValue().word(stream.bits)
    guard word >= 0 else { return nil }
    stream.take(UInt64(truncatingIfNeeded: word & 0xFF))
    return stream.value(word >> 8)
  }

  /// Decodes coefficients up to the slot's limit and answers the last one's index; 63 at the end.
  @inline(__always)
  private static func keep(
    _ stream: inout BitStream,
    _ slot: UnsafePointer<BlockSlot>,
    _ block: UnsafeMutablePointer<Int16>
  ) -> Int {
    let (limit, values, order) = (slot.pointee.limit, slot.pointee.values, slot.pointee.order)
    var index = 0
    while true {
      stream.refill()
      // Four entries of twelve bits before the bits must be filled again.
      repeat {
        var entry = values[stream.peek(HuffmanTable.valueBits)]
        stream.put(entry, &index, block, order)
        if index >= limit { break }
        entry = values[stream.peek(HuffmanTable.valueBits)]
        stream.put(entry, &index, block, order)
        if index >= limit { break }
        entry = values[stream.peek(HuffmanTable.valueBits)]
        stream.put(entry, &index, block, order)
        if index >= limit { break }
        entry = values[stream.peek(HuffmanTable.valueBits)]
        stream.put(entry, &index, block, order)
      } while false
      if index < limit { continue }
      if index <= last { return index }
      if index >= HuffmanTable.endOfBlock { return last }
      index &-= HuffmanTable.unknown
      if index < 0 { return damaged }
      stream.refill()
      let word = slot.pointee.ac.takeUnretainedValue().word(stream.bits)
      guard word >= 0 else { return damaged }
      stream.take(UInt64(truncatingIfNeeded: word & 0xFF))
      let value = stream.value(word >> 8 & 15)
      index &+= HuffmanTable.move(UInt8(word >> 8))
      if index >= HuffmanTable.endOfBlock { return last }
      if index > last { return damaged }
      block[Int(order[index])] = Int16(truncatingIfNeeded: value)
      if index >= limit { return index }
    }
  }

  /// Passes over what is left of a block behind `index`.
  @inline(__always)
  private static func skip(
    _ stream: inout BitStream,
    _ slot: UnsafePointer<BlockSlot>,
    from start: Int
  ) -> Int {
    let skips = slot.pointee.skips
    var index = start
    while true {
      var before: UInt64
      var entry: UInt16
      stream.refill()
      // Four entries of thirteen bits before the bits must be filled again.
      repeat {
        before = stream.bits
        entry = skips[stream.peek(HuffmanTable.skipBits)]
        stream.pass(entry, &index)
        if index >= last { break }
        before = stream.bits
        entry = skips[stream.peek(HuffmanTable.skipBits)]
        stream.pass(entry, &index)
        if index >= last { break }
        before = stream.bits
        entry = skips[stream.peek(HuffmanTable.skipBits)]
        stream.pass(entry, &index)
        if index >= last { break }
        before = stream.bits
        entry = skips[stream.peek(HuffmanTable.skipBits)]
        stream.pass(entry, &index)
      } while false
      if index < last { continue }
      if index == last { return last }
      let end = index &- HuffmanTable.endOfBlock
      if end >= 0, end < last { return last }
      // An entry may hold words of the next block, which are not to be read with this table: take
      // the first alone.
      stream.bits = before
      stream.count &+= Int(entry & 63)
      index &-= Int(entry >> 6)
      stream.refill()
      let word = slot.pointee.ac.takeUnretainedValue().word(stream.bits)
      guard word >= 0 else { return damaged }
      stream.take(UInt64(truncatingIfNeeded: word & 0xFF &+ word >> 8 & 15))
      index &+= HuffmanTable.move(UInt8(word >> 8))
      if index == last || index >= HuffmanTable.endOfBlock { return last }
      if index > last { return damaged }
    }
  }
}

/// The reader's bits in registers.
private struct BitStream {
  var bits: UInt64
  var count: Int
  var next: UnsafePointer<UInt8>

  init(_ reader: EntropyReader) {
    (bits, count, next) = (reader.bits, reader.count, reader.next)
  }

  func store(to reader: inout EntropyReader) {
    (reader.bits, reader.count, reader.next) = (bits, count, next)
  }

  /// Counts at least 56 bits.
  @inline(__always) mutating func refill() {
    let word = UnsafeRawPointer(next).loadUnaligned(as: UInt64.self).bigEndian
    bits |= word &>> UInt64(truncatingIfNeeded: count)
    next += (63 &- count) &>> 3
    count |= 56
  }

  @inline(__always) func peek(_ width: Int) -> Int {
    Int(truncatingIfNeeded: bits &>> UInt64(truncatingIfNeeded: 64 &- width))
  }

  /// Uses up as many bits as the low six of `entry` say.
  @inline(__always) mutating func take(_ entry: UInt64) {
    bits = bits &<< entry
    count &-= Int(truncatingIfNeeded: entry & 63)
  }

  @inline(__always) mutating func pass(_ entry: UInt16, _ index: inout Int) {
    take(UInt64(entry))
    index &+= Int(entry &>> 6)
  }

  @inline(__always) mutating func put(
    _ entry: UInt32,
    _ index: inout Int,
    _ block: UnsafeMutablePointer<Int16>,
    _ order: UnsafePointer<UInt8>
  ) {
    take(UInt64(entry))
    index &+= Int(entry &>> 6 & 0x3FF)
    block[Int(order[index])] = Int16(truncatingIfNeeded: entry &>> 16)
  }

  /// The value of `size` bits: those that begin with a zero are negative.
  @inline(__always) mutating func value(_ size: Int) -> Int {
    guard size > 0 else { return 0 }
    let raw = peek(size)
    take(UInt64(truncatingIfNeeded: size))
    return raw < 1 &<< (size &- 1) ? raw &- (1 &<< size) &+ 1 : raw
  }
}
