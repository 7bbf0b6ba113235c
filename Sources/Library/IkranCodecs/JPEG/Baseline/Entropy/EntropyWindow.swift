import CIkranKernels

/// Some of the entropy-coded bytes, unstuffed, and after them the first bytes of the next window.
struct EntropyWindow {
  /// Bytes that ``BitStream`` loads before they are used.
  private static let lookahead = 8
  /// Bytes of the next window: a block that begins in this one, or `lookahead` bytes after it, ends
  /// in them.
  private static let overlap = lookahead + EntropyDecoder.padding

  /// Bytes to allocate for a window of `capacity` bytes.
  static func byteCount(_ capacity: Int) -> Int { capacity + 2 * overlap }

  let bytes: UnsafeMutablePointer<UInt8>
  /// Bytes up to the next window.
  private(set) var count = 0
  /// Whether the scan ends here: a marker follows, or nothing.
  private(set) var isLast = false
  /// Where the next window begins in the file; if there is none, where the marker is.
  private(set) var next: Int

  /// A window without bytes before offset `next` of the file, in memory for ``byteCount(_:)``.
  init(_ bytes: UnsafeMutablePointer<UInt8>, next: Int) { (self.bytes, self.next) = (bytes, next) }

  /// Fills the window with at most `capacity` bytes of what `source` has in `range`, which must not
  /// separate 0xFF from its stuffed zero.
  mutating func fill(
    _ source: UnsafeBufferPointer<UInt8>,
    _ range: Range<Int>,
    capacity: Int
  ) {
    guard let start = source.baseAddress else { return }
    var consumed = 0
    count = ikran_jpeg_unstuff(start + range.lowerBound, range.count, bytes, capacity, &consumed)
    next = range.lowerBound + consumed
    let following = ikran_jpeg_unstuff(
      start + next,
      source.count - next,
      bytes + count,
      Self.overlap,
      &consumed
    )
    isLast = following < Self.overlap
    guard isLast else { return }
    (count, next) = (count + following, next + consumed)
    (bytes + count).update(repeating: 0, count: Self.overlap)
  }

  /// Lets the next window begin elsewhere in the file.
  mutating func seek(to offset: Int) { next = offset }

  /// The last byte that a stream may have loaded when a block begins; after it, the next window is
  /// needed.
  var lastStart: UnsafePointer<UInt8> { UnsafePointer(bytes) + count + Self.lookahead }

  /// The byte after the last one of the file in this memory.
  var end: UnsafePointer<UInt8> { UnsafePointer(bytes) + count + (isLast ? 0 : Self.overlap) }
}
