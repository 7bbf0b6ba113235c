/// Another source of a request's image, for a network that is slow or costs money.
///
/// ```swift
/// request.transfer.alternatives = [.below(bytesPerSecond: 200_000, "https://example.org/small.jpg"), .notOnLowData]
/// ```
/// Images of the request's own source that memory or a table has are used all the same, and those
/// on the disk on a network where data is to be saved, however old they are. Another origin gets no
/// credentials.
public enum Alternative: Sendable, Hashable {
  /// On a network where data is to be saved: this URL.
  case onLowData(String)
  /// On a network where data is to be saved: no download at all.
  case notOnLowData
  /// While downloads arrive more slowly than this: this URL. The lowest of several
  /// numbers above the measured speed is taken; give the smallest image the lowest.
  case below(bytesPerSecond: Int, String)

  /// Whether it depends on what the network costs.
  var isForLowData: Bool {
    switch self {
    case .onLowData, .notOnLowData: true
    case .below: false
    }
  }
}

/// Whether data is to be saved.
public enum LowDataMode: Sendable, Hashable {
  /// When the environment says so (`IKRAN_LOW_DATA` is `1`; with `0` it is not), or else when the
  /// system calls the network metered.
  ///
  /// NetworkManager is asked through GIO, or in a sandbox the portal; where they are not there no
  /// network is metered. They are asked by the first request that would do something else, which
  /// does not wait for the result, and again by requests that come ten seconds later or more: after
  /// a change of network the first request is still decided by the older result.
  case automatic
  /// Now.
  case on
  /// Not now.
  case off
}
