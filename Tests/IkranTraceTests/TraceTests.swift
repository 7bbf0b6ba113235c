import IkranStores
import IkranTrace
import TestBasics
import Testing

@Suite("Traces", .timeLimit(.minutes(10)))
struct TraceTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private var path: String { folder.path + "/a.trace" }

  private func read(_ text: String) throws -> [TraceRequest] {
    _ = try Files.remove(path)
    try Files.create(path, Array(text.utf8))
    return try CacheTrace.requests(at: path)
  }

  @Test func recordedRequestsAreRead() throws {
    let trace = try CacheTrace(path)
    trace.record(key: "a", bytes: 5)
    trace.record(key: "b", bytes: 7, cost: 9)
    trace.record(key: "a", bytes: -1)
    trace.flush()
    let requests = try CacheTrace.requests(at: path)
    #expect(requests.map(\.bytes) == [5, 7, 0])
    #expect(requests.map(\.cost) == [0, 9, 0])
    #expect(requests[0].key == requests[2].key)
    #expect(requests[0].key == Checksum.of("a"))
    #expect(requests[0].key != requests[1].key)
    #expect(requests[0].time > 1_700_000_000_000_000)
    #expect(trace.lost == 0)
    #expect(Files.permissions(path) == 0o600)
  }

  @Test func aLineHasTheDocumentedFormat() throws {
    var trace: CacheTrace? = try CacheTrace(path)
    trace?.record(TraceRequest(time: 1, key: 0xAB, bytes: 2, cost: 3))
    trace?.record(TraceRequest(time: .max, key: .max, bytes: .max, cost: .max))
    trace = nil
    let text = String(decoding: try Files.read(path), as: UTF8.self)
    #expect(
      text == """
        # ikran cache trace 1
        1 00000000000000ab 2 3
        \(TraceRequest.maximumTime) ffffffffffffffff 68719476736 \(TraceRequest.maximumTime)

        """
    )
    #expect(try CacheTrace.requests(at: path).count == 2)
  }

  @Test func severalWritersAppendWholeLines() throws {
    let traces = try (0..<3).map { _ in try CacheTrace(path) }
    let count = Rounds.fewer(5000)
    for step in 0..<count {
      for (number, trace) in traces.enumerated() {
        trace.record(TraceRequest(time: Int64(step), key: UInt64(number), bytes: step))
      }
    }
    for trace in traces { trace.flush() }
    let requests = try CacheTrace.requests(at: path)
    #expect(requests.count == 3 * count)
    #expect(requests.map(\.time) == requests.map(\.time).sorted())
    for number in 0..<3 {
      #expect(requests.filter { $0.key == UInt64(number) }.map(\.bytes) == Array(0..<count))
    }
  }

  @Test func manyThreadsMayRecord() async throws {
    let trace = try CacheTrace(path)
    let count = Rounds.fewer(2000, concurrent: true)
    await withTaskGroup { group in
      for worker in 0..<4 {
        group.addTask {
          for step in 0..<count { trace.record(key: "\(worker)", bytes: step) }
        }
      }
    }
    trace.flush()
    #expect(try CacheTrace.requests(at: path).count == 4 * count)
  }

  @Test func aTraceIsAppendedTo() throws {
    for _ in 0..<2 { try CacheTrace(path).record(key: "a", bytes: 1) }
    #expect(try CacheTrace.requests(at: path).count == 2)
  }

  @Test func aFileThatIsNoTraceIsNotChanged() throws {
    try Files.create(path, Array("a letter".utf8))
    let expected = CacheTraceError.badLine(path: path, line: 1, reason: "does not begin a trace")
    #expect(throws: expected) { try CacheTrace(path) }
    #expect(try Files.read(path) == Array("a letter".utf8))
    #expect(throws: CacheTraceError.self) { try CacheTrace(folder.path) }
    #expect(throws: CacheTraceError.self) { try CacheTrace(folder.path + "/none/a.trace") }
  }

  @Test(
    arguments: [
      "x", "1 2 3 4", "1 00000000000000ab 2", "1 00000000000000ab 2 3 4", "1 00000000000000AB 2 3",
      "1 0000000000000ab 2 3", "1 00000000000000abc 2 3", "-1 00000000000000ab 2 3",
      "1 00000000000000ab -2 3", "1 00000000000000ab 68719476737 3",
      "1000000000000000000 00000000000000ab 2 3", "1 00000000000000ab 2 99999999999999999999",
      "1  00000000000000ab 2 3", " 1 00000000000000ab 2 3", "1 00000000000000ab 2 3 ",
      "\u{0} 00000000000000ab 2 3", "1 00000000000000ab 2 ３",
    ]
  )
  func aBadLineIsNamed(line: String) {
    #expect {
      try read("# ikran cache trace 1\n1 00000000000000ab 2 3\n\(line)\n")
    } throws: { error in
      guard case CacheTraceError.badLine(path, let line, let reason) = error else { return false }
      return line == 3 && !reason.isEmpty && "\(error)".contains("line 3")
    }
  }

  @Test func commentsEmptyLinesAndATruncatedLastLineAreSkipped() throws {
    let text =
      "# ikran cache trace 1\n# by hand\n\n2 00000000000000ab 2 3\n#\n1 00000000000000cd 4 5\n9 00"
    #expect(try read(text).map(\.time) == [1, 2])
    #expect(try read("").isEmpty)
  }

  @Test func anotherVersionIsRefused() {
    #expect(throws: CacheTraceError.unknownVersion(path: path)) {
      try read("# ikran cache trace 2\nwho knows\n")
    }
  }

  @Test func aFileThatIsTooLargeOrMissingIsRefused() throws {
    _ = try read("1 00000000000000ab 2 3\n")
    #expect(throws: CacheTraceError.self) { try CacheTrace.requests(at: path, maximumBytes: 4) }
    #expect(throws: CacheTraceError.self) { try CacheTrace.requests(at: path + "x") }
  }

  @Test func randomBytesNeverTrap() throws {
    let seed = UInt64.random(in: 0 ... .max)
    print("seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    let alphabet = Array("0123456789abcdefg# \n\n".utf8)
    for _ in 0..<Rounds.fewer(500) {
      let bytes = (0..<Int.random(in: 0..<200, using: &generator)).map { _ in
        alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
      }
      _ = try Files.remove(path)
      try Files.create(path, bytes)
      do throws(CacheTraceError) { _ = try CacheTrace.requests(at: path) } catch {
        guard case .badLine = error else {
          Issue.record("\(error)")
          continue
        }
      }
    }
  }
}

