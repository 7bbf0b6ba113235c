#if AVIF || HEIC
import IkranPixels

extension Bitmap {
  /// The mean difference of pixels, each by its most different channel.
  func meanDifference(to other: Bitmap) -> Double {
    guard size == other.size else { return .infinity }
    let pairs = zip(pixels.joined(), other.pixels.joined())
    return Double(pairs.reduce(0) { $0 + $1.0.distance(to: $1.1) }) / Double(width * height)
  }
}
#endif
