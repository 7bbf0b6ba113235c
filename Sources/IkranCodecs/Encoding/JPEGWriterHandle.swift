import CIkranCodecs
import IkranPixels

/// Writes JPEG with libjpeg-turbo.
enum JPEGWriterHandle {
  static func encode(_ bitmap: Bitmap, quality: Int) throws(EncodeError) -> [UInt8] {
    switch bitmap.format {
    case .gray: return try write(bitmap, channels: 1, quality)
    case .bgrx: return try write(bitmap, channels: 4, quality)
    case .bgr, .bgr555:
      let converted: Bitmap
      do throws(BitmapError) {
        converted = try bitmap.converted(to: .bgrx)
      } catch { throw .bitmap(error) }
      return try write(converted, channels: 4, quality)
    case .bgra: return try write(overWhite(bitmap), channels: 4, quality)
    }
  }

  /// Composes over white: premultiplied colours only need 255 - alpha added.
  private static func overWhite(_ bitmap: Bitmap) throws(EncodeError) -> Bitmap {
    var canvas: Canvas
    do throws(BitmapError) {
      canvas = try Canvas(size: bitmap.size, format: .bgrx, zeroed: false)
    } catch { throw .bitmap(error) }
    let bytesPerRow = canvas.bytesPerRow
    canvas.withUnsafeMutableBytes { target in
      bitmap.withUnsafeBytes { source in
        for y in 0..<bitmap.height {
          var from = y * bitmap.bytesPerRow
          var to = y * bytesPerRow
          for _ in 0..<bitmap.width {
            let white = 255 - source[from + 3]
            for channel in 0..<3 {
              // A colour above its alpha is not premultiplied; it must not overflow either.
              target[to + channel] = UInt8(clamping: Int(source[from + channel]) + Int(white))
            }
            target[to + 3] = 255
            from += 4
            to += 4
          }
        }
      }
    }
    return canvas.finish()
  }

  private static func write(
    _ bitmap: Bitmap,
    channels: CInt,
    _ quality: Int
  ) throws(EncodeError) -> [UInt8] {
    try bitmap.withUnsafeBytes { (bytes) throws(EncodeError) in
      let picture = try ikran_picture(bytes, bytesPerRow: bitmap.bytesPerRow, bitmap.size)
      var fault = ikran_fault()
      var count = 0
      let clamped = CInt(min(max(quality, 1), 100))
      let file = ikran_jpeg_write(picture, channels, clamped, &count, &fault)
      return try [UInt8](takingOver: file, count: count, fault, .jpeg)
    }
  }
}
