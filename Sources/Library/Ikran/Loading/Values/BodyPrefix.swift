import IkranCodecs
import IkranPixels

/// A body of which only the beginning has arrived, as far as it is known.
struct BodyPrefix: Sendable {
  let jpeg: JPEGPrefix
  /// A strong validator of the whole.
  let validator: String
  /// The length of the whole in bytes, when it is known.
  let total: Int?

  /// Whether it is enough for a request.
  func isEnough(for need: FileNeed) -> Bool {
    switch need {
    case .pixels(let fitting): isEnough(for: fitting)
    case .bytes(let needed): total != nil && needed(jpeg.info).map(isEnough) ?? false
    }
  }

  /// Whether it is enough for the pixels that `fitting` describes.
  func isEnough(for fitting: Fitting) -> Bool { jpeg.sufficientByteCount(for: fitting) != nil }
}
