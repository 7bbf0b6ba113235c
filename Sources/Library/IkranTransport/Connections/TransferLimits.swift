/// How many connections ``CurlTransport`` has.
public struct ConnectionLimits: Sendable, Hashable {
  /// Connections to one host and port at a time; more transfers wait their turn.
  public var perHost: Int
  /// Transfers at a time to one host that speaks HTTP/2, where they share a connection.
  public var streamsPerHost: Int
  /// Transfers at a time in all, and connections in all with the idle ones kept for reuse.
  public var total: Int

  /// Creates limits; numbers under 1 count as 1.
  public init(perHost: Int = 6, streamsPerHost: Int = 64, total: Int = 64) {
    self.perHost = perHost
    self.streamsPerHost = streamsPerHost
    self.total = total
  }
}

/// What ends a transfer of ``CurlTransport``, next to the limits of its request.
public struct TransferLimits: Sendable, Hashable {
  /// Redirects that one transfer follows; a negative number is none.
  ///
  /// More end it with ``TransportError/tooManyRedirects(limit:)``. A pipeline follows 20 at most.
  public var maximumRedirects: Int
  /// Bytes of all headers of one transfer, those of redirects and interim responses included.
  ///
  /// More end it with ``TransportError/headersTooLarge(limit:)``. libcurl has limits of its own,
  /// about 100 KB for one line and 300 KB for all.
  public var maximumHeaderBytes: Int
  /// A slower transfer ends with ``TransportError/tooSlow(_:)``; nil lets it take its time.
  public var minimumSpeed: MinimumSpeed?

  /// Creates limits; 20 redirects are what browsers follow, and the default speed is 100 bytes a
  /// second over 15 seconds.
  public init(
    maximumRedirects: Int = 20,
    maximumHeaderBytes: Int = 256 << 10,
    minimumSpeed: MinimumSpeed? = MinimumSpeed(bytesPerSecond: 100, over: .seconds(15))
  ) {
    self.maximumRedirects = maximumRedirects
    self.maximumHeaderBytes = maximumHeaderBytes
    self.minimumSpeed = minimumSpeed
  }
}

/// The speed below which a transfer is given up.
///
/// The wait for the response's first byte counts as well: a server that is silent for longer than
/// ``duration`` is too slow.
public struct MinimumSpeed: Sendable, Hashable {
  /// Bytes a second, at least 1.
  public var bytesPerSecond: Int
  /// How long the speed must stay below; whole seconds, rounded up, at least 1.
  public var duration: Duration

  /// Creates a speed.
  public init(bytesPerSecond: Int, over duration: Duration) {
    self.bytesPerSecond = bytesPerSecond
    self.duration = duration
  }
}
