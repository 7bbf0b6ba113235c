/// How scarce memory is.
public enum MemoryPressure: Int, Sendable, Hashable, Comparable {
  /// Some tasks wait for memory: release what is cheap to recompute.
  case warning = 1
  /// All tasks wait for memory, or the next allocation may fail: release everything that is not in
  /// use.
  case critical = 2

  /// Whether `lhs` is less urgent.
  public static func < (lhs: MemoryPressure, rhs: MemoryPressure) -> Bool {
    lhs.rawValue < rhs.rawValue
  }
}
