import CoreGraphics
import Foundation
import IkranApple
public import IkranCodecs
public import IkranPixels
import ImageIO

/// A format that ImageIO encodes pixels in, with its settings.
public enum ImageIOEncoding: Sendable, Hashable {
  /// HEIC of the given quality, 0…100, with alpha.
  ///
  /// Not every device has an encoder for it.
  case heic(quality: Int = 80)
  /// JPEG of the given quality, 0…100; alpha is composed over white.
  case jpeg(quality: Int = 85)

  /// The format of the files this writes.
  public var format: ImageFormat {
    switch self {
    case .heic: .heic
    case .jpeg: .jpeg
    }
  }

  fileprivate var quality: Int {
    switch self {
    case .heic(let quality), .jpeg(let quality): quality
    }
  }
}

extension Bitmap {
  /// The pixels as the bytes of an image file that ImageIO writes, with their profile if they have
  /// one.
  ///
  /// Cost: the pixels are not copied but for ``/IkranPixels/PixelFormat/bgr``, and for JPEG where
  /// they have alpha; the file is, once.
  ///
  /// - Throws: ``/IkranCodecs/EncodeError`` when this system has no encoder for the format, or it
  ///   gave up, or memory runs out.
  public func encodedByImageIO(as encoding: ImageIOEncoding) throws(EncodeError) -> [UInt8] {
    let format = encoding.format
    var picture = self
    if encoding.format == .jpeg {
      do throws(BitmapError) {
        picture = try flattened(over: .white)
      } catch {
        throw .bitmap(error)
      }
    }
    guard let image = picture.cgImage, let type = ImageIOType(encoding: format) else {
      throw .bitmap(.outOfMemory(bytes: byteCount))
    }
    let name = NSString(string: type.identifier) as CFString
    guard let file = CFDataCreateMutable(nil, 0),
      let destination = CGImageDestinationCreateWithData(file, name, 1, nil)
    else { throw .failed(format, reason: "this system has no encoder for it") }
    let options = ImageIOOptions.encoding(quality: encoding.quality)
    CGImageDestinationAddImage(destination, image, options.dictionary)
    guard CGImageDestinationFinalize(destination) else {
      throw .failed(format, reason: "ImageIO could not write the file")
    }
    return [UInt8](
      UnsafeBufferPointer(start: CFDataGetBytePtr(file), count: CFDataGetLength(file))
    )
  }
}
