import IkranPixels

/// Reads entropy-coded bytes up to the next marker, unstuffed into a sliding window.
struct EntropyReader {
  /// Bytes of a window that is decoded block by block.
  private static let windowBytes = 16_384

  /// Bytes to allocate for windows.
  static func byteCount(isSpeculative: Bool) -> Int {
    isSpeculative
      ? max(WindowsAhead.byteCount, EntropyWindow.byteCount(SegmentDecoder.maximumWindowBytes))
      : EntropyWindow.byteCount(windowBytes)
  }

  private var bits: BitStream
  private var window: EntropyWindow
  private let source: UnsafeBufferPointer<UInt8>
  /// Decodes the segments of windows on this thread; nil where blocks are decoded one by one.
  private let decoder: SegmentDecoder?
  /// Windows that other threads fill; nil where this one does.
  private var ahead: WindowsAhead?
  /// The most bytes of a window that this thread fills.
  private let capacity: Int
  /// The blocks of the window that may be decoded already.
  private var speculation: SpeculativeDecoder
  private let blocksPerMCU: Int

  /// Reads `source` from `offset`, with the help of `threads` if it is one long stretch.
  init(
    _ source: UnsafeBufferPointer<UInt8>,
    from offset: Int,
    _ layout: BaselineLayout,
    blocksPerMCU: Int,
    decoder: SegmentDecoder?,
    threads: (any IdleThreads)?
  ) {
    (self.source, self.blocksPerMCU, self.decoder) = (source, blocksPerMCU, decoder)
    speculation = SpeculativeDecoder(layout.visible, blocksPerMCU: blocksPerMCU)
    window = EntropyWindow(layout.window, next: offset)
    bits = BitStream(next: UnsafePointer(layout.window))
    ahead = decoder.flatMap {
      WindowsAhead(source, from: offset, layout.windowsAhead, layout.window, $0, threads)
    }
    capacity = decoder?.windowBytes(isPart: ahead != nil) ?? Self.windowBytes
    beginWindow(phase: 0)
  }

  /// Ends the use of other threads.
  func end() { ahead?.end() }

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
    if !window.isWhole, bitsOfNextWindow >= 0 { beginWindow(at: bitsOfNextWindow, phase: 0) }
    let offset = window.next
    guard window.isWhole, (0..<8).contains(remainingBits), offset + 1 < source.count,
      source[offset] == 0xFF,
      source[offset + 1] == 0xD0 + UInt8(truncatingIfNeeded: number & 7)
    else { return false }
    window.skipMarker()
    beginWindow(phase: 0)
    return true
  }

  /// The bits of the window that were not taken; negative when more were taken than it has.
  private var remainingBits: Int { (window.end - bits.next) * 8 + (bits.count & 63) }

  /// The bits of the next window that were taken; negative when bits of this one are left.
  private var bitsOfNextWindow: Int { bits.position(in: window.bytes) - window.count * 8 }

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
    var (last, lastStart) = (count, window.lastStart)
    if let next = speculation.next {
      // No block that begins up to here ends inside the next segment.
      let clear = UnsafePointer(window.bytes) + next >> 3 - EntropyDecoder.padding
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
      guard !window.isWhole else { return nil }
      beginWindow(at: bitsOfNextWindow, phase: first % blocksPerMCU)
    } else {
      speculation.synchronize(at: bits.position(in: window.bytes), phase: reached % blocksPerMCU)
    }
    return reached
  }

  /// Continues after the blocks of a segment; the next has position `phase` in its MCU.
  private mutating func leaveSegment(phase: Int) {
    let position = speculation.leaveSegment()
    bits = BitStream(window.bytes, at: position)
    speculation.synchronize(at: position, phase: phase)
  }

  /// Goes on with the next window; the next block begins at `bit` and has position `phase` in its
  /// MCU.
  private mutating func beginWindow(at bit: Int = 0, phase: Int) {
    if let next = ahead?.next() {
      window = next.window
      speculation.begin(next.segments, count: next.count, at: bit, phase: phase)
    } else {
      window.fill(source, window.next..<source.count, capacity: capacity)
      if let decoder {
        let memory = decoder.memory()
        let decodable = bit..<max(bit, window.count * 8)
        let count = decoder.decode(memory, window.bytes, bits: decodable, phase: phase)
        speculation.begin(memory.segments, count: count, at: bit, phase: phase)
      }
    }
    bits = BitStream(window.bytes, at: bit)
  }
}
