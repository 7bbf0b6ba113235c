/// One look-up in a cache, as a trace has it.
public struct TraceRequest: Sendable, Hashable {
  /// The most bytes a request may say: 64 GiB.
  public static let maximumBytes = 1 << 36

  /// The largest time and cost a request may say: 18 digits.
  public static let maximumTime: Int64 = 999_999_999_999_999_999

  /// When it was made, in microseconds since 1970-01-01 00:00 UTC.
  public let time: Int64
  /// The hash that stands for the key.
  public let key: UInt64
  /// What the value takes in the cache, in bytes; at most ``maximumBytes``.
  public let bytes: Int
  /// What it takes to make the value again, in microseconds; 0 when nobody knows.
  public let cost: Int

  /// Creates a request; what is out of range counts as the nearest in range.
  public init(time: Int64 = 0, key: UInt64, bytes: Int, cost: Int = 0) {
    self.time = min(max(0, time), Self.maximumTime)
    self.key = key
    self.bytes = min(max(0, bytes), Self.maximumBytes)
    self.cost = min(max(0, cost), Int(Self.maximumTime))
  }
}
