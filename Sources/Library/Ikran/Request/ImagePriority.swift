/// How soon a request is wanted; queued work is done highest first, then first come first served.
public enum ImagePriority: Int, Sendable, Hashable, CaseIterable, Comparable {
  /// Work that no caller waits for yet, such as prefetching.
  case low = 0
  /// The default.
  case normal = 1
  /// Images on the screen.
  case high = 2

  /// What it is called in a `Priority` field (RFC 9218, section 4.1); nil for what is meant without
  /// one.
  var urgency: Int? {
    switch self {
    case .low: 5
    case .normal: nil
    case .high: 2
    }
  }

  /// Whether `lhs` is less urgent than `rhs`.
  public static func < (lhs: ImagePriority, rhs: ImagePriority) -> Bool {
    lhs.rawValue < rhs.rawValue
  }
}
