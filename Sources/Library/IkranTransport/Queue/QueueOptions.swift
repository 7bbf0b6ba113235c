/// In which order downloads begin, and how many run at once.
///
/// One host gets fewer places than there are in all, so that a slow one delays no other. The
/// defaults are six for a host, as browsers have, and 24 in all.
public struct QueueOptions: Sendable, Hashable {
  /// Which of two equally urgent downloads begins first.
  public enum Order: Sendable, Hashable {
    /// The one that was requested first.
    case firstInFirstOut
    /// The one that was requested last: what came into view last in a fast scroll.
    case lastInFirstOut
  }

  /// The most downloads under way at once, at least 1.
  ///
  /// Downloads of hosts that have been silent for ``maximumSilence`` do not count, up to as many
  /// again.
  public var maximumConcurrent: Int
  /// The most of them from one scheme, host and port, at least 1.
  public var maximumPerHost: Int
  /// Which of two equally urgent downloads begins first.
  public var order: Order
  /// How many downloads may begin in a second; nil is as many as there is room for.
  public var rate: RequestRate?
  /// How long a host may send nothing, while downloads wait for their first byte, before it is
  /// silent.
  ///
  /// Downloads of a silent host give up their places in the total, and another one of that host
  /// begins only after the same time, or when none waits any more. The host's first byte ends that.
  /// With nil no host is silent.
  public var maximumSilence: Duration?

  /// Creates options.
  public init(
    maximumConcurrent: Int = 24,
    maximumPerHost: Int = 6,
    order: Order = .firstInFirstOut,
    rate: RequestRate? = nil,
    maximumSilence: Duration? = .seconds(2)
  ) {
    self.maximumConcurrent = maximumConcurrent
    self.maximumPerHost = maximumPerHost
    self.order = order
    self.rate = rate
    self.maximumSilence = maximumSilence
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
