import CIkranKernels

/// Entropy-coded bytes up to the next marker, unstuffed into a window that slides along.
struct EntropyReader {
  /// Bytes of the window.
  static let windowBytes = 16_384
  /// Bytes behind the window's last that may be read: an MCU of six blocks takes 1500 at most.
  static let reserve = 2_048
  /// Bytes to allocate.
  static let byteCount = windowBytes + reserve + 64

  /// The next bits, from the top down.
  var bits: UInt64 = 0
  /// How many of them are counted; the others are right already.
  var count = 0
  /// The first byte that is not counted.
  var next: UnsafePointer<UInt8>
  /// Behind it, the window must slide before another MCU is read.
  private(set) var mark: UnsafePointer<UInt8>
  private var end: UnsafeMutablePointer<UInt8>
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
    self.source = source
    self.offset = offset
    self.window = window
    (next, mark, end) = (UnsafePointer(window), UnsafePointer(window), window)
    fill()
  }

  /// Makes room to read an MCU; false when the bytes have run out.
  mutating func slide() -> Bool {
    if isWhole { return next <= mark }
    let rest = UnsafePointer(end) - next
    window.update(from: next, count: rest)
    next = UnsafePointer(window)
    end = window + rest
    fill()
    return next <= mark
  }

  /// Whether more bits were used than there are.
  var isOverrun: Bool { isWhole && (next - UnsafePointer(end)) * 8 > count }

  /// Goes on behind restart marker `number`, false when what comes next is something else.
  mutating func restart(_ number: Int) -> Bool {
    guard isWhole || slide(), isWhole, !isOverrun, (next - UnsafePointer(end)) * 8 + 8 > count,
      offset + 1 < source.count, source[offset] == 0xFF,
      source[offset + 1] == 0xD0 + UInt8(truncatingIfNeeded: number & 7)
    else { return false }
    offset += 2
    (bits, count, isWhole) = (0, 0, false)
    (next, end) = (UnsafePointer(window), window)
    fill()
    return true
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
      end.update(repeating: 0, count: Self.reserve)
      // Bits are counted up to eight bytes ahead.
      mark = UnsafePointer(end) + 8
    } else {
      mark = UnsafePointer(end) - Self.reserve
    }
  }
}
