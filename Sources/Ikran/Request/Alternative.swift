/// Another source of a request's image, for a network that is slow or costs money.
///
/// ```swift
/// request.alternatives = [.below(bytesPerSecond: 200_000, "https://example.org/small.jpg"), .notOnLowData]
/// ```
/// What a cache holds of the request's own source is used all the same.
public enum Alternative: Sendable, Hashable {
  /// On a network where data is to be saved: this URL.
  case onLowData(String)
  /// On a network where data is to be saved: no download at all.
  case notOnLowData
  /// While downloads arrive more slowly than this: this URL. Of several the one with the lowest
  /// number that is still above the measured speed is taken; give the smallest image the lowest.
  case below(bytesPerSecond: Int, String)
}

/// Whether data is to be saved.
public enum LowDataMode: Sendable, Hashable {
  /// When the environment says so: `IKRAN_LOW_DATA=1`.
  case automatic
  /// Now.
  case on
  /// Not now.
  case off
}
