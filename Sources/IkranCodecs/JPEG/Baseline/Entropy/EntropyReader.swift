import CIkranKernels

/// Reads entropy-coded bytes up to the next marker, unstuffed into a sliding window.
struct EntropyReader {
  /// A bit of the source at which a block begins.
  struct Position: Sendable {
    let offset, bit: Int
  }

  /// Bytes of a window that is decoded block by block.
  private static let windowBytes = 16_384
  /// Bytes that ``BitStream`` loads before they are used.
  private static let lookahead = 8

  /// Bytes to allocate for a window.
  static func byteCount(isSpeculative: Bool) -> Int {
    (isSpeculative ? SpeculativeDecoder.maximumWindowBytes : windowBytes) + lookahead
      + EntropyDecoder.padding
  }

  private var bits: BitStream
  /// The last byte a block may begin in; after it, the window must slide first.
  private var lastStart: UnsafePointer<UInt8>
  private var end: UnsafeMutablePointer<UInt8>
  /// Whether the window holds the last byte before the marker.
  private var isWhole = false
  private let window: UnsafeMutablePointer<UInt8>
  private let source: UnsafeBufferPointer<UInt8>
  private var offset: Int
  /// The blocks of the window that may be decoded already.
  private var speculation: SpeculativeDecoder
  private let blocksPerMCU: Int
  /// Whether ``position()`` may be used.
  var knowsPosition = false
  /// A byte of the window and its place in the source.
  private var anchor = (byte: 0, offset: 0)

  /// Reads `source` from a position where an MCU begins.
  ///
  /// - Parameters:
  ///   - source: The file.
  ///   - position: A place in it.
  ///   - window: ``byteCount(isSpeculative:)`` bytes.
  ///   - blocksPerMCU: How many.
  ///   - speculation: A decoder for whole windows.
  init(
    _ source: UnsafeBufferPointer<UInt8>,
    from position: Position,
    window: UnsafeMutablePointer<UInt8>,
    blocksPerMCU: Int,
    speculation: SpeculativeDecoder
  ) {
    (self.source, offset, self.window) = (source, 0, window)
    (self.blocksPerMCU, self.speculation) = (blocksPerMCU, speculation)
    bits = BitStream(next: UnsafePointer(window))
    (lastStart, end) = (UnsafePointer(window), window)
    seek(to: position)
  }

  /// Continues at a position where an MCU begins.
  mutating func seek(to position: Position) {
    // An index of other bytes may lie outside of these.
    offset = min(position.offset, source.count)
    (end, anchor) = (window, (0, offset))
    fill(phase: 0, from: position.bit)
  }

  /// Where the next block begins; the last one was decoded without damage.
  mutating func position() -> Position {
    let bit = speculation.position ?? bits.position(in: window)
    moveAnchor(to: bit >> 3)
    return Position(offset: anchor.offset, bit: bit & 7)
  }

  /// Decodes `count` blocks of whole MCUs; false when the bytes cannot be right.
  mutating func decode(
    _ count: Int,
    _ slots: UnsafePointer<BlockSlot>,
    _ predictors: UnsafeMutablePointer<Int>
  ) -> Bool {
    var done = 0
    while done < count {
      let reached: Int?
      if isDecoded {
        reached = speculation.take(slots, from: done, count: count, predictors)
        if let reached, !isDecoded { leaveSegment(phase: reached % blocksPerMCU) }
      } else {
        reached = decodeNext(slots, from: done, count: count, predictors)
      }
      guard let reached else { return false }
      done = reached
    }
    return isDecoded || remainingBits >= 0
  }

  /// Continues after restart marker `number`; false when something else comes next.
  mutating func restart(_ number: Int) -> Bool {
    if isDecoded { leaveSegment(phase: 0) }
    if !isWhole { slide(phase: 0) }
    guard isWhole, (0..<8).contains(remainingBits), offset + 1 < source.count,
      source[offset] == 0xFF,
      source[offset + 1] == 0xD0 + UInt8(truncatingIfNeeded: number & 7)
    else { return false }
    seek(to: Position(offset: offset + 2, bit: 0))
    return true
  }

