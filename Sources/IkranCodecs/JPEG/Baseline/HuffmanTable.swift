import CIkranKernels

/// A Huffman code as tables that take several bits at a time.
///
/// Where more than one thing must be told, an entry holds it in fields: bits used in 0…5, how far
/// the coefficient's index moves from 6 up, and in the wide tables the value in the upper half. An
/// index that moves past the block's end tells how: ``HuffmanTable/endOfBlock`` or
/// ``HuffmanTable/unknown``.
final class HuffmanTable {
  /// Bits that pick an entry of ``values``.
  static let valueBits = 12
  /// Bits that pick an entry of ``skips``.
  static let skipBits = 13
  /// Added to the index by an end-of-block word.
  static let endOfBlock = 512
  /// Added to the index, and no bits used, when the bits tell too little.
  static let unknown = 256

  let code: HuffmanCode
  /// A symbol with the value behind it.
  let values: UnsafeMutablePointer<UInt32>
  /// As many whole symbols with their values as fit; unused for DC.
  let skips: UnsafeMutablePointer<UInt16>
  /// For each length, the first 16 bits that no word of at most that length begins with, then
  /// what leads from a word to its symbol.
  private let ends: UnsafeMutablePointer<Int32>
  private let symbols: UnsafeMutablePointer<UInt8>
  private let memory: UnsafeMutableRawPointer

  /// Builds the tables of a code that is fit; nil when there is no memory.
  init?(_ code: HuffmanCode, isDC: Bool) {
    let valueBytes = 4 << Self.valueBits
    let skipBytes = isDC ? 0 : 2 << Self.skipBits
    guard let memory = ikran_aligned_alloc(valueBytes + skipBytes + 34 * 4 + 256) else {
      return nil
    }
    self.code = code
    self.memory = memory
    values = memory.bindMemory(to: UInt32.self, capacity: 1 << Self.valueBits)
    let next = memory + valueBytes
    skips = next.bindMemory(to: UInt16.self, capacity: skipBytes / 2)
    ends = (next + skipBytes).bindMemory(to: Int32.self, capacity: 34)
    symbols = (next + skipBytes + 34 * 4).bindMemory(to: UInt8.self, capacity: 256)
    fillWords()
    fillValues(isDC: isDC)
    if !isDC { fillSkips() }
  }

  deinit { ikran_free(memory) }

  /// The word that `bits` begin with: its length in 0…7 and its symbol above; -1 when there is none.
  @inline(never)
  func word(_ bits: UInt64) -> Int {
    let top = Int32(truncatingIfNeeded: bits >> 48)
    for length in 1...16 where top < ends[length] {
      let index = Int(top >> Int32(16 - length)) + Int(ends[17 + length])
      return Int(symbols[index & 255]) << 8 | length
    }
    return -1
  }

  private func fillWords() {
    symbols.initialize(repeating: 0, count: 256)
    ends.initialize(repeating: 0, count: 34)
    for (index, symbol) in code.symbols.enumerated() { symbols[index] = symbol }
    var word: Int32 = 0
    var index: Int32 = 0
    for length in 1...16 {
      let count = Int32(code.counts[length - 1])
      ends[17 + length] = index - word
      word += count
      index += count
      ends[length] = word << Int32(16 - length)
      word <<= 1
    }
  }

  private func fillValues(isDC: Bool) {
    let unknown = isDC ? 0 : UInt32(Self.unknown) << 6
    values.initialize(repeating: unknown, count: 1 << Self.valueBits)
    code.forEachWord { word, length, symbol in
      let size = Int(symbol) & 15
      let used = length + size
      guard used <= Self.valueBits else { return }
      let copies = 1 << (Self.valueBits - used)
      for tail in 0..<1 << size {
        let value = tail < (1 << size) >> 1 ? tail - (1 << size) + 1 : tail
        let move = isDC ? 0 : Self.move(symbol)
        let entry = UInt32(truncatingIfNeeded: value) << 16 | UInt32(move << 6 | used)
        let start = (word << size | tail) * copies
        for index in start..<start + copies { values[index] = entry }
      }
    }
  }

  /// How far a symbol moves the index: its run and itself.
  static func move(_ symbol: UInt8) -> Int {
    symbol & 15 == 0 && symbol < 0xF0 ? endOfBlock : Int(symbol >> 4) + 1
  }

  /// Entries for n bits follow those for fewer: a symbol, then the entry of the bits it leaves.
  private func fillSkips() {
    let total = 1 << Self.skipBits
    var entries = [UInt16](repeating: 0, count: 2 * total)
    entries.withUnsafeMutableBufferPointer { entries in
      for bits in 1...Self.skipBits {
        code.forEachWord { word, length, symbol in
          let used = length + Int(symbol & 15)
          guard used <= bits else { return }
          let first = UInt16(Self.move(symbol) << 6 | used)
          let isLast = Self.move(symbol) == Self.endOfBlock
          let rest = 1 << (bits - used)
          let start = 1 << bits + word << (bits - length)
          for index in start..<start + 1 << (bits - length) {
            entries[index] = isLast ? first : first + entries[rest + index & (rest - 1)]
          }
        }
      }
      for index in 0..<total {
        let entry = entries[total + index]
        skips[index] = entry == 0 ? UInt16(Self.unknown << 6) : entry
      }
    }
  }
}
