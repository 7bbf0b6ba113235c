/// The hits of a policy on a trace.
public struct SimulationResult: Sendable, Hashable {
  /// The policy.
  public let policy: EvictionPolicy
  /// The most bytes the cache held.
  public let byteLimit: Int
  /// The look-ups.
  public let requests: Int
  /// The look-ups that found a value; for ``EvictionPolicy/belady``, at least those of any policy.
  public let hits: Int
  /// The bytes looked up.
  public let bytes: Int
  /// The bytes found; for ``EvictionPolicy/belady``, at least those of any policy.
  public let hitBytes: Int

  /// The share of look-ups that found a value, from 0 to 1.
  public var hitRatio: Double { requests == 0 ? 0 : Double(hits) / Double(requests) }
  /// The share of bytes found, from 0 to 1.
  public var byteHitRatio: Double { bytes == 0 ? 0 : Double(hitBytes) / Double(bytes) }
}

/// Simulates caches of any policy and size on a trace.
///
/// A value that is not found is stored, unless its size exceeds the limit. A value whose size
/// differs from that of its last look-up has changed, which is a miss.
public struct PolicySimulator: Sendable {
  private let ids: [Int32]
  private let sizes: [Int]
  private let idCount: Int
  private let bytes: Int

  /// Creates a simulator for a trace, which must be in the order of time.
  public init(_ requests: [TraceRequest]) {
    var numbers: [UInt64: Int32] = [:]
    ids = requests.map { request in
      if let number = numbers[request.key] { return number }
      let next = Int32(truncatingIfNeeded: numbers.count)
      numbers[request.key] = next
      return next
    }
    sizes = requests.map(\.bytes)
    idCount = numbers.count
    // Sizes are at most 2^36 and more than 2^27 requests fit no memory.
    bytes = sizes.reduce(0, &+)
  }

  /// The number of different values looked up.
  public var keyCount: Int { idCount }

  /// Simulates one cache on this thread, in about a microsecond a request.
  public func run(_ policy: EvictionPolicy, byteLimit: Int) -> SimulationResult {
    let limit = max(0, byteLimit)
    let found =
      switch policy {
      case .fifo: play(ListPolicy(idCount, limit, movesOnUse: false), limit)
      case .lru: play(ListPolicy(idCount, limit, movesOnUse: true), limit)
      case .slru: play(SegmentedPolicy(idCount, limit), limit)
      case .sieve: play(SievePolicy(idCount, limit), limit)
      case .s3fifo: play(S3FIFOPolicy(idCount, limit), limit)
      case .tinylfu: play(TinyLFUPolicy(idCount, limit), limit)
      case .sized: play(SizedPolicy(limit), limit)
      case .belady: LookAheadBound(ids, sizes, idCount).hits(byteLimit: limit)
      }
    return SimulationResult(
      policy: policy,
      byteLimit: limit,
      requests: ids.count,
      hits: found.count,
      bytes: bytes,
      hitBytes: found.bytes
    )
  }

  private func play(_ cache: some SimulatedPolicy, _ limit: Int) -> (count: Int, bytes: Int) {
    var cache = cache
    var seen = [Int](repeating: -1, count: idCount)
    var count = 0
    var bytes = 0
    for (id, size) in zip(ids, sizes) {
      if seen[Int(id)] != size {
        if seen[Int(id)] >= 0 { cache.remove(id) }
        seen[Int(id)] = size
      }
      if cache.use(id) {
        count += 1
        bytes += size
      } else if size <= limit {
        cache.add(id, bytes: size)
      }
    }
    return (count, bytes)
  }
}
