import IkranStores
import IkranTransport
import Support
import Testing

@testable import Ikran

/// The order of what is written behind the callers.
@Suite(.timeLimit(.minutes(10)))
struct DiskStageTests {
  private let folder: TemporaryDirectory
  private let stage: DiskStage
  private let backlog = Backlog(limit: .max)
  private let events = Recorder<PipelineEvent>()
  private let latch = ThreadLatch()
  private let time = Guarded<Int64>(1_000_000_000)

  init() throws {
    folder = try TemporaryDirectory()
    let options = DiskOptions(directory: "\(folder.path)/cache")
    let (events, time) = (events, time)
    let counters = PipelineCounters { events.add($0) }
    let context = StageContext(
      counters: counters,
      backlog: backlog,
      secret: FolderSecret(folder: options.directory),
      clock: PipelineClock(now: { time.withLock { $0 } }, sleep: { _ in })
    )
    stage = DiskStage(options, cache: nil, in: context)
  }

  private func store(_ byte: UInt8, for key: String) {
    stage.store([byte], for: key, cost: 1) { [byte] }
  }

  /// The body under a key, as another process finds it.
  private func body(_ key: String) throws -> [UInt8]? {
    try DiskCache(directory: "\(folder.path)/cache").body(for: key)
  }

  /// Keeps the writer busy until the latch is opened.
  private func holdWriter() {
    stage.store([], for: "first", cost: 0) { [latch] in
      latch.wait()
      return []
    }
  }

  @Test func whatIsStoredAgainAfterARemovalIsThere() async throws {
    holdWriter()
    store(1, for: "key")
    store(1, for: "other")
    stage.remove("key")
    store(2, for: "key")
    latch.open()
    await stage.finishWriting()
    #expect(try body("key") == [2])
    #expect(try body("other") == [1])
    #expect(events.items.isEmpty)
  }

  @Test func whatIsRemovedAfterAStoreIsGone() async throws {
    holdWriter()
    store(1, for: "key")
    stage.removeAll()
    store(1, for: "other")
    latch.open()
    await stage.finishWriting()
    #expect(try body("key") == nil)
    #expect(try body("other") == [1])
  }

  @Test func aRemovalThatIsNotDueWhenItsTurnComesTakesNothingAway() async throws {
    holdWriter()
    store(2, for: "key")
    stage.remove("key") { false }
    store(2, for: "other")
    stage.remove("other") { true }
    latch.open()
    await stage.finishWriting()
    #expect(try body("key") == [2])
    #expect(try body("other") == nil)
    #expect(try await stage.entry(for: "key", Subscription(.normal))?.body == [2])
  }

  @Test func ofADamagedBodyWhatHasReplacedItStays() async throws {
    let (old, new) = (Checksum.wide([1]), Checksum.wide([2]))
    stage.store(response(of: new).bytes, for: "key", cost: 1) { [2] }
    stage.remove("key", damaged: old)
    await stage.finishWriting()
    #expect(try body("key") == [2])
    stage.remove("key", damaged: new)
    await stage.finishWriting()
    #expect(try body("key") == nil)
  }

  @Test func ofADamagedBodyDataOfTheProgramsThatHaveReplacedItStay() async throws {
    store(2, for: "key")
    stage.remove("key", damaged: Checksum.wide([1]))
    await stage.finishWriting()
    #expect(try body("key") == [2])
  }

  @Test func whatIsAskedForAfterAReadIsWaitedFor() async throws {
    stage.store(response(of: Checksum.wide([1])).bytes, for: "key", cost: 1) { [1] }
    stage.readBehind("key") { [stage] _ in
      stage.readBehind("key") { _ in stage.remove("key") }
    }
    await stage.finishWriting()
    #expect(try body("key") == nil)
  }

  @Test func whoEndsFirstDoesNotHideFromOthersWhatIsAskedFor() async throws {
    stage.store(response(of: Checksum.wide([1])).bytes, for: "key", cost: 1) { [1] }
    holdWriter()
    stage.readBehind("key") { [stage] _ in stage.remove("key") }
    let endings = (0..<3).map { _ in Task { await stage.finishWriting() } }
    latch.open()
    for ending in endings { await ending.value }
    #expect(try body("key") == nil)
  }

  private func response(of body: BodyID) -> StoredResponse {
    var stored = StoredResponse(
      TransportResponse(status: 200, headers: [], body: [], url: ""),
      to: [],
      secret: FolderSecret(folder: nil),
      requested: 1,
      received: 2
    )
    stored.body = body
    return stored
  }

  @Test func whoWaitsForTheWritingWaitsForWhatWasMissing() async throws {
    holdWriter()
    stage.storeIfMissing([1], for: "key", cost: 1) { [1] }
    async let finished: Void = stage.finishWriting()
    latch.open()
    await finished
    #expect(try body("key") == [1])
  }

