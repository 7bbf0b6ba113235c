package import IkranPixels

/// Writes an animated file, one composed frame after the other.
///
/// Memory: the file as it grows, the frame before, and copies of the two frames in work: at most
/// five times the pixels of a frame, four bytes each.
package final class AnimationEncoder {
  /// The most frames a file stores.
  static let maximumFrames = 1 << 24

  private let encoding: ImageEncoding
  private let size: PixelSize
  private let writer: any FrameWriter
  private var frames = 0

  /// Begins a file.
  ///
  /// - Parameters:
  ///   - encoding: The format and its settings.
  ///   - size: Width and height of every frame, in pixels.
  ///   - plays: How often the animation plays, at least 1; nil is for ever. A larger number than
  ///     the format stores becomes the largest.
  ///   - hasAlpha: Whether frames may be transparent. If not, PNG frames with alpha are composed
  ///     over black, and soft edges in lossy WebP become harder; the other formats need not be
  ///     told.
  /// - Throws: ``EncodeError`` when the format cannot store the size, or no animation at all.
  package init(
    _ encoding: ImageEncoding,
    size: PixelSize,
    plays: Int?,
    hasAlpha: Bool = true
  ) throws(EncodeError) {
    try encoding.check(size)
    guard size.isPositive, size.pixelCount != nil else { throw .bitmap(.invalidSize(size)) }
    (self.encoding, self.size) = (encoding, size)
    let plays = plays.map { max(1, $0) }
    switch encoding {
    case .png: writer = PNGFrameWriter(size, plays: plays, hasAlpha: hasAlpha)
    case .gif: writer = GIFFrameWriter(size, plays: plays)
    case .webp(let quality):
      writer = try WebPFrameWriter(size, plays: plays, quality: quality, hasAlpha: hasAlpha)
    case .webpLossless:
      writer = try WebPFrameWriter(size, plays: plays, quality: nil, hasAlpha: hasAlpha)
    case .jpegXL, .jpegXLLossless:
      let canvas = JXLCanvas(size: size, hasAlpha: hasAlpha, plays: plays ?? 0)
      writer = try JXLWriter.frames(canvas, JXLSettings(encoding))
    case .jpeg, .avif, .bmp: throw .noAnimations(encoding.format)
    }
  }

  /// Adds a picture of the whole canvas.
  ///
  /// GIF rounds durations to hundredths of a second, carries what is over to the next frame, and
  /// stores no less than 20 ms, as browsers ask.
  ///
  /// - Parameters:
  ///   - frame: A picture of the encoder's size.
  ///   - duration: How long it is shown, in milliseconds, at least 1.
  /// - Throws: ``EncodeError``; the encoder is then of no more use.
  package func add(_ frame: Bitmap, duration: Int) throws(EncodeError) {
    guard frame.size == size else {
      let reason = "frame \(frames) is \(frame.size) pixels, not \(size)"
      throw .failed(encoding.format, reason: reason)
    }
    guard frames < Self.maximumFrames else {
      throw .failed(encoding.format, reason: "it has more than \(Self.maximumFrames) frames")
    }
    try writer.add(frame, duration: max(1, duration))
    frames += 1
  }

  /// Ends the file, once.
  ///
  /// - Returns: The bytes of the file.
  /// - Throws: ``EncodeError``, also when no frame was added.
  package func finish() throws(EncodeError) -> [UInt8] {
    guard frames > 0 else { throw .failed(encoding.format, reason: "it has no frame") }
    return try writer.finish()
  }
}

/// Writes the frames of one format.
protocol FrameWriter: AnyObject {
  /// Adds a picture of the whole canvas that is shown for `duration` milliseconds.
  func add(_ frame: Bitmap, duration: Int) throws(EncodeError)

  /// Ends a file of at least one frame, and returns its bytes.
  func finish() throws(EncodeError) -> [UInt8]
}
