import CIkranKernels

/// Entropy-coded bytes up to the next marker, unstuffed into a window that slides along.
struct EntropyReader {
  /// Bytes of the window.
  private static let windowBytes = 16_384
  /// Bits are counted up to eight bytes ahead of those that are used.
  private static let ahead = 8
  /// Bytes to allocate.
  static let byteCount = windowBytes + ahead + EntropyDecoder.reserve

  private var bits: EntropyBits
  /// Behind it, the window must slide before another block is read.
  private var mark: UnsafePointer<UInt8>
  private var end: UnsafeMutablePointer<UInt8>
  /// Whether the window holds the last byte before the marker.
  private var isWhole = false
  private let window: UnsafeMutablePointer<UInt8>
  private let source: UnsafeBufferPointer<UInt8>
  private var offset: Int

  /// Reads `source` from `offset`; `window` holds ``byteCount`` bytes.
  init(
    _ source: UnsafeBufferPointer<UInt8>,
    from offset: Int,
    window: UnsafeMutablePointer<UInt8>
  ) {
    (self.source, self.offset, self.window) = (source, offset, window)
    bits = EntropyBits(next: UnsafePointer(window))
    (mark, end) = (UnsafePointer(window), window)
    fill()
  }

  /// Decodes `count` blocks; false when the bytes cannot be right.
  mutating func decode(
    _ count: Int,
    _ slots: UnsafePointer<BlockSlot>,
    _ sums: UnsafeMutablePointer<Int>
  ) -> Bool {
    var done = 0
    while true {
      let reached = EntropyDecoder.decode(
        slots,
        from: done,
        count: count,
        &bits,
        mark: mark,
        sums
      )
      guard let reached else { return false }
      if reached == count { return bitsLeft >= 0 }
      guard !isWhole else { return false }
      done = reached
      slide()
    }
  }

  /// Goes on behind restart marker `number`; false when what comes next is something else.
  mutating func restart(_ number: Int) -> Bool {
    if !isWhole { slide() }
    guard isWhole, (0..<8).contains(bitsLeft), offset + 1 < source.count, source[offset] == 0xFF,
      source[offset + 1] == 0xD0 + UInt8(truncatingIfNeeded: number & 7)
    else { return false }
    offset += 2
    bits = EntropyBits(next: UnsafePointer(window))
    end = window
    fill()
    return true
  }

  /// How many bits of the window are not used; negative when too many were.
  private var bitsLeft: Int { (UnsafePointer(end) - bits.next) * 8 + (bits.count & 63) }

  private mutating func slide() {
    let rest = UnsafePointer(end) - bits.next
    window.update(from: bits.next, count: rest)
    bits.next = UnsafePointer(window)
    end = window + rest
    fill()
  }

  private mutating func fill() {
    guard let start = source.baseAddress else { return }
    let room = Self.windowBytes - (end - window)
    var consumed = 0
    let written = ikran_jpeg_unstuff(start + offset, source.count - offset, end, room, &consumed)
    offset += consumed
    end += written
    isWhole = written < room
    if isWhole {
      end.update(repeating: 0, count: Self.ahead + EntropyDecoder.reserve)
      mark = UnsafePointer(end) + Self.ahead
    } else {
      mark = UnsafePointer(end) - EntropyDecoder.reserve
    }
  }
}
