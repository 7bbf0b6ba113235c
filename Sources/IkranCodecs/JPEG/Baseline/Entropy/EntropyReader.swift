import CIkranKernels

/// Entropy-coded bytes up to the next marker, unstuffed into a window that slides along.
struct EntropyReader {
  /// Bytes of a window without guesses.
  private static let windowBytes = 16_384
  /// Bits are counted up to eight bytes ahead of those that are used.
  private static let ahead = 8

  /// Bytes to allocate for a window.
  static func byteCount(guesses: Bool) -> Int {
    (guesses ? EntropyGuess.mostWindowBytes : windowBytes) + ahead + EntropyDecoder.reserve
  }

  private var bits: EntropyBits
  /// Behind it, the window must slide before another block is read.
  private var mark: UnsafePointer<UInt8>
  private var end: UnsafeMutablePointer<UInt8>
  /// Whether the window holds the last byte before the marker.
  private var isWhole = false
  private let window: UnsafeMutablePointer<UInt8>
  private let source: UnsafeBufferPointer<UInt8>
  private var offset: Int
  /// What is known of the window ahead.
  private var guess: EntropyGuess
  /// Blocks of an MCU.
  private let kinds: Int

  /// Reads `source` from `offset`; `window` holds ``byteCount(guesses:)`` bytes.
  init(
    _ source: UnsafeBufferPointer<UInt8>,
    from offset: Int,
    window: UnsafeMutablePointer<UInt8>,
    kinds: Int,
    guess: EntropyGuess
  ) {
    (self.source, self.offset, self.window) = (source, offset, window)
    (self.kinds, self.guess) = (kinds, guess)
    bits = EntropyBits(next: UnsafePointer(window))
    (mark, end) = (UnsafePointer(window), window)
    fill(phase: 0)
  }

  /// Decodes `count` blocks of whole MCUs; false when the bytes cannot be right.
  mutating func decode(
    _ count: Int,
    _ slots: UnsafePointer<BlockSlot>,
    _ sums: UnsafeMutablePointer<Int>
  ) -> Bool {
    var done = 0
    while done < count {
      if isGuessed {
        guard let reached = guess.take(slots, from: done, count: count, sums) else { return false }
        done = reached
        if !isGuessed { leaveGuess(phase: done % kinds) }
      } else {
        guard let reached = decodeNext(slots, from: done, count: count, sums) else { return false }
        done = reached
      }
    }
    return isGuessed || bitsLeft >= 0
  }

  /// Goes on behind restart marker `number`; false when what comes next is something else.
  mutating func restart(_ number: Int) -> Bool {
    if isGuessed { leaveGuess(phase: 0) }
    if !isWhole { slide(phase: 0) }
    guard isWhole, (0..<8).contains(bitsLeft), offset + 1 < source.count, source[offset] == 0xFF,
      source[offset + 1] == 0xD0 + UInt8(truncatingIfNeeded: number & 7)
    else { return false }
    offset += 2
    end = window
    fill(phase: 0)
    return true
  }

  /// How many bits of the window are not used; negative when too many were.
  private var bitsLeft: Int { (UnsafePointer(end) - bits.next) * 8 + (bits.count & 63) }

  /// Whether the next block is decoded already.
  private var isGuessed: Bool { guess.ready > 0 }

  /// Decodes blocks one by one as long as none may be known already, else one; none where the
  /// window had to slide.
  private mutating func decodeNext(
    _ slots: UnsafePointer<BlockSlot>,
    from first: Int,
    count: Int,
    _ sums: UnsafeMutablePointer<Int>
  ) -> Int? {
    var (last, mark) = (count, mark)
    if let next = guess.next {
      // In front of it no block that begins now can end behind it.
      let clear = UnsafePointer(window) + next >> 3 - EntropyDecoder.reserve
      if bits.next <= clear { mark = clear } else { last = first + 1 }
    }
    let reached = EntropyDecoder.decode(slots, from: first, count: last, &bits, mark: mark, sums)
    guard let reached else { return nil }
    if reached == first {
      guard !isWhole else { return nil }
      slide(phase: first % kinds)
    } else {
      guess.join(at: bits.position(in: window), phase: reached % kinds)
    }
    return reached
  }

  /// Goes on behind blocks that were guessed; the next is of the kind `phase`.
  private mutating func leaveGuess(phase: Int) {
    let position = guess.leave()
    bits = EntropyBits(window, at: position)
    guess.join(at: position, phase: phase)
  }

  private mutating func slide(phase: Int) {
    let position = bits.position(in: window)
    let start = window + position >> 3
    let rest = end - start
    window.update(from: start, count: rest)
    end = window + rest
    fill(phase: phase, from: position & 7)
  }

  /// Fills the window behind `end`; the next block, of the kind `phase`, begins at `bit`.
  private mutating func fill(phase: Int, from bit: Int = 0) {
    guard let start = source.baseAddress else { return }
    let room = (guess.windowBytes ?? Self.windowBytes) - (end - window)
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
    bits = EntropyBits(window, at: bit)
    let last = (isWhole ? UnsafePointer(end) : mark) - UnsafePointer(window)
    guess.begin(window, bits: bit..<max(bit, last * 8), phase: phase)
  }
}
