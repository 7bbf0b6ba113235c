/// A Huffman code as a file spells it: how many words of each length, and what they stand for.
struct HuffmanCode: Hashable {
  /// Words of 1…16 bits.
  let counts: [UInt8]
  /// In the order of their words.
  let symbols: [UInt8]

  /// Calls `body` with each word: its bits, its length and its symbol.
  func forEachWord(_ body: (_ word: Int, _ length: Int, _ symbol: UInt8) -> Void) {
    var word = 0
    var index = 0
    for (position, count) in counts.enumerated() {
      for _ in 0..<count {
        body(word, position + 1, symbols[index])
        word += 1
        index += 1
      }
      word <<= 1
    }
  }

  /// Whether the words fit their lengths and the symbols are those of 8-bit pictures.
  func isFit(forDC: Bool) -> Bool {
    guard counts.count == 16, symbols.count <= 256 else { return false }
    var next = 0
    for (position, count) in counts.enumerated() {
      next += Int(count)
      // No word may be ones only.
      guard next < 1 << (position + 1) else { return false }
      next <<= 1
    }
    return symbols.allSatisfy { forDC ? $0 <= 11 : $0 & 15 <= 10 }
  }
}
