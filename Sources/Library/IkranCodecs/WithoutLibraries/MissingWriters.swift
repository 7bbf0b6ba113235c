#if !CLibraries
import IkranPixels

/// Refuses to write JPEG, which libjpeg would do.
final class JPEGWriterHandle: RowWriter {
  private static let refusal = EncodeError.failed(.jpeg, reason: "this build does not write JPEG")

  init(_ size: PixelSize, _ colors: RowColors, quality: Int) throws(EncodeError) {
    throw Self.refusal
  }

  static func encode(_ bitmap: Bitmap, quality: Int) throws(EncodeError) -> [UInt8] {
    throw refusal
  }

  func begin() throws(EncodeError) { throw Self.refusal }

  func append(_ row: UnsafeRawBufferPointer) throws(EncodeError) { throw Self.refusal }

  func finish() throws(EncodeError) -> [UInt8] { throw Self.refusal }
}

/// Refuses to write WebP, which libwebp would do.
enum WebPWriter {
  fileprivate static let refusal =
    EncodeError.failed(.webp, reason: "this build does not write WebP")

  static func encode(_ bitmap: Bitmap, quality: Int?) throws(EncodeError) -> [UInt8] {
    throw refusal
  }

  static func encode(straight bitmap: Bitmap, quality: Int?) throws(EncodeError) -> [UInt8] {
    throw refusal
  }
}

/// Refuses to write animated WebP, which libwebpmux would do.
final class WebPFrameWriter: FrameWriter {
  init(
    _ size: PixelSize,
    plays: Int?,
    quality: Int?,
    hasAlpha: Bool
  ) throws(EncodeError) { throw WebPWriter.refusal }

  func add(_ frame: Bitmap, duration: Int) throws(EncodeError) { throw WebPWriter.refusal }

  func finish() throws(EncodeError) -> [UInt8] { throw WebPWriter.refusal }
}
#endif
