/// One look-up of a trace.
public struct TraceRequest: Sendable, Hashable {
  /// The largest size of a value: 64 GiB.
  public static let maximumBytes = 1 << 36

  /// The largest time and cost: 18 digits.
  public static let maximumTime: Int64 = 999_999_999_999_999_999

  /// The time of the look-up, in microseconds since 1970-01-01 00:00 UTC.
  public let time: Int64
  /// The hash of the key.
  public let key: UInt64
  /// The value's size in the cache, in bytes; at most ``maximumBytes``.
  public let bytes: Int
  /// The microseconds to compute the value again; 0 if unknown.
  public let cost: Int

  /// Creates a request; numbers out of range are clamped.
  public init(time: Int64 = 0, key: UInt64, bytes: Int, cost: Int = 0) {
    self.time = min(max(0, time), Self.maximumTime)
    self.key = key
    self.bytes = min(max(0, bytes), Self.maximumBytes)
    self.cost = min(max(0, cost), Int(Self.maximumTime))
  }
}
