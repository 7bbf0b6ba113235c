import CPeers
import Ikran
import IkranTrace

/// The memory cache alone: the time of a hit, and the hit ratios of a feed and a grid.
enum MemoryCacheBenchmarks {
  private static let hit = "memory.cache-hit"
  private static let ratio = "memory.ratio"
  private static let seed: UInt64 = 1

  private typealias Cache = MemoryCache<Key, Bitmap>

  /// As long as the pipeline's keys.
  private struct Key: Hashable {
    let source: String
    let generation: Int
    let scale: Double
  }

  /// Measures hits with a ready key and with one that is hashed, and the ratios of hits.
  static func run(prefix: String, into report: inout Report) throws {
    if hit.hasPrefix(prefix) || prefix.hasPrefix(hit) { try runHits(into: &report) }
    if ratio.hasPrefix(prefix) || prefix.hasPrefix(ratio) { runRatios(into: &report) }
  }

  private static func runHits(into report: inout Report) throws {
    let cache = Cache()
    let other = Cache()
    let keys = try filled(cache)
    _ = try filled(other)
    let measurements = try Harness.measure([
      Contender("ready key") { threads([cache], $0, keys, isReady: true) },
      Contender("key hashed each time") { threads([cache], $0, keys, isReady: false) },
      Contender("two threads") { threads([cache, cache], $0, keys, isReady: true) },
      Contender("a cache each") { threads([cache, other], $0, keys, isReady: true) },
    ])
    let (one, two, apart) = (measurements[0], measurements[2], measurements[3])
    report.add(hit, Array(measurements.prefix(2)), unit: "ns", scale: 1)
    report.add(
      "\(hit).2threads",
      value: 2 * one.median / two.median,
      unit: "× one thread",
      peer: apart.name,
      ratio: apart.median / two.median
    )
  }

  /// Object hit ratios in percent, and those of LRU for comparison.
  private static func runRatios(into report: inout Report) {
    report.note("ratios of hits on made-up traces, seed \(seed)")
    for trace in SampleTrace.allCases {
      let simulator = PolicySimulator(trace.requests(seed: seed))
      for megabytes in [32, 128, 512] {
        let own = simulator.run(.sized, byteLimit: megabytes << 20)
        let plain = simulator.run(.lru, byteLimit: megabytes << 20)
        report.add(
          "\(ratio).\(trace.rawValue)-\(megabytes)",
          value: 100 * own.hitRatio,
          unit: "% hits",
          peer: "LRU",
          ratio: own.hitRatio / plain.hitRatio
        )
      }
    }
  }

  /// Stores eight small images for each of two threads, and returns their keys.
  private static func filled(_ cache: Cache) throws -> [[Key]] {
    let image = try Photo.draw(PixelSize(width: 48, height: 48), seed: 1)
    return try (0..<2).map { thread in
      try (0..<8).map { index in
        let source = "https://example.org/avatars/\(thread * 8 + index).png"
        let key = Key(source: source, generation: 0, scale: 2)
        // Separate pixels: the reference count of one image is one cache line.
        cache.store(try image.styled(.circle(48)), cost: image.byteCount, for: key)
        return key
      }
    }
  }

  private static func threads(
    _ caches: [Cache],
    _ count: Int,
    _ keys: [[Key]],
    isReady: Bool
  ) -> Double {
    let job = Job(caches: caches, count: count, keys: keys, isReady: isReady)
    let began = peers_nanoseconds()
    let ran = withExtendedLifetime(job) {
      peers_in_parallel(
        Int32(caches.count),
        { context, index in
          guard let context else { return }
          Unmanaged<Job>.fromOpaque(context).takeUnretainedValue().run(Int(index))
        },
        Unmanaged.passUnretained(job).toOpaque()
      )
    }
    return ran ? Double(peers_nanoseconds() - began) : .infinity
  }

  /// What each thread does.
  private final class Job: Sendable {
    private let caches: [Cache]
    private let count: Int
    private let keys: [[Key]]
    private let isReady: Bool

    init(caches: [Cache], count: Int, keys: [[Key]], isReady: Bool) {
      self.caches = caches
      self.count = count
      self.keys = keys
      self.isReady = isReady
    }

    func run(_ thread: Int) {
      if isReady {
        look(count, caches[thread], keys[thread].map { HashedKey($0) })
      } else {
        look(count, caches[thread], keys[thread])
      }
    }
  }

  @inline(never)
  private static func look(_ count: Int, _ cache: Cache, _ keys: [HashedKey<Key>]) {
    var pixels = 0
    let ready = keys.span
    for index in 0..<count { pixels &+= cache.value(for: ready[index & 7])?.width ?? 0 }
    withUnsafePointer(to: pixels) { peers_consume($0) }
  }

  @inline(never)
  private static func look(_ count: Int, _ cache: Cache, _ keys: [Key]) {
    var pixels = 0
    let keys = keys.span
    for index in 0..<count { pixels &+= cache.value(for: keys[index & 7])?.width ?? 0 }
    withUnsafePointer(to: pixels) { peers_consume($0) }
  }
}
