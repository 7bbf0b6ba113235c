/// How neighbouring pixels are weighed when an image changes size.
///
/// Both widen with the reduction, so that every source pixel counts and nothing aliases.
public enum ResamplingFilter: Sendable, Hashable {
  /// Windowed sinc over three lobes: sharp, for photos.
  case lanczos3
  /// Each result is the mean of exactly the area it stands for: never over- or undershoots.
  case area
}
