/// How neighbouring pixels are weighted when an image changes size.
///
/// Both widen with the reduction, so that every source pixel contributes and nothing aliases.
package enum ResamplingFilter: Sendable, Hashable {
  /// Windowed sinc over three lobes: sharp, for photos.
  case lanczos3
  /// Box filter: each result is the mean of its area, without over- or undershoot.
  case area
}
