import CIkranKernels

/// Reads the entropy-coded bytes of a scan, one restart interval after the other, unstuffed.
struct ScanReader {
  /// The next bits.
  var stream: BitStream
  /// Where the last block may begin.
  private(set) var lastStart: UnsafePointer<UInt8>
  private let source: UnsafeBufferPointer<UInt8>
  private let scan: ProgressiveScan
  private let window: UnsafeMutablePointer<UInt8>
  private var end: UnsafePointer<UInt8>
  private var offset: Int
  private var restarts = 0

  /// Reads a scan of `source`; `window` has room for its data and ``ProgressiveLayout/padding``.
  init(
    _ source: UnsafeBufferPointer<UInt8>,
    _ scan: ProgressiveScan,
    window: UnsafeMutablePointer<UInt8>
  ) {
    (self.source, self.scan, self.window) = (source, scan, window)
    offset = scan.data.lowerBound
    stream = BitStream(next: UnsafePointer(window))
    (lastStart, end) = (UnsafePointer(window), UnsafePointer(window))
  }

  /// Calls `decode` for each restart interval of `count` units; false when the bytes cannot be
  /// right.
  mutating func forEachInterval(
    of count: Int,
    _ decode: (inout ScanReader, Int) -> Bool
  ) -> Bool {
    let interval = scan.restartInterval == 0 ? count : scan.restartInterval
    var done = 0
    while done < count {
      guard done == 0 || skipRestart() else { return false }
      fill()
      let units = min(interval, count - done)
      guard decode(&self, units), (0..<8).contains(remainingBits) else { return false }
      done += units
    }
    return offset == scan.data.upperBound
  }

  /// The bits of the interval that were not taken; negative when more were taken than it has.
  private var remainingBits: Int { (end - stream.next) * 8 + (stream.count & 63) }

  private mutating func skipRestart() -> Bool {
    guard offset + 2 <= scan.data.upperBound, source[offset] == 0xFF,
      source[offset + 1] == 0xD0 + UInt8(truncatingIfNeeded: restarts & 7)
    else { return false }
    offset += 2
    restarts += 1
    return true
  }

  private mutating func fill() {
    guard let start = source.baseAddress else { return }
    let count = scan.data.upperBound - offset
    var consumed = 0
    let written = ikran_jpeg_unstuff(start + offset, count, window, count, &consumed)
    offset += consumed
    (window + written).update(repeating: 0, count: ProgressiveLayout.padding)
    end = UnsafePointer(window) + written
    lastStart = end + 8
    stream = BitStream(window, at: 0)
  }
}
