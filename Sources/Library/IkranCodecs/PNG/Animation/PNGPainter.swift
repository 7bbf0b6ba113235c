#if CLibraries
import IkranPixels

/// Draws the frames of an animated PNG: each becomes a PNG file of one picture, which libpng reads.
///
/// Its data is inflated before: libpng's zlib would take two thirds of the time of a frame.
final class PNGPainter: FramePainter {
  /// Whether this build draws frames at all.
  static let isAvailable = true

  private let bytes: [UInt8]
  private let list: PNGFrameList
  private let inflater = InflateHandle()
  private(set) var notes: [DecodeNote] = []
  /// The file of the frame that was drawn last.
  private var file: [UInt8] = []
  /// The compressed data of that frame, and what it holds.
  private var stream: [UInt8] = []
  private var rows: [UInt8] = []
  private var scratch = FrameScratch()

  /// What more would take is inflated row by row.
  private static let largestRows = 64 << 20

  init(_ bytes: [UInt8], _ list: PNGFrameList) {
    self.bytes = bytes
    self.list = list
  }

  func paint(_ frame: Int, on canvas: inout AnimationCanvas) throws(DecodeError) -> Bool {
    let header = list.frames[frame]
    guard let area = header.layout.area else { return true }
    try assemble(header)
    let file = file
    try PNGHandle.draw(file.span, header.layout, in: area, of: &canvas, &scratch)
    return true
  }

  /// Writes the frame's file, after a check of the checksums of what it is made of.
  private func assemble(_ header: PNGFrameHeader) throws(DecodeError) {
    let bytes = bytes
    file.removeAll(keepingCapacity: true)
    try PNGHandle.check(bytes.span, 8..<33)
    file += bytes[..<16]
    append(header.size.width)
    append(header.size.height)
    file += bytes[24..<33]
    for chunk in list.sharedChunks {
      try PNGHandle.check(bytes.span, chunk)
      file += bytes[chunk]
    }
    try readStream(header)
    let count = rowBytes(header)
    if let count, inflater.inflate(stream, into: &rows, count: count) {
      if inflater.hasWrongChecksum, notes.isEmpty { notes = [.checksumWrong] }
      appendStored()
    } else {
      // Damaged, short or long: libpng says what is wrong with it, or takes what it needs.
      appendStream()
    }
  }

  /// Joins the frame's compressed data.
  private func readStream(_ header: PNGFrameHeader) throws(DecodeError) {
    let bytes = bytes
    stream.removeAll(keepingCapacity: true)
    var offset = header.chunks.lowerBound
    while offset < header.chunks.upperBound, let length = bytes.span.bigEndian32(at: offset) {
      let chunk = offset..<offset + 12 + length
      guard chunk.upperBound <= header.chunks.upperBound else { break }
      let isLater = bytes.span.has("fdAT", at: offset + 4)
      if isLater || bytes.span.has("IDAT", at: offset + 4) {
        try PNGHandle.check(bytes.span, chunk)
        // After the number of the chunk, if it has one.
        let body = (offset + (isLater ? 12 : 8))..<(chunk.upperBound - 4)
        if !body.isEmpty { stream += bytes[body] }
      }
      offset = chunk.upperBound
    }
  }

  /// The bytes of all rows before they are unfiltered; nil when they are not to be inflated at
  /// once.
  private func rowBytes(_ header: PNGFrameHeader) -> Int? {
    let (depth, color, interlacing) = (Int(bytes[24]), bytes[25], bytes[28])
    let channels = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][color]
    guard let channels, interlacing == 0 else { return nil }
    let bits = header.size.width * channels * depth
    let (count, overflow) = ((bits + 7) / 8 + 1)
      .multipliedReportingOverflow(by: header.size.height)
    // A byte of deflate holds at most 1,032: no memory is taken for what cannot be there.
    guard !overflow, count <= Self.largestRows, count / 1032 <= stream.count else { return nil }
    return count
  }

  /// The rows as a chunk whose stream is not compressed (RFC 1951, section 3.2.4).
  private func appendStored() {
    let largest = 65_535
    let blocks = (rows.count + largest - 1) / largest
    append(2 + blocks * 5 + rows.count + 4)
    file += "IDAT".utf8
    file += [0x78, 0x01]
    for block in 0..<blocks {
      let range = block * largest..<min((block + 1) * largest, rows.count)
      let length = UInt16(range.count)
      file.append(block == blocks - 1 ? 1 : 0)
      for word in [length, ~length] {
        file += [UInt8(truncatingIfNeeded: word), UInt8(truncatingIfNeeded: word >> 8)]
      }
      file += rows[range]
    }
    append(InflateHandle.adler32(rows))
    append(0)
  }

  private func appendStream() {
    // Chunks have 31 bits for their length.
    for start in stride(from: 0, to: stream.count, by: 1 << 30) {
      let range = start..<min(start + (1 << 30), stream.count)
      append(range.count)
      file += "IDAT".utf8
      file += stream[range]
      append(0)
    }
  }

  private func append(_ word: Int) {
    for shift in [24, 16, 8, 0] { file.append(UInt8(truncatingIfNeeded: word >> shift)) }
  }
}
#endif
