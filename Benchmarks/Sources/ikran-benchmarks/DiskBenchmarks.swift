import CPeers
import Ikran
import IkranStores

/// Reading and opening: the disk cache against a file each and a table of blobs in SQLite.
struct DiskBenchmarks {
  private enum Name: String, CaseIterable {
    case get = "disk.get"
    case put = "disk.put"
    case open = "disk.open"
  }

  /// A picture as downloaded: too large for the cache's index, so it gets a file.
  static let byteCount = 40 << 10
  static let count = 4096

  private let folder = try? TemporaryFolder()
  private let bodies = (0..<16).map { DiskBenchmarks.body(seed: $0) }
  private let keys = (0..<DiskBenchmarks.count).map(DiskBenchmarks.key)

  /// Runs the measurements whose names begin with `prefix`.
  static func run(prefix: String, into report: inout Report) throws {
    let wanted = Name.allCases.filter {
      $0.rawValue.hasPrefix(prefix) || prefix.hasPrefix($0.rawValue)
    }
    guard !wanted.isEmpty else { return }
    let benchmarks = DiskBenchmarks()
    for name in wanted {
      switch name {
      case .get: try benchmarks.get(name.rawValue, into: &report)
      case .put: try DiskPutBenchmarks().run(name.rawValue, into: &report)
      case .open: try benchmarks.open(name.rawValue, into: &report)
      }
    }
  }

  static func body(seed: Int) -> [UInt8] {
    var numbers = SeededNumbers(seed: UInt64(seed) &+ 77)
    return (0..<byteCount).map { _ in UInt8(truncatingIfNeeded: numbers.next()) }
  }

  static func key(_ index: Int) -> String {
    "https://images.example.com/people/portraits/\(index)/original.jpg?version=\(index % 7)"
  }

  private func place(_ name: String) throws -> String {
    guard let folder else { throw StoreFailed(name: "a temporary folder") }
    return folder.subfolder(name)
  }

  // MARK: - Getting

  /// One of 4,096 bodies in random order, checksum verified; the peers add their bytes up.
  private func get(_ name: String, into report: inout Report) throws {
    let cache = try DiskCache(directory: place("get"))
    let sealed = try DiskCache(
      directory: place("get-sealed"),
      options: DiskCacheOptions(encryptionKey: .random())
    )
    for index in 0..<Self.count {
      try cache.store(bodies[index % bodies.count], for: Self.key(index))
      try sealed.store(bodies[index % bodies.count], for: Self.key(index))
    }
    // The first read of an entry is noted for the evictions to come, the later ones are not.
    for index in 0..<Self.count {
      _ = try cache.body(for: keys[index])
      _ = try sealed.body(for: keys[index])
    }
    var readers = [reader("Ikran", cache)]
    for kind in [peers_raw, peers_renamed, peers_sqlite] {
      guard let peer = PeerStore(kind, in: try place("get\(kind.rawValue)"), size: Self.byteCount)
      else { continue }
      for index in 0..<Self.count {
        try peer.put([PictureIDs.peer(index)], bodies[index % bodies.count])
      }
      readers.append(reader(peer))
    }
    report.add(name, try Harness.measure(readers), unit: "µs", scale: 1e-3)
    let times = try latencies(cache)
    for (label, part) in [("p50", 0.5), ("p99", 0.99)] {
      report.add("\(name).\(label)", value: times[part] * 1e-3, unit: "µs")
    }
    let encrypted = try Harness.measure([reader("Ikran", sealed)])
    report.add("\(name).encrypted", encrypted, unit: "µs", scale: 1e-3)
  }

  private func reader(_ name: String, _ cache: DiskCache) -> Contender {
    var numbers = SeededNumbers(seed: 5)
    return Contender(name) {
      let index = Int(numbers.next() % UInt64(Self.count))
      guard let body = try cache.body(for: keys[index]), body.count == Self.byteCount else {
        throw StoreFailed(name: name)
      }
    }
  }

  private func reader(_ peer: PeerStore) -> Contender {
    var numbers = SeededNumbers(seed: 5)
    return Contender(peer.name) {
      let index = Int(numbers.next() % UInt64(Self.count))
      _ = try peer.get([PictureIDs.peer(index)], reading: true)
    }
  }

  private func latencies(_ cache: DiskCache) throws -> Latencies {
    var numbers = SeededNumbers(seed: 6)
    var times: [Double] = []
    for _ in 0..<20_000 {
      let key = keys[Int(numbers.next() % UInt64(Self.count))]
      let began = peers_nanoseconds()
      let body = try cache.body(for: key)
      times.append(Double(peers_nanoseconds() - began))
      guard body != nil else { throw StoreFailed(name: "Ikran") }
    }
    return Latencies(times)
  }

  // MARK: - Opening

  /// A cache of 1,000,000 entries, and a table of as many blobs.
  private func open(_ name: String, into report: inout Report) throws {
    let count = 1_000_000
    let place = try place("open")
    let options = DiskCacheOptions(countLimit: count)
    do {
      let cache = try DiskCache(directory: place, options: options)
      for index in 0..<count { try cache.store([1, 2, 3, 4], for: Self.key(index)) }
    }
    let opening = Contender("Ikran") { count in
      var time: UInt64 = 0
      for _ in 0..<count {
        let began = peers_nanoseconds()
        let cache = try DiskCache(directory: place, options: options)
        time += peers_nanoseconds() - began
        withExtendedLifetime(cache) {}
      }
      return Double(time)
    }
    var openings = [opening]
    if let peer = try openingPeer(count) { openings.append(peer) }
    report.add("\(name).1M", try Harness.measure(openings), unit: "µs", scale: 1e-3)
  }

  /// SQLite with as many blobs of 128 bytes, the fewest that the peers take.
  private func openingPeer(_ count: Int) throws -> Contender? {
    let (place, size, batch) = (try place("open-peer"), 128, 10_000)
    guard let peer = PeerStore(peers_sqlite, in: place, size: size) else { return nil }
    let bytes = [UInt8](repeating: 1, count: batch * size)
    for first in stride(from: 0, to: count, by: batch) {
      let ids = (first..<first + batch).map(PictureIDs.peer)
      try bytes.withUnsafeBufferPointer { bytes in
        guard let start = bytes.baseAddress else { return }
        try peer.put(ids[...], start)
      }
    }
    return Contender(peer.name) { count in
      var time: UInt64 = 0
      for _ in 0..<count {
        let began = peers_nanoseconds()
        let store = PeerStore(peers_sqlite, in: place, size: size)
        time += peers_nanoseconds() - began
        guard store != nil else { throw StoreFailed(name: peer.name) }
      }
      return Double(time)
    }
  }
}
