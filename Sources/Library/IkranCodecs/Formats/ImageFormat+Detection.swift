import IkranPixels

extension ImageFormat {
  /// The most bytes of a file that `init(of:)` reads: its first 64 KiB.
  public static let longestSignature = 65_536

  /// Detects the format of the file that starts with `prefix`, by its bytes alone.
  ///
  /// Twelve bytes are enough for JPEG, PNG, WebP, GIF, JPEG XL, JPEG 2000 and TIFF, 4,096 for all
  /// files that programs usually write. More help with an SVG image that has a long comment before
  /// its root element, and with a raw file whose first directory comes late, which is ``tiff``
  /// without it. Bytes after ``longestSignature`` are not read.
  ///
  /// Cost: reads a few bytes; of text and of TIFF files up to ``longestSignature``.
  ///
  /// It is nil when the bytes match no known format, or are too few to tell.
  ///
  /// - Parameter prefix: The file or its first bytes, of any length.
  public init?(of prefix: Span<UInt8>) {
    guard let format = Sniffer.format(of: prefix) else { return nil }
    self = format
  }

  /// Detects the format of the file that starts with `prefix`, as `init(of:)` for a `Span`.
  ///
  /// It is nil when the bytes match no known format, or are too few to tell.
  ///
  /// - Parameter prefix: The file or its first bytes, of any length.
  public init?(of prefix: [UInt8]) { self.init(of: prefix.span) }
}
