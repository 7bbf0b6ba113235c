#if CLibraries
import CWebP
import IkranPixels

/// Writes WebP with libwebp.
enum WebPWriter {
  /// Lossy of `quality` 0…100, lossless when that is nil.
  static func encode(_ bitmap: Bitmap, quality: Int?) throws(EncodeError) -> [UInt8] {
    let config = try configuration(quality: quality)
    var picture = WebPPicture()
    guard WebPPictureInit(&picture) != 0 else { throw failure("another version of libwebp") }
    defer { WebPPictureFree(&picture) }
    picture.use_argb = config.lossless
    try load(bitmap, into: &picture)
    return try write(&picture, config)
  }

  /// Encodes pixels whose colours are not premultiplied, whatever their format says; those of clear
  /// ones stay, too, where nothing is lost.
  static func encode(straight bitmap: Bitmap, quality: Int?) throws(EncodeError) -> [UInt8] {
    var config = try configuration(quality: quality)
    config.exact = quality == nil ? 1 : 0
    var picture = WebPPicture()
    guard WebPPictureInit(&picture) != 0 else { throw failure("another version of libwebp") }
    defer { WebPPictureFree(&picture) }
    picture.use_argb = config.lossless
    picture.width = CInt(bitmap.width)
    picture.height = CInt(bitmap.height)
    let isImported = bitmap.withUnsafeBytes { bytes in
      let pixels = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
      return WebPPictureImportBGRA(&picture, pixels, CInt(clamping: bitmap.bytesPerRow))
    }
    guard isImported != 0 else { throw .bitmap(.outOfMemory(bytes: bitmap.byteCount)) }
    return try write(&picture, config)
  }

  /// Copies the pixels of a bitmap to a picture without pixels.
  static func load(_ bitmap: Bitmap, into picture: inout WebPPicture) throws(EncodeError) {
    let pixels: [UInt8]
    do throws(BitmapError) { pixels = try bitmap.straightRGBA() } catch { throw .bitmap(error) }
    picture.width = CInt(bitmap.width)
    picture.height = CInt(bitmap.height)
    let stride = CInt(bitmap.width * 4)
    let isImported = pixels.withUnsafeBufferPointer { pixels in
      bitmap.format.hasAlpha
        ? WebPPictureImportRGBA(&picture, pixels.baseAddress, stride)
        : WebPPictureImportRGBX(&picture, pixels.baseAddress, stride)
    }
    guard isImported != 0 else { throw .bitmap(.outOfMemory(bytes: pixels.count)) }
  }

  /// Settings for a lossy quality, or if that is nil for lossless files of a level 0…9 of effort.
  static func configuration(
    quality: Int?,
    losslessLevel: CInt = 6
  ) throws(EncodeError) -> WebPConfig {
    var config = WebPConfig()
    guard WebPConfigInit(&config) != 0 else { throw failure("another version of libwebp") }
    if let quality {
      config.quality = Float(min(max(quality, 0), 100))
    } else {
      guard WebPConfigLosslessPreset(&config, losslessLevel) != 0 else {
        throw failure("no such preset")
      }
    }
    return config
  }

  /// `WebPEncode` to growing memory.
  private static func write(
    _ picture: inout WebPPicture,
    _ config: WebPConfig
  ) throws(EncodeError) -> [UInt8] {
    var config = config
    var writer = WebPMemoryWriter()
    WebPMemoryWriterInit(&writer)
    defer { WebPMemoryWriterClear(&writer) }
    let status = withUnsafeMutablePointer(to: &writer) { writer in
      picture.writer = WebPMemoryWrite
      picture.custom_ptr = UnsafeMutableRawPointer(writer)
      return WebPEncode(&config, &picture)
    }
    guard status != 0 else { throw failure("libwebp error \(picture.error_code.rawValue)") }
    return [UInt8](UnsafeBufferPointer(start: writer.mem, count: writer.size))
  }

  static func failure(_ reason: String) -> EncodeError { .failed(.webp, reason: reason) }
}
#endif
