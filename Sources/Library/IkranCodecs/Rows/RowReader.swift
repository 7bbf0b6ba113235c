import IkranPixels

/// Reads the rows of one picture, top to bottom.
///
/// Decoding is the same for every format that is read row by row, see
/// ``decode(_:fitting:rules:workspace:)``: a codec brings a reader and nothing else.
protocol RowReader {
  /// What the headers say.
  var info: ImageInfo { get }
  /// Whether any pixel may be transparent; it may be known better after
  /// ``begin(_:limits:)`` than from the headers.
  var hasAlpha: Bool { get }
  /// What the file says of its colours; of most formats nothing.
  var colors: FileColors { get }
  /// Whether the file has the lowest row first.
  var isBottomUp: Bool { get }

  /// Prepares for rows, once the headers are found to be within the limits.
  ///
  /// - Throws: ``DecodeError`` for data over the limits or broken as a whole.
  mutating func begin(_ bytes: Span<UInt8>, limits: DecodeLimits) throws(DecodeError)

  /// Reads row `y`, counted from the top: one word for each pixel, see
  /// `UInt32.init(red:green:blue:alpha:)`.
  ///
  /// Rows come in order; those before the first, and those after the last that is needed, are left
  /// out.
  ///
  /// - Parameters:
  ///   - y: The row.
  ///   - bytes: The file.
  ///   - pixels: As many words as the picture is wide, all of which are set. Alpha is straight, 255
  ///     in a picture without.
  /// - Throws: ``DecodeError/truncated(_:offset:)`` when the bytes end before the row does, now and
  ///   for the same row again; other cases of ``DecodeError`` for damage.
  mutating func read(
    row y: Int,
    of bytes: Span<UInt8>,
    into pixels: inout [UInt32]
  ) throws(DecodeError)
}

extension RowReader {
  var hasAlpha: Bool { info.hasAlpha }
  var colors: FileColors { FileColors() }
  var isBottomUp: Bool { false }
  mutating func begin(_ bytes: Span<UInt8>, limits: DecodeLimits) throws(DecodeError) {}
}

extension UInt32 {
  /// A pixel: blue, green, red and straight alpha, the lowest byte first.
  init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
    self = UInt32(alpha) << 24 | UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue)
  }
}
