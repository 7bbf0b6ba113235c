import IkranPixels

/// Limits over which a file is refused; its header is checked before any allocation.
public struct DecodeLimits: Sendable, Hashable {
  /// The most pixels of one picture.
  public var maximumPixels = 100_000_000
  /// The most pixels of one picture of which a region is decoded row by row, see ``RegionDecoder``:
  /// such pixels take time, but no memory.
  public var maximumStreamedPixels = 1_000_000_000
  /// The longest side in pixels.
  public var maximumDimension = 65_535
  /// The most frames of an animation.
  public var maximumFrames = 10_000
  /// The most pixels of all frames of an animation together, as they are decoded to play it once.
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
  ///   - streamed: What is wanted of a picture whose rows need not all be in memory at once; nil
  ///     when they must.
  /// - Throws: ``DecodeError/overLimit(_:value:limit:)``.
  func check(
    _ info: ImageInfo,
    byteCount: Int,
    streamed: Fitting? = nil
  ) throws(DecodeError) {
    try check(byteCount, .bytes, maximumBytes)
    try check(max(info.size.width, info.size.height), .dimension, maximumDimension)
    let pixels = info.size.pixelCount ?? .max
    if case .region(_, let size)? = streamed {
      try check(pixels, .pixels, max(maximumPixels, maximumStreamedPixels))
      try check(size.pixelCount ?? .max, .pixels, maximumPixels)
    } else {
      try check(pixels, .pixels, maximumPixels)
    }
    try check(info.frames, .frames, maximumFrames)
  }

  /// Refuses a file of too many bytes.
  ///
  /// - Throws: ``DecodeError/overLimit(_:value:limit:)``.
  func check(byteCount: Int) throws(DecodeError) { try check(byteCount, .bytes, maximumBytes) }

  /// Refuses an animation whose frames are over a limit.
  ///
  /// - Throws: ``DecodeError/overLimit(_:value:limit:)``.
  func checkAnimation(_ layouts: [FrameLayout]) throws(DecodeError) {
    try check(layouts.count, .frames, maximumFrames)
    var total = 0
    for layout in layouts where layout.area != nil {
      try check(layout.pixelCount, .pixels, maximumPixels)
      let (sum, overflow) = total.addingReportingOverflow(layout.pixelCount)
      total = overflow ? .max : sum
      try check(total, .animationPixels, maximumAnimationPixels)
    }
  }

  private func check(_ value: Int, _ kind: DecodeLimit, _ limit: Int) throws(DecodeError) {
    guard value <= limit else { throw .overLimit(kind, value: value, limit: limit) }
  }
}

/// One of the limits in ``DecodeLimits``.
public enum DecodeLimit: String, Sendable, Hashable, CaseIterable {
  /// Pixels of one picture.
  case pixels
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
