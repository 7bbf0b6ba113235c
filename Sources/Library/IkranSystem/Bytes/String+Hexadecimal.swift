extension String {
  /// Sixteen hexadecimal digits in lower case, or thirty-two for two words.
  package init(hexadecimal first: UInt64, _ second: UInt64? = nil) {
    let count = second == nil ? 16 : 32
    self.init(unsafeUninitializedCapacity: count) { digits in
      for index in 0..<count {
        let word = index < 16 ? first : second ?? 0
        let digit = UInt8(truncatingIfNeeded: word >> (60 - 4 * UInt64(index & 15))) & 15
        digits.initializeElement(at: index, to: digit < 10 ? 0x30 + digit : 0x57 + digit)
      }
      return count
    }
  }
}
