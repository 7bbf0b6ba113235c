import IkranPixels

extension Canvas {
  /// The canvas of a decoder.
  ///
  /// - Throws: ``DecodeError/bitmap(_:)`` without memory.
  static func decoding(
    _ size: PixelSize,
    _ format: PixelFormat,
    zeroed: Bool
  ) throws(DecodeError) -> Canvas {
    do throws(BitmapError) {
      return try Canvas(size: size, format: format, zeroed: zeroed)
    } catch { throw .bitmap(error) }
  }
}
