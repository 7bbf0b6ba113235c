import CPeers
import Ikran
import IkranStores

/// New bodies into a disk cache at its limit, so that each evicts another; the peers, which have no limit,
/// replace those of 4,096 before.
struct DiskPutBenchmarks {
  /// What the pipeline writes at once.
  private static let group = 16
  private static let threads = 8

  private let folder: TemporaryFolder
  private let bodies = (0..<16).map { DiskBenchmarks.body(seed: $0) }
  /// The bodies of a group, one after the other, as the peers take them.
  private let together: [UInt8]

  /// Makes the bodies.
  init() throws {
    folder = try TemporaryFolder()
    together = Array(bodies.joined())
  }

  /// One at a time, many at a time, and one at a time on several threads.
  func run(_ name: String, into report: inout Report) throws {
    let (alone, grouped) = (try cache("alone"), try cache("grouped"))
    var (nextAlone, nextGrouped) = (DiskBenchmarks.count, DiskBenchmarks.count)
    var writers = [
      Contender("Ikran") {
        try put(nextAlone, into: alone)
        nextAlone += 1
      }
    ]
    var groups = [
      Contender("Ikran") {
        put(nextGrouped, Self.group, into: grouped)
        nextGrouped += Self.group
      }
    ]
    for kind in [peers_raw, peers_renamed, peers_sqlite] {
      let place = folder.subfolder("put\(kind.rawValue)")
      guard let peer = PeerStore(kind, in: place, size: DiskBenchmarks.byteCount) else { continue }
      var next = 0
      func put(_ count: Int) throws {
        let ids = (next..<next + count).map { PictureIDs.peer($0 % DiskBenchmarks.count) }
        try peer.put(ids[...], together)
        next += count
      }
      for _ in 0..<DiskBenchmarks.count / Self.group { try put(Self.group) }
      writers.append(Contender(peer.name) { try put(1) })
      groups.append(Contender(peer.name) { try put(Self.group) })
    }
    let times = try Harness.measure(writers)
    report.add(name, times, unit: "µs", scale: 1e-3)
    report.add("\(name).rate", value: 1e9 / times[0].median, unit: "bodies/s")
    let each = 1e-3 / Double(Self.group)
    report.add("\(name).group", try Harness.measure(groups), unit: "µs", scale: each)
    try parallel("\(name).threads", into: &report)
  }

  private func cache(_ name: String) throws -> DiskCache {
    let limit = DiskBenchmarks.count * DiskBenchmarks.byteCount
    let options = DiskCacheOptions(byteLimit: limit)
    let cache = try DiskCache(directory: folder.subfolder(name), options: options)
    for index in 0..<DiskBenchmarks.count { try put(index, into: cache) }
    return cache
  }

  private func put(_ index: Int, into cache: DiskCache) throws {
    try cache.store(bodies[index % bodies.count], for: DiskBenchmarks.key(index))
  }

  private func put(_ first: Int, _ count: Int, into cache: DiskCache) {
    let batch = (first..<first + count).map { index in
      (body: bodies[index % bodies.count], extended: [UInt8](), key: DiskBenchmarks.key(index))
    }
    cache.store(batch) { print("  (\($0))") }
  }

  // MARK: - Several threads

  /// One at a time on each of eight threads; nanoseconds for each body, of all threads together.
  private func parallel(_ name: String, into report: inout Report) throws {
    let cache = try cache("threads")
    var first = DiskBenchmarks.count
    var writers = [
      Contender("Ikran") { count in
        let began = first
        first += Self.threads * count
        return try threads { thread in
          for index in 0..<count { try put(began + thread * count + index, into: cache) }
        }
      }
    ]
    for kind in [peers_raw, peers_renamed] {
      let stores = (0..<Self.threads).compactMap { thread in
        let place = folder.subfolder("threads\(kind.rawValue)-\(thread)")
        return PeerStore(kind, in: place, size: DiskBenchmarks.byteCount)
      }
      guard stores.count == Self.threads else { continue }
      let share = DiskBenchmarks.count / Self.threads
      func fill(_ count: Int) throws -> Double {
        try threads { thread in
          for index in 0..<count {
            try stores[thread].put([PictureIDs.peer(index % share)], bodies[index % bodies.count])
          }
        }
      }
      _ = try fill(share)
      writers.append(Contender(stores[0].name) { count in try fill(count) })
    }
    let scale = 1e-3 / Double(Self.threads)
    report.add(name, try Harness.measure(writers), unit: "µs", scale: scale)
  }

  /// Runs a job on eight threads; returns the nanoseconds that took.
  private func threads(_ job: (Int) throws -> Void) throws -> Double {
    try withoutActuallyEscaping(job) { job in
      let work = Work(job)
      let began = peers_nanoseconds()
      let ran = peers_in_parallel(
        Int32(Self.threads),
        { context, index in
          guard let context else { return }
          Unmanaged<Work>.fromOpaque(context).takeUnretainedValue().run(Int(index))
        },
        Unmanaged.passUnretained(work).toOpaque()
      )
      let time = Double(peers_nanoseconds() - began)
      guard withExtendedLifetime(work, { ran && !work.failed }) else {
        throw StoreFailed(name: "a thread")
      }
      return time
    }
  }

  /// What the threads do.
  private final class Work {
    private let job: (Int) throws -> Void
    private(set) var failed = false

    init(_ job: @escaping (Int) throws -> Void) { self.job = job }

    func run(_ thread: Int) {
      do { try job(thread) } catch { failed = true }
    }
  }
}
