import CIkranKernels

/// A Huffman code as look-up tables that are indexed by several bits at a time.
///
/// An entry holds the bits it takes in 0…5 and how far it moves the position in the block in 6…15.
/// Entries of ``values`` also hold 63 less the size of the value in 16…21 and the length of the
/// codeword before it above. A position outside the block says why: ``endOfBlock`` or ``unknown``
/// was added. In tables of a band, the value of a block's end is the length of its run less that of
/// the shortest run of its size.
final class HuffmanTable {
  /// What the codewords stand for.
  enum Symbols {
    /// DC differences.
    case dc
    /// AC coefficients of sequential pictures.
    case ac
    /// AC coefficients of progressive pictures, where a block's end has a run; there are no
    /// ``HuffmanTable/skips``.
    case band
  }

  /// Bits of an index of ``values``, and of ``skips``.
  static let valueBits = 10
  static let skipBits = 13
  /// The most bits that an entry of ``skips`` takes: a value is skipped with its codeword, although
  /// the index does not include all its bits.
  static let skipReach = 17
  /// The block ends.
  static let endOfBlock = 512
  /// The bits of the index are no whole codeword; none are taken.
  static let unknown = 256

  let code: HuffmanCode
  let symbols: Symbols
  /// One symbol per entry; for DC, an entry without one is zero.
  let values: UnsafeMutablePointer<UInt32>
  /// As many symbols with their values as fit in each entry; no entries but for ``Symbols/ac``.
  let skips: UnsafeMutablePointer<UInt16>
  /// Three arrays for decoding one codeword.
  ///
  /// From index 1, by length: the first 16 bits that no codeword of at most that length begins
  /// with. From 18, by length: the difference between a codeword and the index of its symbol. From
  /// 34: the symbols.
  let codewords: UnsafeMutablePointer<Int32>
  /// The bytes of all three.
  private let byteCount: Int

  /// Builds the tables of a valid code; nil when there is no memory.
  init?(_ code: HuffmanCode, _ symbols: Symbols) {
    let valueBytes = 4 << Self.valueBits
    let skipBytes = symbols == .ac ? 2 << Self.skipBits : 0
    let codewordCount = 34 + 256
    byteCount = valueBytes + skipBytes + codewordCount * 4
    guard let memory = ikran_aligned_alloc(byteCount) else { return nil }
    (self.code, self.symbols) = (code, symbols)
    values = memory.bindMemory(to: UInt32.self, capacity: valueBytes / 4)
    skips = (memory + valueBytes).bindMemory(to: UInt16.self, capacity: skipBytes / 2)
    codewords = (memory + valueBytes + skipBytes)
      .bindMemory(to: Int32.self, capacity: codewordCount)
    codewords.initialize(repeating: 0, count: codewordCount)
    fillCodewords()
    fillValues()
    if symbols == .ac { fillSkips() }
  }

  deinit { ikran_free(values, byteCount) }

  private func fillCodewords() {
    for (index, symbol) in code.symbols.enumerated() { codewords[34 + index] = Int32(symbol) }
    var codeword: Int32 = 0
    var index: Int32 = 0
    for length in 1...16 {
      codewords[17 + length] = index - codeword
      codeword += Int32(code.counts[length - 1])
      index += Int32(code.counts[length - 1])
      codewords[length] = codeword << Int32(16 - length)
      codeword <<= 1
    }
  }

  private func fillValues() {
    let unknown = symbols == .dc ? 0 : UInt32(63 << 16 | Self.unknown << 6)
    values.initialize(repeating: unknown, count: 1 << Self.valueBits)
    code.forEachCodeword { codeword, length, symbol in
      guard length <= Self.valueBits else { return }
      let move = symbols == .dc ? 1 : Self.move(symbol)
      let hasRun = symbols == .band && move == Self.endOfBlock
      let size = Int(hasRun ? symbol >> 4 : symbol & 15)
      let copies = 1 << (Self.valueBits - length)
      let valueBits = UInt32(length << 22 | (63 - size) << 16)
      let entry = valueBits | UInt32(move << 6 | length + size)
      (values + codeword * copies).update(repeating: entry, count: copies)
    }
  }

  /// How far a symbol moves the position: its run and itself.
  private static func move(_ symbol: UInt8) -> Int {
    symbol & 15 == 0 && symbol < 0xF0 ? endOfBlock : Int(symbol >> 4) + 1
  }

  /// Builds entries for n bits from those for fewer: a symbol, then the entry of the remaining
  /// bits.
  private func fillSkips() {
    let total = 1 << Self.skipBits
    let entries = UnsafeMutablePointer<UInt16>.allocate(capacity: 2 * total)
    defer { entries.deallocate() }
    entries.initialize(repeating: 0, count: 2 * total)
    for bits in 1...Self.skipBits {
      code.forEachCodeword { codeword, length, symbol in
        let used = length + Int(symbol & 15)
        guard length <= bits, used <= bits + Self.skipReach - Self.skipBits else { return }
        let move = Self.move(symbol)
        let first = UInt16(move << 6 | used)
        // An entry ends with a block's end, or with a value that needs more bits than its index
        // has.
        let rest = move == Self.endOfBlock || used >= bits ? 0 : 1 << (bits - used)
        let next = entries + rest
        let mask = max(0, rest - 1)
        let start = entries + 1 << bits + codeword << (bits - length)
        for index in 0..<1 << (bits - length) { start[index] = first &+ next[index & mask] }
      }
    }
    for index in 0..<total {
      let entry = entries[total + index]
      skips[index] = entry == 0 ? UInt16(Self.unknown << 6) : entry
    }
  }

  /// The codeword that `bits` begin with: its length in 0…7, its symbol above; negative for none.
  @inline(never)
  static func codeword(_ bits: UInt64, _ codewords: UnsafePointer<Int32>) -> Int {
    let top = Int32(truncatingIfNeeded: bits >> 48)
    // No early exit: its branch would be mispredicted.
    var length = 1
    for index in 1...16 { length &+= top >= codewords[index] ? 1 : 0 }
    guard length <= 16 else { return -1 }
    let index = Int(top >> Int32(16 - length) &+ codewords[17 + length])
    return Int(codewords[34 + index & 255]) << 8 | length
  }
}
