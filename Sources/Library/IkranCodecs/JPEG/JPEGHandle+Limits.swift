import IkranPixels

extension JPEGHandle {
  /// Bytes that libjpeg may allocate: the coefficients of a progressive picture take up to 6 per
  /// pixel.
  static let memoryLimit = 400 << 20
  /// The limit on the estimated time of a picture's scans, data aside, in nanoseconds: five times
  /// that of a usual progressive picture of 20 megapixels, 1.5 times with arithmetic coding; that
  /// of a usual picture where it has more than 100.
  static func workLimit(of size: PixelSize) -> Int {
    max(100_000_000, size.pixelCount ?? 0) * 8
  }
}
