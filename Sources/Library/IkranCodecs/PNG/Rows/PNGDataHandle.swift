import CIkranZlib

/// Inflates what the data chunks of a PNG file hold, a piece at a time.
///
/// Every chunk's checksum is compared before its data is inflated.
struct PNGDataHandle: ~Copyable {
  private let bytes: UnsafeBufferPointer<UInt8>
  private let inflater: OpaquePointer
  private var buffers = ikran_inflate_buffers()
  /// Where the next chunk begins.
  private var offset: Int
  private var hasEnded = false

  /// Whether ISA-L, which takes less than half of zlib's time, was there when this was built.
  static let hasISAL = ikran_has_isal() != 0

  /// Begins with the chunk at `start`; nil when its header is damaged.
  ///
  /// - Parameters:
  ///   - bytes: The file, which outlives the handle.
  ///   - start: Where the first data chunk begins.
  ///   - usesISAL: Whether ISA-L inflates it, or zlib.
  init?(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int, usesISAL: Bool) {
    guard Self.hasPlainHeader(bytes.span, start),
      let inflater = ikran_inflate_open(usesISAL ? 1 : 0)
    else { return nil }
    (self.bytes, self.inflater, offset) = (bytes, inflater, start)
  }

  /// Continues at a checkpoint; nil when that is of other bytes, or without memory.
  init?(_ bytes: UnsafeBufferPointer<UInt8>, from checkpoint: PNGDataCheckpoint) {
    guard let start = bytes.baseAddress, checkpoint.input.upperBound <= bytes.count,
      checkpoint.nextChunk <= bytes.count, let inflater = checkpoint.makeInflater()
    else { return nil }
    (self.bytes, self.inflater, offset) = (bytes, inflater, checkpoint.nextChunk)
    buffers.in = start + checkpoint.input.lowerBound
    buffers.in_count = checkpoint.input.count
  }

  deinit { ikran_inflate_close(inflater) }

  /// Where the stream is; nil at its end, or without memory.
  func checkpoint() -> PNGDataCheckpoint? {
    guard !hasEnded, let start = bytes.baseAddress else { return nil }
    // No chunk was taken before the first byte.
    let first = buffers.in.map { $0 - start } ?? 0
    return PNGDataCheckpoint(
      inflater,
      input: first..<first + buffers.in_count,
      nextChunk: offset
    )
  }

  /// Whether the stream begins as RFC 1950 says; distances may be longer than it says there.
  private static func hasPlainHeader(_ bytes: Span<UInt8>, _ start: Int) -> Bool {
    var header = 0
    var (offset, digits) = (start, 0)
    while digits < 2 {
      guard let chunk = PNGChunk(bytes, at: offset), chunk.has("IDAT", in: bytes) else {
        return false
      }
      for place in chunk.body.prefix(2 - digits) {
        header = header << 8 | Int(bytes[place])
        digits += 1
      }
      offset = chunk.end
    }
    let (method, window) = (header >> 8 & 15, header >> 12)
    let hasDictionary = header & 0x20 != 0
    return header % 31 == 0 && method == 8 && !hasDictionary && window <= 7
  }

  /// Fills `count` bytes; false when the data is damaged or ends before.
  mutating func fill(_ target: UnsafeMutablePointer<UInt8>, _ count: Int) -> Bool {
    (buffers.out, buffers.out_count) = (target, count)
    while buffers.out_count > 0 {
      guard !hasEnded, run() else { return false }
    }
    return true
  }

  /// Whether the stream ends here, as does the data, and the file soon after it.
  mutating func finish() -> Bool {
    var spare: UInt8 = 0
    let isWhole = withUnsafeMutablePointer(to: &spare) { spare in
      (buffers.out, buffers.out_count) = (spare, 1)
      while !hasEnded {
        guard run(), buffers.out_count == 1 else { return false }
      }
      return true
    }
    guard isWhole, buffers.in_count == 0 else { return false }
    var isData = true
    while let chunk = PNGChunk(bytes.span, at: offset) {
      let bytes = bytes.span
      if chunk.has("IEND", in: bytes) { return chunk.body.isEmpty && chunk.isIntact(in: bytes) }
      if chunk.has("IDAT", in: bytes) {
        guard isData, chunk.body.isEmpty, chunk.isIntact(in: bytes) else { return false }
      } else {
        guard chunk.isAncillary(in: bytes), !chunk.has("tRNS", in: bytes) else { return false }
        isData = false
      }
      offset = chunk.end
    }
    return false
  }

  /// Whether intact data follows what was read.
  ///
  /// libpng asks for more even where the next rows are of a match that zlib has read. ISA-L has
  /// often read all; then the end of the stream tells.
  func hasMoreInput() -> Bool {
    var (left, next) = (buffers.in_count, offset)
    // zlib reads no more than a symbol ahead, ISA-L eight bytes.
    while left < 16 {
      guard let chunk = PNGChunk(bytes.span, at: next), chunk.has("IDAT", in: bytes.span),
        chunk.isIntact(in: bytes.span)
      else { return false }
      left += chunk.body.count
      next = chunk.end
    }
    return !hasEnded
  }

  /// Inflates until the input or the room is used up, then takes the next chunk if it needs one.
  private mutating func run() -> Bool {
    let (input, room) = (buffers.in_count, buffers.out_count)
    let state = ikran_inflate(inflater, &buffers)
    hasEnded = state == IKRAN_INFLATE_END
    if hasEnded || buffers.out_count == 0 { return state != IKRAN_INFLATE_DAMAGED }
    guard state == IKRAN_INFLATE_MORE else { return false }
    if buffers.in_count == 0 { return takeChunk() }
    // Neither read nor wrote anything: it would never end.
    return buffers.in_count < input || buffers.out_count < room
  }

  private mutating func takeChunk() -> Bool {
    repeat {
      guard let chunk = PNGChunk(bytes.span, at: offset), chunk.has("IDAT", in: bytes.span),
        chunk.isIntact(in: bytes.span), let start = bytes.baseAddress
      else { return false }
      (buffers.in, buffers.in_count) = (start + chunk.body.lowerBound, chunk.body.count)
      offset = chunk.end
    } while buffers.in_count == 0
    return true
  }
}
