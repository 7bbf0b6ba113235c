public import IkranPixels

extension Bitmap {
  /// The pixels as the bytes of an image file that is no larger than a limit.
  ///
  /// A lossy encoding gets the highest quality, up to the one given, whose file fits.
  ///
  /// Cost: as ``encoded(as:)``, and up to eight times more where the given quality takes too much.
  ///
  /// - Parameters:
  ///   - encoding: The format, and the highest quality.
  ///   - maximumBytes: The most bytes of the file.
  /// - Returns: The file.
  /// - Throws: ``EncodeError``: ``EncodeError/overLimit(_:bytes:limit:)`` when a lossless file, or
  ///   one of the lowest quality, is larger.
  public func encoded(
    as encoding: ImageEncoding,
    maximumBytes: Int
  ) throws(EncodeError) -> [UInt8] {
    let finest = try encoded(as: encoding)
    if finest.count <= maximumBytes { return finest }
    var smallest = finest.count
    var best: [UInt8]?
    var qualities = encoding.lowerQualities
    while !qualities.isEmpty {
      // The lowest comes first: when that is too large, so are the others.
      let quality =
        best == nil ? qualities.lowerBound : (qualities.lowerBound + qualities.upperBound) / 2
      let bytes = try encoded(as: encoding.withQuality(quality))
      smallest = min(smallest, bytes.count)
      if bytes.count <= maximumBytes {
        best = bytes
        qualities = quality + 1..<qualities.upperBound
      } else if best == nil {
        break
      } else {
        qualities = qualities.lowerBound..<quality
      }
    }
    guard let best else {
      throw .overLimit(encoding.format, bytes: smallest, limit: maximumBytes)
    }
    return best
  }
}

extension ImageEncoding {
  /// The qualities below this one; none for a lossless encoding.
  fileprivate var lowerQualities: Range<Int> {
    switch self {
    case .jpeg(let quality): 1..<max(1, min(quality, 100))
    case .webp(let quality), .avif(let quality, _, _), .jpegXL(let quality, _):
      0..<max(0, min(quality, 100))
    case .png, .webpLossless, .gif, .bmp, .jpegXLLossless: 0..<0
    }
  }

  fileprivate func withQuality(_ quality: Int) -> ImageEncoding {
    switch self {
    case .jpeg: .jpeg(quality: quality)
    case .webp: .webp(quality: quality)
    case .avif(_, let alphaQuality, let speed):
      .avif(quality: quality, alphaQuality: alphaQuality, speed: speed)
    case .jpegXL(_, let effort): .jpegXL(quality: quality, effort: effort)
    case .png, .webpLossless, .gif, .bmp, .jpegXLLossless: self
    }
  }
}
