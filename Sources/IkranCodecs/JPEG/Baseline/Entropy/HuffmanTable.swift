import CIkranKernels

/// A Huffman code as tables that take several bits at a time.
///
/// An entry holds the bits it takes in 0…5 and how far it moves the position in the block in 6…15;
/// where the value matters, 63 less its size in 16…21 and the length of the word before it above. A
/// position that leaves the block says why: ``endOfBlock`` or ``unknown`` was added.
final class HuffmanTable {
  /// Bits that pick an entry of ``values``, and of ``skips``.
  static let valueBits = 10
  static let skipBits = 13
  /// The most bits that an entry of ``skips`` takes: a word is passed with its value, which need not
  /// be seen.
  static let skipReach = 17
  /// The block ends.
  static let endOfBlock = 512
  /// The bits tell too little; none are taken.
  static let unknown = 256

  let code: HuffmanCode
  /// A symbol an entry; for DC, an entry that knows none is zero.
  let values: UnsafeMutablePointer<UInt32>
  /// As many symbols, with the values behind them, as fit; none for DC.
  let skips: UnsafeMutablePointer<UInt16>
  /// By length, the first 16 bits that no word of at most that length begins with, from index 1;
  /// what leads from a word to its symbol, from 18; the symbols, from 34.
  let words: UnsafeMutablePointer<Int32>

  /// Builds the tables of a code that is fit; nil when there is no memory.
  init?(_ code: HuffmanCode, isDC: Bool) {
    let valueBytes = 4 << Self.valueBits
    let skipBytes = isDC ? 0 : 2 << Self.skipBits
    let wordCount = 34 + 256
    guard let memory = ikran_aligned_alloc(valueBytes + skipBytes + wordCount * 4) else {
      return nil
    }
    self.code = code
    values = memory.bindMemory(to: UInt32.self, capacity: valueBytes / 4)
    skips = (memory + valueBytes).bindMemory(to: UInt16.self, capacity: skipBytes / 2)
    words = (memory + valueBytes + skipBytes).bindMemory(to: Int32.self, capacity: wordCount)
    words.initialize(repeating: 0, count: wordCount)
    fillWords()
    fillValues(isDC: isDC)
    if !isDC { fillSkips() }
  }

  deinit { ikran_free(values) }

  private func fillWords() {
    for (index, symbol) in code.symbols.enumerated() { words[34 + index] = Int32(symbol) }
    var word: Int32 = 0
    var index: Int32 = 0
    for length in 1...16 {
      words[17 + length] = index - word
      word += Int32(code.counts[length - 1])
      index += Int32(code.counts[length - 1])
      words[length] = word << Int32(16 - length)
      word <<= 1
    }
  }

  private func fillValues(isDC: Bool) {
    let unknown = isDC ? 0 : UInt32(63 << 16 | Self.unknown << 6)
    values.initialize(repeating: unknown, count: 1 << Self.valueBits)
    code.forEachWord { word, length, symbol in
      guard length <= Self.valueBits else { return }
      let size = Int(symbol) & 15
      let move = isDC ? 1 : Self.move(symbol)
      let copies = 1 << (Self.valueBits - length)
      let spelling = UInt32(length << 22 | (63 - size) << 16)
      let entry = spelling | UInt32(move << 6 | length + size)
      (values + word * copies).update(repeating: entry, count: copies)
    }
  }

  /// How far a symbol moves the position: its run and itself.
  private static func move(_ symbol: UInt8) -> Int {
    symbol & 15 == 0 && symbol < 0xF0 ? endOfBlock : Int(symbol >> 4) + 1
  }

  /// Entries for n bits follow those for fewer: a symbol, then the entry of the bits it leaves.
  private func fillSkips() {
    let total = 1 << Self.skipBits
    let entries = UnsafeMutablePointer<UInt16>.allocate(capacity: 2 * total)
    defer { entries.deallocate() }
    entries.initialize(repeating: 0, count: 2 * total)
    for bits in 1...Self.skipBits {
      code.forEachWord { word, length, symbol in
        let used = length + Int(symbol & 15)
        guard length <= bits, used <= bits + Self.skipReach - Self.skipBits else { return }
        let move = Self.move(symbol)
        let first = UInt16(move << 6 | used)
        // A block's end is the last word of an entry, as is one whose value goes beyond.
        let rest = move == Self.endOfBlock || used >= bits ? 0 : 1 << (bits - used)
        let next = entries + rest
        let mask = max(0, rest - 1)
        let start = entries + 1 << bits + word << (bits - length)
        for index in 0..<1 << (bits - length) { start[index] = first &+ next[index & mask] }
      }
    }
    for index in 0..<total {
      let entry = entries[total + index]
      skips[index] = entry == 0 ? UInt16(Self.unknown << 6) : entry
    }
  }
}
