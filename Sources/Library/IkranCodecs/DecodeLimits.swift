package import IkranPixels

/// Limits over which a file is refused; its header is checked before any allocation.
public struct DecodeLimits: Sendable, Hashable {
  /// The most pixels that one picture takes memory for: those of the result, and apart from them
  /// those that the decoder holds.
  ///
  /// A picture that has no more is never refused for what its decoder holds. Of a larger one count:
  ///
  /// | file | what the decoder holds |
  /// | --- | --- |
  /// | JPEG in one scan, PNG without interlacing, opaque lossy WebP that is reduced | some rows |
  /// | BMP, icons, QOI, Netpbm | some rows |
  /// | progressive JPEG | the coefficients that the size needs, four bytes for a pixel |
  /// | TIFF | the rows of a strip or of a row of tiles; some of a large strip |
  /// | interlaced PNG | two for each square of pixels that becomes one; all where none does |
  /// | GIF | a quarter of the first frame's: a byte for each |
  /// | SVG | no more than the result |
  /// | other JPEG and WebP, AVIF, HEIC, JPEG XL, animations | all |
  public var maximumPixels = 100_000_000
  /// The most pixels that the header of a file may declare where it is decoded without memory for
  /// all of them: such pixels take time alone.
  ///
  /// A larger ``maximumPixels`` raises it.
  public var maximumDeclaredPixels = 1_000_000_000
  /// The longest side in pixels.
  public var maximumDimension = 65_535
  /// The most frames of an animation; pages, of which one is decoded, do not count.
  public var maximumFrames = 10_000
  /// The most pixels that playing an animation once composes at its own size: of each frame those
  /// that are decoded, those of its area again if it is disposed of, and those of the whole canvas,
  /// which are copied.
  ///
  /// Smaller pictures of frames that change little cost far less.
  public var maximumAnimationPixels = 10_000_000_000
  /// The most bytes of a file.
  public var maximumBytes = 256 << 20

  /// The default limits.
  public init() {}

  /// Refuses what a header declares when it is over a limit.
  ///
  /// - Parameters:
  ///   - info: The header.
  ///   - byteCount: Bytes of the file.
  ///   - held: The pixels that the decoder holds at once; nil when these are all.
  /// - Throws: ``DecodeError/overLimit(_:value:limit:)``.
  package func check(
    _ info: ImageInfo,
    byteCount: Int,
    holding held: Int? = nil
  ) throws(DecodeError) {
    try check(byteCount, .bytes, maximumBytes)
    try check(max(info.size.width, info.size.height), .dimension, maximumDimension)
    try checkPixels(of: info.size, holding: held)
    try check(info.isAnimated ? info.frames : 1, .frames, maximumFrames)
  }

  /// Refuses a picture that takes memory for too many pixels, or has too many.
  func checkPixels(of size: PixelSize, holding held: Int?) throws(DecodeError) {
    guard isOver(size) else { return }
    let pixels = size.pixelCount ?? .max
    guard let held else { return try check(pixels, .pixels, maximumPixels) }
    try check(pixels, .declaredPixels, maximumDeclaredPixels)
    try check(held, .pixels, maximumPixels)
  }

  /// Whether a picture must not be held whole.
  func isOver(_ size: PixelSize) -> Bool { size.pixelCount ?? .max > maximumPixels }

  /// Refuses a result that is over the limit.
  package func check(_ plan: RenderPlan) throws(DecodeError) {
    try check(plan.output.pixelCount ?? .max, .pixels, maximumPixels)
  }

  /// Bytes that the coefficients of a progressive picture may take.
  func coefficientBytes(of size: PixelSize) -> Int {
    let most = JPEGHandle.memoryLimit
    return isOver(size) ? min(most, min(maximumPixels, most) * 4) : most
  }

  /// Refuses a file of too many bytes.
  ///
  /// - Throws: ``DecodeError/overLimit(_:value:limit:)``.
  package func check(byteCount: Int) throws(DecodeError) {
    try check(byteCount, .bytes, maximumBytes)
  }

  /// Refuses an animation whose frames are over a limit.
  ///
  /// - Throws: ``DecodeError/overLimit(_:value:limit:)``.
  func checkAnimation(_ layouts: [FrameLayout], on canvas: PixelSize) throws(DecodeError) {
    try check(layouts.count, .frames, maximumFrames)
    let copied = canvas.pixelCount ?? .max
    var total = 0
    for layout in layouts {
      var parts = [copied]
      if let area = layout.area {
        try check(layout.pixelCount, .pixels, maximumPixels)
        parts.append(layout.pixelCount)
        if layout.disposal != .keep { parts.append(area.width * area.height) }
      }
      for part in parts {
        let (sum, overflow) = total.addingReportingOverflow(part)
        total = overflow ? .max : sum
      }
      try check(total, .animationPixels, maximumAnimationPixels)
    }
  }

  /// Refuses an animation whose frames are decoded whole, when they are over a limit.
  ///
  /// - Throws: ``DecodeError/overLimit(_:value:limit:)``.
  package func checkWholeFrames(_ count: Int, of size: PixelSize) throws(DecodeError) {
    try check(count, .frames, maximumFrames)
    let frame = FrameLayout(
      area: FrameArea(left: 0, top: 0, size: size, on: size),
      pixelCount: size.pixelCount ?? .max,
      duration: 0,
      hasAlpha: true,
      isBlended: false
    )
    try checkAnimation([FrameLayout](repeating: frame, count: max(0, count)), on: size)
  }

  private func check(_ value: Int, _ kind: DecodeLimit, _ limit: Int) throws(DecodeError) {
    guard value <= limit else { throw .overLimit(kind, value: value, limit: limit) }
  }
}

/// One of the limits in ``DecodeLimits``.
public enum DecodeLimit: String, Sendable, Hashable, CaseIterable {
  /// Pixels of one picture that take memory.
  case pixels
  /// Pixels that the header of a file declares.
  case declaredPixels
  /// The longer side.
  case dimension
  /// Frames of an animation.
  case frames
  /// Pixels of all frames of an animation together.
  case animationPixels
  /// Bytes of the file.
  case bytes
  /// Bytes of memory a decoder may use for one picture in addition to its result.
  case memory
  /// Scans of a progressive JPEG.
  case scans
}