@Suite("Policies", .timeLimit(.minutes(10)))
struct PolicySimulatorTests {
  private static func simulator(_ text: String) -> PolicySimulator {
    PolicySimulator(text.utf8.map { TraceRequest(key: UInt64($0), bytes: 1) })
  }

  /// Computed by hand, with room for three values of one byte.
  @Test(
    arguments: [
      (.fifo, "abcabcdabc", 3), (.fifo, "abcadabc", 1), (.lru, "abcadabc", 2),
      (.lru, "abcdabcd", 0), (.sieve, "abcadaea", 3), (.belady, "abcdabcd", 4),
      (.slru, "aabcdefa", 2), (.sized, "abcadabc", 2),
    ] as [(EvictionPolicy, String, Int)]
  )
  func smallTracesHitAsOftenAsComputedByHand(policy: EvictionPolicy, trace: String, hits: Int) {
    #expect(Self.simulator(trace).run(policy, byteLimit: 3).hits == hits)
  }

  @Test(arguments: EvictionPolicy.allCases)
  func anUnlimitedCacheMissesOnlyFirstUses(policy: EvictionPolicy) {
    let simulator = PolicySimulator(
      Array(SampleTrace.feed.requests(seed: 3).prefix(Rounds.fewer(40_000, atLeast: 4_000)))
    )
    let result = simulator.run(policy, byteLimit: 1 << 50)
    #expect(result.requests - result.hits == simulator.keyCount)
  }

