import IkranPixels

/// A frame chunk: where the frame is drawn, and its data (RFC 9649, section 2.7.1.1).
struct WebPFrameHeader: Sendable {
  let size: PixelSize
  let layout: FrameLayout
  /// Its chunks of alpha and pixels, which are a WebP picture without the file's header.
  let picture: Range<Int>
  /// Whether the pixels are coded without loss; they may then store any alpha and not use it.
  let isLossless: Bool

  /// Reads the frame chunk whose body, wholly in the bytes, is `body`.
  ///
  /// - Throws: ``DecodeError/malformed(_:offset:reason:)``.
  init(
    _ bytes: Span<UInt8>,
    _ body: Range<Int>,
    on canvas: PixelSize
  ) throws(DecodeError) {
    let start = body.lowerBound
    guard body.count >= 16, let x = bytes.littleEndian24(at: start),
      let y = bytes.littleEndian24(at: start + 3), let width = bytes.littleEndian24(at: start + 6),
      let height = bytes.littleEndian24(at: start + 9),
      let duration = bytes.littleEndian24(at: start + 12), let flags = bytes.byte(at: start + 15)
    else { throw .malformed(.webp, offset: start, reason: "a frame has no header") }
    size = PixelSize(width: width + 1, height: height + 1)
    guard x * 2 + size.width <= canvas.width, y * 2 + size.height <= canvas.height,
      let area = FrameArea(left: x * 2, top: y * 2, size: size, on: canvas)
    else { throw .malformed(.webp, offset: start, reason: "a frame lies outside the canvas") }
    let data = try Self.findPicture(bytes, start + 16..<body.upperBound)
    picture = data.range
    isLossless = data.isLossless
    layout = FrameLayout(
      area: area,
      pixelCount: area.width * area.height,
      duration: duration,
      disposal: flags & 1 == 0 ? .keep : .clear,
      hasAlpha: data.hasAlpha,
      isBlended: flags & 2 == 0
    )
  }

  /// Finds the chunk of pixels, and that of alpha before it.
  private static func findPicture(
    _ bytes: Span<UInt8>,
    _ body: Range<Int>
  ) throws(DecodeError) -> (range: Range<Int>, isLossless: Bool, hasAlpha: Bool) {
    var offset = body.lowerBound
    var alphaStart: Int?
    while offset + 8 <= body.upperBound, let length = bytes.littleEndian32(at: offset + 4) {
      let end = offset + 8 + length
      guard end <= body.upperBound else { break }
      if bytes.has("VP8L", at: offset) {
        let usesAlpha = bytes.littleEndian32(at: offset + 9).map { $0 >> 28 & 1 != 0 }
        return (offset..<end, true, usesAlpha ?? true)
      }
      if bytes.has("VP8 ", at: offset) {
        return ((alphaStart ?? offset)..<end, false, alphaStart != nil)
      }
      if bytes.has("ALPH", at: offset) { alphaStart = offset }
      offset = end + length & 1
    }
    throw .malformed(.webp, offset: body.lowerBound, reason: "a frame has no picture")
  }
}
