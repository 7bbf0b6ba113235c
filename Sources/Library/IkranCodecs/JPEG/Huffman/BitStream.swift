/// A stream of bits, the highest of each byte first.
struct BitStream {
  var bits: UInt64 = 0
  /// How many of `bits` are valid, in the low six bits of this.
  ///
  /// The bits after those are either zero or already the right ones, so `refill` may set them
  /// again.
  var count = 0
  /// The first byte that `count` does not include.
  var next: UnsafePointer<UInt8>

  init(next: UnsafePointer<UInt8>) { self.next = next }

  /// A stream that begins at a bit of a window.
  init(_ window: UnsafePointer<UInt8>, at bit: Int) {
    next = window + bit >> 3
    refill()
    take(UInt64(truncatingIfNeeded: bit & 7))
  }

  /// The first bit that was not taken.
  func position(in window: UnsafePointer<UInt8>) -> Int { (next - window) * 8 - (count & 63) }

  /// Loads bytes until at least 56 bits are valid.
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

  /// Takes as many bits as the low six of an entry say; the higher bits of the entry change only
  /// those of `count` that `refill` clears.
  @inline(__always) mutating func take(_ entry: UInt64) {
    bits = bits &<< entry
    count &-= Int(truncatingIfNeeded: entry)
  }

  @inline(__always) mutating func skip(_ entry: UInt16, _ position: inout Int) {
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
    block[Int(order[position])] = Int16(truncatingIfNeeded: value(after: entry))
    take(UInt64(entry))
  }

  @inline(__always) func value(after entry: UInt32) -> Int { Self.value(bits, after: entry) }

  /// The value after the codeword that `bits` begin with and `entry` stands for.
  @inline(__always) static func value(_ bits: UInt64, after entry: UInt32) -> Int {
    value(bits &<< UInt64(entry &>> 22), shift: UInt64(entry &>> 16))
  }

  @inline(__always) mutating func takeValue(_ size: Int) -> Int {
    defer { take(UInt64(truncatingIfNeeded: size)) }
    return Self.value(bits, shift: UInt64(truncatingIfNeeded: 63 &- size))
  }

  /// The value in the first 63 - `shift` bits, of which the low six count: values that begin with a
  /// zero are negative (ITU-T T.81, F.2.2.1, EXTEND).
  @inline(__always) private static func value(_ bits: UInt64, shift: UInt64) -> Int {
    let negative = ~Int(truncatingIfNeeded: bits) &>> 63
    let digits = bits ^ UInt64(bitPattern: Int64(negative))
    let magnitude = Int(truncatingIfNeeded: (digits &>> 1) &>> shift)
    return (magnitude ^ negative) &- negative
  }
}
