/// The cache in which a prefetched image is kept for later requests.
public enum PrefetchDestination: Sendable, Hashable {
  /// In memory, styled, where a request finds it at once; an image that a table has stays there.
  case memory
  /// On the disk, as downloaded and not decoded.
  ///
  /// Local files and data that comes with a request are skipped, and so is everything when the
  /// pipeline has no disk cache.
  case disk
  /// In an image table, its pages read from the disk; what no table keeps stays in memory.
  case table
}

/// How a prefetcher works.
public struct PrefetchOptions: Sendable, Hashable {
  /// Where images are kept.
  public var destination: PrefetchDestination
  /// The most images under way at once, at least 1.
  public var maximumConcurrent: Int
  /// How soon the images are wanted, in place of what the requests say; another request
  /// for the same image raises it.
  public var priority: ImagePriority

  /// Creates options.
  public init(
    destination: PrefetchDestination = .memory,
    maximumConcurrent: Int = 3,
    priority: ImagePriority = .low
  ) {
    self.destination = destination
    self.maximumConcurrent = maximumConcurrent
    self.priority = priority
  }
}

/// The outcomes of a list's requests so far.
public struct PrefetchProgress: Sendable, Hashable {
  /// The requests of the list.
  public let total: Int
  /// Images that had to be downloaded or made.
  public internal(set) var fetched = 0
  /// Images that were there already, or that cannot be kept where they should.
  public internal(set) var skipped = 0
  /// Images that failed.
  public internal(set) var failed = 0
  /// Images that were cancelled.
  public internal(set) var cancelled = 0
  /// Why images failed: the last sixteen errors, in order.
  public private(set) var lastErrors: [ImageError] = []

  /// The requests that are done with, in one way or another.
  public var finished: Int { fetched + skipped + failed + cancelled }
  /// Whether all requests are done with.
  public var isFinished: Bool { finished == total }

  init(total: Int) { self.total = total }

  mutating func add(_ error: ImageError) {
    failed += 1
    if lastErrors.count == 16 { lastErrors.removeFirst() }
    lastErrors.append(error)
  }
}