  @Test func whatIsThereIsNotStoredAgain() async throws {
    store(1, for: "key")
    stage.storeIfMissing([2], for: "key", cost: 1) { [2] }
    await stage.finishWriting()
    #expect(try body("key") == [1])
    #expect(backlog.bytes == 0)
  }

  @Test func aBodyThatThrowsKeepsNoOtherOutAndTakesNoRoom() async throws {
    holdWriter()
    store(1, for: "a")
    stage.store([], for: "b", cost: 10) { throw SystemError.tooLarge("encode", "b") }
    stage.store([], for: "c", cost: 10) { nil }
    store(1, for: "d")
    latch.open()
    await stage.finishWriting()
    #expect(try body("a") == [1])
    #expect(try body("b") == nil)
    #expect(try body("c") == nil)
    #expect(try body("d") == [1])
    #expect(events.items.count == 1)
    #expect(backlog.bytes == 0)
  }

  // MARK: - A disk that is slow or fails

  @Test func whatIsTooMuchToBeWrittenIsNotStoredAndTakesTheOlderBodyAway() async throws {
    store(1, for: "key")
    await stage.finishWriting()
    let events = events
    let backlog = Backlog(limit: 100)
    let options = DiskOptions(directory: "\(folder.path)/cache")
    let counters = PipelineCounters { events.add($0) }
    let context = StageContext(counters: counters, backlog: backlog)
    let stage = DiskStage(options, cache: nil, in: context)
    stage.store([], for: "first", cost: 90) { [latch] in
      latch.wait()
      return []
    }
    stage.store([], for: "key", cost: 20) { [2] }
    stage.store([], for: "small", cost: 5) { [3] }
    #expect(backlog.bytes == 95)
    #expect(events.items.count == 1)
    latch.open()
    await stage.finishWriting()
    #expect(try body("key") == nil)
    #expect(try body("small") == [3])
    #expect(backlog.bytes == 0)
  }

  @Test func aCacheThatCouldNotBeOpenedIsTriedAgainAfterPausesThatGrow() async throws {
    let place = "\(folder.path)/cache"
    // A file is in the way.
    try Files.create(place, [1])
    func failures(after seconds: Int64) async -> Int {
      time.withLock { $0 += seconds * 1_000_000 }
      store(7, for: "key")
      await stage.finishWriting()
      return events.items.count
    }
    #expect(await failures(after: 0) == 1)
    #expect(await failures(after: 0) == 1)
    #expect(await failures(after: 1) == 2)
    // The second pause is of two seconds.
    #expect(await failures(after: 1) == 2)
    try Files.remove(place)
    #expect(await failures(after: 1) == 2)
    #expect(try body("key") == [7])
  }

  /// What another process would do: nothing is in the way of the cache any more.
  private func unblock(_ place: String) throws {
    try Files.remove(place)
    try Files.rename(place + "-aside", to: place)
    time.withLock { $0 += 1_000_000 }
  }

  /// Stores three bodies as another process, then puts a file in the way of the cache.
  private func block(_ place: String) throws {
    do {
      let cache = try DiskCache(directory: place)
      for key in ["key", "other", "third"] { try cache.store([1], for: key) }
    }
    try Files.rename(place, to: place + "-aside")
    try Files.create(place, [1])
  }

  @Test(arguments: [1, 2_000])
  func aRemovalIsDoneOnceTheCacheCanBeOpened(count: Int) async throws {
    let place = "\(folder.path)/cache"
    try block(place)
    stage.remove("key")
    for number in 1..<count { stage.remove("\(number)") }
    await stage.finishWriting()
    try unblock(place)
    #expect(try await stage.entry(for: "key", Subscription(.normal)) == nil)
    await stage.finishWriting()
    #expect(try body("key") == nil)
    // Too many removals to be remembered are the removal of all.
    #expect(try body("other") == (count == 1 ? [1] : nil))
  }

  @Test func everythingIsRemovedOnceTheCacheCanBeOpened() async throws {
    let place = "\(folder.path)/cache"
    try block(place)
    stage.removeAll()
    await stage.finishWriting()
    try unblock(place)
    #expect(try await stage.entry(for: "key", Subscription(.normal)) == nil)
    store(2, for: "other")
    await stage.finishWriting()
    #expect(try body("key") == nil)
    #expect(try body("other") == [2])
  }

  @Test func whatIsStoredAfterARemovalThatFailedStays() async throws {
    let place = "\(folder.path)/cache"
    try block(place)
    stage.remove("key")
    await stage.finishWriting()
    try unblock(place)
    store(2, for: "key")
    await stage.finishWriting()
    #expect(try await stage.entry(for: "key", Subscription(.normal))?.body == [2])
    #expect(try body("other") == [1])
  }
}
