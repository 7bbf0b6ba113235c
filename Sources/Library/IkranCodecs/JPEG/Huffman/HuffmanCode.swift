/// A Huffman code as a file stores it: how many codewords of each length, and their symbols.
struct HuffmanCode: Hashable {
  /// The number of codewords of 1…16 bits.
  let counts: [UInt8]
  /// In the order of their codewords.
  let symbols: [UInt8]

  /// Calls `body` with each codeword, its length in bits and its symbol.
  func forEachCodeword(_ body: (_ codeword: Int, _ length: Int, _ symbol: UInt8) -> Void) {
    var codeword = 0
    var index = 0
    for (position, count) in counts.enumerated() {
      for _ in 0..<count {
        body(codeword, position + 1, symbols[index])
        codeword += 1
        index += 1
      }
      codeword <<= 1
    }
  }

  /// Whether the codewords fit their lengths and the symbols are those of 8-bit pictures.
  func isValid(forDC: Bool) -> Bool {
    guard counts.count == 16, symbols.count <= 256 else { return false }
    var next = 0
    for (position, count) in counts.enumerated() {
      next += Int(count)
      // No codeword may be all ones.
      guard next < 1 << (position + 1) else { return false }
      next <<= 1
    }
    return symbols.allSatisfy { forDC ? $0 <= 11 : $0 & 15 <= 10 }
  }
}
