public import IkranPixels

/// Why pixels could not be encoded.
public enum EncodeError: Error, Sendable, Hashable {
  /// The format cannot store so long a side.
  case tooLarge(ImageFormat, PixelSize, largestSide: Int)
  /// The smallest file of these pixels is over the limit.
  case overLimit(ImageFormat, bytes: Int, limit: Int)
  /// The format stores one picture, not an animation.
  case noAnimations(ImageFormat)
  /// The encoder failed, with its message.
  case failed(ImageFormat, reason: String)
  /// The pixels could not be converted.
  case bitmap(BitmapError)
}

extension EncodeError: CustomStringConvertible {
  /// One sentence that says what to do.
  public var description: String {
    switch self {
    case .tooLarge(let format, let size, let largest):
      "\(format.title) cannot store \(size) pixels: no side may be over \(largest)"
    case .overLimit(let format, let bytes, let limit):
      """
      the smallest \(format.title) file of these pixels has \(bytes) bytes, over the limit of \(limit): \
      make the picture smaller or choose a lossy format
      """
    case .noAnimations(let format):
      "\(format.title) stores no animations: encode one as GIF, PNG or WebP"
    case .failed(let format, let reason): "the \(format.title) encoder gave up: \(reason)"
    case .bitmap(let error): error.description
    }
  }
}
