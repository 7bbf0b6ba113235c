import IkranSystem

/// How fast downloads have arrived lately.
final class SpeedMeter: Sendable {
  /// Fewer bytes tell of latency, not of speed.
  private static let smallestSample = 16 << 10

  private let mean = Guarded<Double?>(nil)

  /// Bytes a second, the last downloads counting most; nil before the first.
  var bytesPerSecond: Int? { mean.withLock { $0.map { Int($0) } } }

  /// Adds a download: its bytes, and the time from its first byte to its last.
  func addSample(bytes: Int, in duration: Duration) {
    let microseconds = duration.microseconds
    guard bytes >= Self.smallestSample, microseconds > 0 else { return }
    let speed = min(Double(bytes) * 1_000_000 / Double(microseconds), 1e12)
    mean.withLock { mean in mean = mean.map { $0 * 0.75 + speed * 0.25 } ?? speed }
  }
}
