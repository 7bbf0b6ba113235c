import IkranPixels

/// A frame's control chunk, and where its data is (PNG 3rd edition, section 11.3.6).
struct PNGFrameHeader: Sendable {
  let size: PixelSize
  let layout: FrameLayout
  /// The chunks with its data; there may be others between them.
  var chunks: Range<Int>

  /// Reads the control chunk that begins at `offset`.
  ///
  /// - Throws: ``DecodeError/malformed(_:offset:reason:)`` when it breaks a rule.
  init(
    _ bytes: Span<UInt8>,
    at offset: Int,
    on canvas: ImageInfo
  ) throws(DecodeError) {
    let body = offset + 8
    guard bytes.bigEndian32(at: offset) == 26, let width = bytes.bigEndian32(at: body + 4),
      let height = bytes.bigEndian32(at: body + 8), let left = bytes.bigEndian32(at: body + 12),
      let top = bytes.bigEndian32(at: body + 16), let delay = PNGHeader.delay(bytes, at: body + 20),
      let disposal = bytes.byte(at: body + 24), let blend = bytes.byte(at: body + 25)
    else {
      throw .malformed(.png, offset: offset, reason: "a frame control chunk does not have 26 bytes")
    }
    // Four values below 2³² each, so their sums fit.
    let size = PixelSize(width: width, height: height)
    guard size.isPositive, left + width <= canvas.size.width, top + height <= canvas.size.height,
      let area = FrameArea(left: left, top: top, size: size, on: canvas.size)
    else {
      throw .malformed(.png, offset: offset, reason: "a frame of \(size) is not on the canvas")
    }
    guard disposal <= 2, blend <= 1 else {
      let reason = "a frame is disposed of by \(disposal) and blended by \(blend)"
      throw .malformed(.png, offset: offset, reason: reason)
    }
    self.size = size
    layout = FrameLayout(
      area: area,
      pixelCount: area.width * area.height,
      duration: delay,
      disposal: [.keep, .clear, .restore][Int(disposal)],
      hasAlpha: canvas.hasAlpha,
      isBlended: blend == 1
    )
    chunks = 0..<0
  }
}
