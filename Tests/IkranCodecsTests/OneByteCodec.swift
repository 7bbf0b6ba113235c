import IkranCodecs
import IkranPixels

/// A format of one byte: the side of a clear square.
struct OneByteCodec: Codec {
  static let format = ImageFormat(rawValue: "one-byte")

  var format: ImageFormat { Self.format }

  func recognizes(_ prefix: Span<UInt8>) -> Bool { prefix.count == 1 }

  func probe(_ bytes: Span<UInt8>) throws(DecodeError) -> ImageInfo {
    ImageInfo(format: format, size: PixelSize(width: Int(bytes[0]), height: Int(bytes[0])))
  }

  func decode(
    _ bytes: Span<UInt8>,
    fitting: Fitting,
    rules: DecodeRules,
    workspace: Workspace
  ) throws(DecodeError) -> DecodedPicture {
    do throws(BitmapError) {
      let side = Int(bytes[0])
      let canvas = try Canvas(size: PixelSize(width: side, height: side), format: .bgra)
      return DecodedPicture(bitmap: canvas.finish())
    } catch { throw .bitmap(error) }
  }
}
