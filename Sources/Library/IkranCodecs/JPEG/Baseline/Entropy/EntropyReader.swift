import CIkranKernels
import IkranPixels

/// Reads entropy-coded bytes up to the next marker, unstuffed, one window after the other.
struct EntropyReader {
  /// A bit of the source at which a block begins.
  struct Position: Sendable {
    let offset, bit: Int
  }

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
  /// A byte of the window and its place in the source.
  private var anchor = (byte: 0, offset: 0)

  /// Reads `source` from a position where an MCU begins, with the help of `threads` if it is one
  /// long stretch.
  init(
    _ source: UnsafeBufferPointer<UInt8>,
    from position: Position,
    _ layout: BaselineLayout,
    blocksPerMCU: Int,
    decoder: SegmentDecoder?,
    threads: (any IdleThreads)?
  ) {
    (self.source, self.blocksPerMCU, self.decoder) = (source, blocksPerMCU, decoder)
    speculation = SpeculativeDecoder(layout.visible, blocksPerMCU: blocksPerMCU)
    window = EntropyWindow(layout.window, next: position.offset)
    bits = BitStream(next: UnsafePointer(layout.window))
    ahead = decoder.flatMap {
      WindowsAhead(source, from: position.offset, layout.windowsAhead, layout.window, $0, threads)
    }
    capacity = decoder?.windowBytes(isPart: ahead != nil) ?? Self.windowBytes
    beginWindow(at: position.bit, blockInMCU: 0)
  }

  /// Continues at a position where an MCU begins.
  mutating func seek(to position: Position) {
    ahead?.end()
    ahead = nil
    // An index of other bytes may lie outside of these.
    window.seek(to: min(position.offset, source.count))
    beginWindow(at: position.bit, blockInMCU: 0)
  }

  /// Where the next block begins; the last one was decoded without damage, and no other thread
  /// fills windows.
  mutating func position() -> Position {
    let bit = speculation.position ?? bits.position(in: window.bytes)
    moveAnchor(to: bit >> 3)
    return Position(offset: anchor.offset, bit: bit & 7)
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
        if let reached, !isDecoded { leaveSegment(blockInMCU: reached % blocksPerMCU) }
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
    if isDecoded { leaveSegment(blockInMCU: 0) }
    if !window.isLast, bitsOfNextWindow >= 0 { beginWindow(at: bitsOfNextWindow, blockInMCU: 0) }
    let offset = window.next
    guard window.isLast, (0..<8).contains(remainingBits), offset + 1 < source.count,
      source[offset] == 0xFF,
      source[offset + 1] == 0xD0 + UInt8(truncatingIfNeeded: number & 7)
    else { return false }
    seek(to: Position(offset: offset + 2, bit: 0))
    return true
  }

  /// Skips what is left before a restart marker, and `count` intervals from number `number` on;
  /// false when a marker is missing.
  mutating func skipIntervals(_ count: Int, after number: Int) -> Bool {
    guard let start = source.baseAddress else { return false }
    func marker(from offset: Int) -> Int {
      offset + ikran_jpeg_next_marker(start + offset, source.count - offset, true)
    }
    var next = window.isLast ? window.next : marker(from: window.next)
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
  private var remainingBits: Int { (window.end - bits.next) * 8 + (bits.count & 63) }

  /// The bits of the next window that were taken; negative when bits of this one are left.
  private var bitsOfNextWindow: Int { bits.position(in: window.bytes) - window.count * 8 }

  /// Whether the next block is decoded already.
  private var isDecoded: Bool { speculation.ready > 0 }

  /// Decodes blocks one by one up to those that may be decoded already, and there one block; none
  /// where the next window has begun.
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
      guard !window.isLast else { return nil }
      beginWindow(at: bitsOfNextWindow, blockInMCU: first % blocksPerMCU)
    } else {
      speculation.synchronize(
        at: bits.position(in: window.bytes),
        blockInMCU: reached % blocksPerMCU
      )
    }
    return reached
  }

  /// Continues after the blocks of a segment; the next is block `blockInMCU` of its MCU.
  private mutating func leaveSegment(blockInMCU: Int) {
    let position = speculation.leaveSegment()
    bits = BitStream(window.bytes, at: position)
    speculation.synchronize(at: position, blockInMCU: blockInMCU)
  }

  private mutating func moveAnchor(to byte: Int) {
    var stuffed = 0
    for index in anchor.byte..<max(byte, anchor.byte) {
      stuffed &+= window.bytes[index] == 0xFF ? 1 : 0
    }
    anchor = (byte, anchor.offset + byte - anchor.byte + stuffed)
  }

  /// Goes on with the next window; the next block begins at `bit` and is block `blockInMCU` of its
  /// MCU.
  private mutating func beginWindow(at bit: Int = 0, blockInMCU: Int) {
    if let next = ahead?.next() {
      window = next.window
      speculation.begin(next.segments, count: next.count, at: bit, blockInMCU: blockInMCU)
    } else {
      anchor = (0, window.next)
      window.fill(source, window.next..<source.count, capacity: capacity)
      if let decoder {
        let memory = decoder.memory()
        let decodable = bit..<max(bit, window.count * 8)
        let count = decoder.decode(memory, window.bytes, bits: decodable, blockInMCU: blockInMCU)
        speculation.begin(memory.segments, count: count, at: bit, blockInMCU: blockInMCU)
      }
    }
    bits = BitStream(window.bytes, at: bit)
  }
}