  @Test(arguments: EvictionPolicy.allCases)
  func anEmptyCacheHitsNothing(policy: EvictionPolicy) {
    let result = Self.simulator("aaaabbbb").run(policy, byteLimit: 0)
    #expect((result.hits, result.hitBytes, result.requests) == (0, 0, 8))
    #expect(Self.simulator("").run(policy, byteLimit: 5).hitRatio == 0)
    #expect(Self.simulator("aa").run(policy, byteLimit: -5).byteLimit == 0)
  }

  @Test(arguments: SampleTrace.allCases, [8, 64])
  func noPolicyExceedsTheBound(trace: SampleTrace, megabytes: Int) {
    let simulator = PolicySimulator(
      Array(trace.requests(seed: 5).prefix(Rounds.fewer(20_000, atLeast: 2_000)))
    )
    let bound = simulator.run(.belady, byteLimit: megabytes << 20)
    for policy in EvictionPolicy.allCases {
      let result = simulator.run(policy, byteLimit: megabytes << 20)
      #expect(result.hits <= bound.hits, "\(policy)")
      #expect(result.hitBytes <= bound.hitBytes, "\(policy)")
    }
  }

  @Test(arguments: EvictionPolicy.allCases)
  func aChangedSizeIsAMiss(policy: EvictionPolicy) {
    let sizes = [10, 10, 20, 20, 10]
    let simulator = PolicySimulator(sizes.map { TraceRequest(key: 1, bytes: $0) })
    #expect(simulator.run(policy, byteLimit: 1000).hits == 2)
  }

  @Test(arguments: EvictionPolicy.allCases)
  func valuesOverTheLimitAreLeftOut(policy: EvictionPolicy) {
    let sizes: [(UInt64, Int)] = [(1, 50), (2, 500), (1, 50), (2, 500)]
    let simulator = PolicySimulator(sizes.map { TraceRequest(key: $0.0, bytes: $0.1) })
    let result = simulator.run(policy, byteLimit: 400)
    #expect((result.hits, result.hitBytes) == (1, 50))
    #expect((result.bytes, simulator.keyCount) == (1100, 2))
  }

  @Test(
    arguments: [.slru, .sieve, .s3fifo, .tinylfu] as [EvictionPolicy]
  )
  func aScanDoesNotEvictFrequentlyUsedValues(policy: EvictionPolicy) {
    // Five values used repeatedly, then fifty values used once; twenty times.
    var requests: [TraceRequest] = []
    for round in 0..<20 {
      for _ in 0..<4 { requests += (0..<5).map { TraceRequest(key: $0, bytes: 1) } }
      requests += (0..<50).map { TraceRequest(key: UInt64(1000 + 50 * round + $0), bytes: 1) }
    }
    let simulator = PolicySimulator(requests)
    let plain = simulator.run(.fifo, byteLimit: 20).hits
    #expect(simulator.run(policy, byteLimit: 20).hits > plain)
  }

  @Test func aSampleIsTheSameForASeed() {
    for trace in SampleTrace.allCases {
      #expect(trace.requests(seed: 1) == trace.requests(seed: 1))
      #expect(trace.requests(seed: 1) != trace.requests(seed: 2))
      #expect((40_000..<41_000).contains(trace.requests(seed: 1).count))
    }
    // A constant: a change of the samples would change every ratio measured with them.
    let feed = SampleTrace.feed.requests(seed: 1)
    #expect(feed.reduce(0) { $0 &* 31 &+ $1.bytes &+ Int($1.key) } == 2_788_866_144_232_536_068)
  }
}
