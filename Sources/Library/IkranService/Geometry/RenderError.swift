import IkranCodecs
import IkranPixels

/// Why a result could not be made of a picture that was loaded.
enum RenderError: Error, Sendable, Hashable {
  /// A picture on the way to the result, or the result, would be over a limit.
  case tooLarge(PixelSize)
  /// Results are not written in this format.
  case cannotWrite(ImageFormat)
  /// Pixels could not be made, as memory ran out.
  case bitmap(BitmapError)
  /// Pixels could not be filtered.
  case filter(FilterError)
  /// The result could not be encoded.
  case encode(EncodeError)
  /// A frame of the animation could not be decoded.
  case decode(DecodeError)
  /// The result is not wanted any more.
  case cancelled
}

extension RenderError {
  /// Runs what makes pixels.
  static func pixels<R>(_ body: () throws(BitmapError) -> R) throws(RenderError) -> R {
    do { return try body() } catch { throw .bitmap(error) }
  }
}

extension RenderError: CustomStringConvertible {
  /// One sentence for the log.
  var description: String {
    switch self {
    case .tooLarge(let size): "a picture of \(size) pixels is over the limits of results"
    case .cannotWrite(let format): "results are not written as \(format.rawValue)"
    case .bitmap(let error): error.description
    case .filter(let error): error.description
    case .encode(let error): error.description
    case .decode(let error): error.description
    case .cancelled: "the result was not wanted any more"
    }
  }
}
