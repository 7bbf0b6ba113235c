import IkranPixels

/// Draws the frames of an animated PNG: each becomes a PNG file of one picture, which libpng reads.
final class PNGPainter: FramePainter {
  private let bytes: [UInt8]
  private let list: PNGFrameList
  /// The file of the frame that was drawn last.
  private var file: [UInt8] = []
  private var scratch = FrameScratch()

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
    var offset = header.chunks.lowerBound
    while offset < header.chunks.upperBound, let length = bytes.span.bigEndian32(at: offset) {
      let chunk = offset..<offset + 12 + length
      guard chunk.upperBound <= header.chunks.upperBound else { break }
      if bytes.span.has("fdAT", at: offset + 4) {
        try PNGHandle.check(bytes.span, chunk)
        append(length - 4)
        file += "IDAT".utf8
        file += bytes[offset + 12..<chunk.upperBound]
      } else if bytes.span.has("IDAT", at: offset + 4) {
        try PNGHandle.check(bytes.span, chunk)
        file += bytes[chunk]
      }
      offset = chunk.upperBound
    }
  }

  private func append(_ word: Int) {
    for shift in [24, 16, 8, 0] { file.append(UInt8(truncatingIfNeeded: word >> shift)) }
  }
}
