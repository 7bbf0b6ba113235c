import IkranStores
import Support
import Testing

@Suite(.timeLimit(.minutes(10))) struct DiskCacheEvictionTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func open(_ options: DiskCacheOptions, _ name: String = "cache") throws -> DiskCache {
    try DiskCache(directory: "\(directory.path)/\(name)", options: options)
  }

  private let body = [UInt8](repeating: 1, count: 100)

  @Test func entriesThatAreReadSurviveAScan() throws {
    let cache = try open(DiskCacheOptions(countLimit: 100))
    for number in 0..<50 { try cache.store(body, for: "used-\(number)") }
    for number in 0..<50 { _ = try cache.body(for: "used-\(number)") }
    for number in 0..<1000 { try cache.store(body, for: "once-\(number)") }
    for number in 0..<50 { #expect(try cache.contains("used-\(number)"), "\(number)") }
    #expect(try cache.statistics.count == 100)
  }

  @Test func entriesThatAreNoLongerReadAreEvicted() throws {
    let cache = try open(DiskCacheOptions(countLimit: 40))
    for number in 0..<40 {
      try cache.store(body, for: "old-\(number)")
      _ = try cache.body(for: "old-\(number)")
    }
    for number in 0..<120 {
      try cache.store(body, for: "new-\(number)")
      _ = try cache.body(for: "new-\(number)")
    }
    #expect(try !cache.keys().contains { $0.hasPrefix("old") })
  }

  @Test func anEntryStoredAgainSoonEntersTheMainQueue() throws {
    let cache = try open(DiskCacheOptions(countLimit: 20))
    for number in 0..<30 { try cache.store(body, for: "\(number)") }
    #expect(try !cache.contains("0"))
    try cache.store(body, for: "0")
    for number in 30..<60 { try cache.store(body, for: "\(number)") }
    #expect(try cache.contains("0"))
  }

  @Test func aReplacedBodyStaysInItsQueue() throws {
    let cache = try open(DiskCacheOptions(countLimit: 20))
    try cache.store(body, for: "key")
    _ = try cache.body(for: "key")
    try cache.store(body + [2], for: "key")
    for number in 0..<100 { try cache.store(body, for: "\(number)") }
    #expect(try cache.body(for: "key") == body + [2])
  }

  /// Sends the same requests to the cache and to a model of LRU.
  @Test func itHitsMoreOftenThanLRU() throws {
    let (capacity, requests) = (60, Rounds.fewer(6000, atLeast: 2000))
    let cache = try open(DiskCacheOptions(countLimit: capacity))
    var generator = SeededGenerator(seed: 11)
    var latest: [Int] = []
    var (hits, latestHits) = (0, 0)
    for request in 0..<requests {
      // One request in three belongs to a scan; of the others, smaller numbers are more frequent.
      let share = Double.random(in: 0..<1, using: &generator)
      let number = request % 3 == 0 ? 10_000 + request : Int(share * share * share * 300)
      if let index = latest.firstIndex(of: number) {
        latest.remove(at: index)
        latestHits += 1
      }
      latest.append(number)
      if latest.count > capacity { latest.removeFirst() }
      if try cache.body(for: "\(number)") != nil {
        hits += 1
      } else {
        try cache.store([1], for: "\(number)")
      }
    }
    #expect(hits * 10 > latestHits * 11, "\(hits) of \(requests), the latest \(latestHits)")
  }

  @Test func limitsAreExceededAtMostByTheNewEntry() throws {
    let seed = UInt64.random(in: 0 ... .max)
    print("seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    let options = DiskCacheOptions(byteLimit: 300_000, countLimit: 40, compresses: true)
    let cache = try open(options)
    // Noise is incompressible.
    let noise = (0..<120_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
    for step in 0..<Rounds.fewer(600, atLeast: 100) {
      let key = "\(Int.random(in: 0..<80, using: &generator))"
      let count = Int.random(in: 0...60_000, using: &generator)
      switch Int.random(in: 0..<10, using: &generator) {
      case 0: try cache.remove(key)
      case 1...3: _ = try cache.body(for: key)
      case 4: try cache.extend([UInt8](repeating: 2, count: count / 10), for: key)
      default:
        let body = Array(noise[step..<step + count])
        try cache.store(body, extended: Array(body.prefix(100)), for: key)
        let isRight = try cache.body(for: key) == body
        #expect(isRight)
      }
      let statistics = try cache.statistics
      #expect(statistics.byteCount <= 300_000 && statistics.count <= 40, "step \(step)")
      if step % 20 == 0 {
        let items = try cache.list()
        #expect(items.reduce(0) { $0 + $1.storedBytes } == statistics.byteCount)
        #expect(items.count == statistics.count)
        #expect(try bytesOfFiles() <= 300_000)
      }
    }
    #expect(try cache.verify().orphansRemoved == 0)
    #expect(try cache.statistics.dropped == 0)
  }

  private func bytesOfFiles() throws -> Int {
    let bodies = "\(directory.path)/cache/bodies"
    return try Files.list(bodies).reduce(0) { sum, folder in
      try Files.list("\(bodies)/\(folder)").reduce(sum) { sum, name in
        sum + (Files.size("\(bodies)/\(folder)/\(name)") ?? 0)
      }
    }
  }
}