  /// Skips what is left before a restart marker, and `count` intervals from number `number` on; false
  /// when a marker is missing.
  mutating func skipIntervals(_ count: Int, after number: Int) -> Bool {
    guard let start = source.baseAddress else { return false }
    func marker(from offset: Int) -> Int {
      offset + ikran_jpeg_next_marker(start + offset, source.count - offset, true)
    }
    var next = isWhole ? offset : marker(from: offset)
    for index in 0..<count {
      guard next + 1 < source.count,
        source[next + 1] == 0xD0 + UInt8(truncatingIfNeeded: (number + index) & 7)
      else { return false }
      next = marker(from: next + 2)
    }
    seek(to: Position(offset: next, bit: 0))
    return true
  }

  /// The bits of the window that were not taken; negative when more were taken than it has.
  private var remainingBits: Int { (UnsafePointer(end) - bits.next) * 8 + (bits.count & 63) }

  /// Whether the next block is decoded already.
  private var isDecoded: Bool { speculation.ready > 0 }

  /// Decodes blocks one by one up to those that may be decoded already, and there one block; none
  /// where the window had to slide.
  private mutating func decodeNext(
    _ slots: UnsafePointer<BlockSlot>,
    from first: Int,
    count: Int,
    _ predictors: UnsafeMutablePointer<Int>
  ) -> Int? {
    var (last, lastStart) = (count, lastStart)
    if let next = speculation.next {
      // No block that begins up to here ends inside the next segment.
      let clear = UnsafePointer(window) + next >> 3 - EntropyDecoder.padding
      if bits.next <= clear { lastStart = clear } else { last = first + 1 }
    }
    let reached = EntropyDecoder.decode(
      slots,
      from: first,
      count: last,
      &bits,
      lastStart: lastStart,
      predictors
    )
    guard let reached else { return nil }
    if reached == first {
      guard !isWhole else { return nil }
      slide(phase: first % blocksPerMCU)
    } else {
      speculation.synchronize(at: bits.position(in: window), phase: reached % blocksPerMCU)
    }
    return reached
  }

  /// Continues after the blocks of a segment; the next has position `phase` in its MCU.
  private mutating func leaveSegment(phase: Int) {
    let position = speculation.leaveSegment()
    bits = BitStream(window, at: position)
    speculation.synchronize(at: position, phase: phase)
  }

  private mutating func slide(phase: Int) {
    let position = bits.position(in: window)
    if knowsPosition {
      moveAnchor(to: position >> 3)
      anchor.byte = 0
    }
    let start = window + position >> 3
    let rest = end - start
    window.update(from: start, count: rest)
    end = window + rest
    fill(phase: phase, from: position & 7)
  }

  private mutating func moveAnchor(to byte: Int) {
    var stuffed = 0
    for index in anchor.byte..<max(byte, anchor.byte) { stuffed &+= window[index] == 0xFF ? 1 : 0 }
    anchor = (byte, anchor.offset + byte - anchor.byte + stuffed)
  }

  /// Fills the window after `end`; the next block begins at `bit` and has position `phase` in its
  /// MCU.
  private mutating func fill(phase: Int, from bit: Int = 0) {
    guard let start = source.baseAddress else { return }
    let capacity = (speculation.windowBytes ?? Self.windowBytes) - (end - window)
    var consumed = 0
    let written = ikran_jpeg_unstuff(
      start + offset,
      source.count - offset,
      end,
      capacity,
      &consumed
    )
    offset += consumed
    end += written
    isWhole = written < capacity
    if isWhole {
      end.update(repeating: 0, count: Self.lookahead + EntropyDecoder.padding)
      lastStart = UnsafePointer(end) + Self.lookahead
    } else {
      lastStart = UnsafePointer(end) - EntropyDecoder.padding
    }
    bits = BitStream(window, at: bit)
    let last = (isWhole ? UnsafePointer(end) : lastStart) - UnsafePointer(window)
    speculation.begin(window, bits: bit..<max(bit, last * 8), phase: phase)
  }
}
