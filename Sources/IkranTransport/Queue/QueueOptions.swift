/// In which order downloads begin, and how many run at once.
public struct QueueOptions: Sendable, Hashable {
  /// Which of two equally urgent downloads begins first.
  public enum Order: Sendable, Hashable {
    /// The one that was requested first.
    case firstInFirstOut
    /// The one that was requested last: what came into view last in a fast scroll.
    case lastInFirstOut
  }

  /// The most downloads under way at once, at least 1.
  public var maximumConcurrent: Int
  /// The most of them from one scheme, host and port, at least 1.
  public var maximumPerHost: Int
  /// Which of two equally urgent downloads begins first.
  public var order: Order
  /// How many downloads may begin in a second; nil is as many as there is room for.
  public var rate: RequestRate?

  /// Creates options.
  public init(
    maximumConcurrent: Int = 6,
    maximumPerHost: Int = 6,
    order: Order = .firstInFirstOut,
    rate: RequestRate? = nil
  ) {
    self.maximumConcurrent = maximumConcurrent
    self.maximumPerHost = maximumPerHost
    self.order = order
    self.rate = rate
  }
}

/// A token bucket: a fast scroll may start a burst of downloads, then so many a second.
public struct RequestRate: Sendable, Hashable {
  /// Downloads a second in the long run, above 0.
  public var perSecond: Double
  /// Downloads that may begin at once after a quiet time, at least 1.
  public var burst: Int

  /// Creates a rate.
  public init(perSecond: Double, burst: Int) {
    self.perSecond = perSecond
    self.burst = burst
  }
}
