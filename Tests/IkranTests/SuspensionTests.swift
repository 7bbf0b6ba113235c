import FoundationEssentials
import IkranCaches
import IkranPixels
import IkranStores
import IkranTransport
import Support
import Testing

@testable import Ikran

/// A pipeline of a program that the system is about to stop.
@Suite("Suspended pipelines", .timeLimit(.minutes(5)))
struct SuspensionTests {
  private let folder: TemporaryDirectory
  private let png: [UInt8]

  init() throws {
    folder = try TemporaryDirectory()
    png = try TestImages.png(width: 64, height: 48)
  }

  private func pipeline(
    _ transport: any Transport,
    onEvent: @escaping @Sendable (PipelineEvent) -> Void = { _ in }
  ) -> ImagePipeline {
    let directory = folder.path + "/cache"
    return ImagePipeline(
      options: PipelineOptions(
        memory: .steady,
        disk: DiskOptions(directory: directory),
        tables: TableOptions(directory: directory + "/tables")
      ),
      transport: transport,
      onEvent: onEvent
    )
  }

  private func request(_ path: String, _ style: Style = .circle(24)) -> ImageRequest {
    ImageRequest(location: "http://example.test/\(path).png", style: style)
  }

  private func bytes(of image: Bitmap) -> [UInt8] {
    image.withBytes { bytes in bytes.indices.map { bytes[$0] } }
  }

  /// The files of the folder in which another opening finds a lock.
  private func lockedFiles() throws -> [String] {
    let cache = folder.path + "/cache"
    let tables = ((try? Files.list(cache + "/tables")) ?? []).map { "tables/\($0)" }
    return try (tables + ["index.sqlite", "index.sqlite-shared"]).filter { name in
      guard Files.size("\(cache)/\(name)") ?? 0 > 0 else { return false }
      let file = try MappedFile.open("\(cache)/\(name)") { _, _ in (4096, 4096) }
      return file?.isLockedElsewhere(0..<1 << 40) == true
    }
  }

  @Test func aSuspendedPipelineHoldsNoLockAndLosesNothing() async throws {
    let pipeline = pipeline(FakeTransport(body: png))
    _ = try await pipeline.image(for: request("a"))
    await pipeline.finishWriting()
    pipeline.removeAllFromMemory()
    let mapped = try #require(pipeline.cached(for: request("a")))
    let bytes = bytes(of: mapped)
    #expect(try !lockedFiles().isEmpty)
    await pipeline.suspend()
    #expect(try lockedFiles() == [])
    #expect(self.bytes(of: mapped) == bytes)
    #expect(pipeline.cached(for: request("a")) == nil)
    pipeline.resume()
    #expect(pipeline.cached(for: request("a")) != nil)
    #expect(try await pipeline.response(for: request("a", .original)).source == .disk)
  }

  @Test func whatWaitsToBeWrittenIsWrittenBefore() async throws {
    let pipeline = pipeline(FakeTransport(body: png))
    for name in ["a", "b", "c"] { _ = try await pipeline.image(for: request(name)) }
    await pipeline.suspend()
    let disk = try DiskCache(directory: folder.path + "/cache")
    #expect(try disk.keys().count == 3)
    withExtendedLifetime(pipeline) {}
  }

  @Test func aLoadThatNeedsTheDiskWaitsForTheEnd() async throws {
    let first = pipeline(FakeTransport(body: png))
    _ = try await first.image(for: request("a"))
    await first.suspend()
    let transport = FakeTransport(body: png)
    let pipeline = pipeline(transport)
    await pipeline.suspend()
    let load = Task { try await pipeline.response(for: request("a", .original)).source }
    try await until { pipeline.context.disk.waitingReads == 1 }
    #expect(transport.requests.isEmpty)
    #expect(try lockedFiles() == [])
    pipeline.resume()
    #expect(try await load.value == .disk)
    #expect(transport.requests.isEmpty)
  }

  @Test func aLoadThatWaitsCanBeCancelled() async throws {
    let pipeline = pipeline(FakeTransport(body: png))
    await pipeline.suspend()
    let load = Task { try await pipeline.image(for: request("a")) }
    try await until { pipeline.context.disk.waitingReads == 1 }
    load.cancel()
    await #expect(throws: ImageError.cancelled) { try await load.value }
    pipeline.resume()
  }

  @Test func memoryIsFoundAllTheSame() async throws {
    let pipeline = pipeline(FakeTransport(body: png))
    _ = try await pipeline.image(for: request("a", .original))
    await pipeline.suspend()
    #expect(pipeline.cached(for: request("a", .original)) != nil)
    #expect(try await pipeline.response(for: request("a", .original)).source == .memory)
    pipeline.resume()
  }

  @Test func aDownloadUnderWayIsStoredAfterTheEnd() async throws {
    let gate = Latch()
    let body = png
    let pipeline = pipeline(
      FakeTransport { _, _ in
        _ = await gate.wait()
        return TransportResponse(status: 200, headers: .fresh, body: body, url: "")
      }
    )
    let load = Task { try await pipeline.image(for: request("a")) }
    try await until { pipeline.downloads.running == 1 }
    await pipeline.suspend()
    gate.open()
    _ = try await load.value
    #expect(try lockedFiles() == [])
    pipeline.resume()
    await pipeline.finishWriting()
    let disk = try DiskCache(directory: folder.path + "/cache")
    #expect(try disk.keys().count == 1)
    pipeline.removeAllFromMemory()
    #expect(pipeline.cached(for: request("a")) != nil)
  }

  @Test func aRemovalDuringItIsDoneAfterTheEnd() async throws {
    let pipeline = pipeline(FakeTransport(body: png))
    _ = try await pipeline.image(for: request("a"))
    await pipeline.suspend()
    let removal = Task { await pipeline.removeAll() }
    pipeline.resume()
    await removal.value
    await pipeline.finishWriting()
    #expect(try DiskCache(directory: folder.path + "/cache").keys().isEmpty)
    #expect(pipeline.cached(for: request("a")) == nil)
  }

  @Test func aCancelledCallerReturnsAndThePipelineIsSuspended() async throws {
    let events = Recorder<PipelineEvent>()
    let pipeline = pipeline(FakeTransport(body: png)) { events.add($0) }
    _ = try await pipeline.image(for: request("a"))
    let caller = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await pipeline.suspend()
    }
    await caller.value
    // Returns when it is suspended.
    await pipeline.suspend()
    #expect(try lockedFiles() == [])
    pipeline.resume()
    await pipeline.finishWriting()
    #expect(pipeline.cached(for: request("a")) != nil)
  }

  @Test func itMaySuspendTwiceAndResumeWithoutThat() async throws {
    let pipeline = pipeline(FakeTransport(body: png))
    pipeline.resume()
    _ = try await pipeline.image(for: request("a"))
    await pipeline.suspend()
    await pipeline.suspend()
    #expect(try lockedFiles() == [])
    pipeline.resume()
    pipeline.resume()
    _ = try await pipeline.image(for: request("b"))
    await pipeline.finishWriting()
    #expect(try DiskCache(directory: folder.path + "/cache").keys().count == 2)
  }

  @Test func aPipelineThatIsReleasedWritesWhatWaits() async throws {
    let gate = Latch()
    let body = png
    var pipeline: ImagePipeline? = pipeline(
      FakeTransport { _, _ in
        _ = await gate.wait()
        return TransportResponse(status: 200, headers: .fresh, body: body, url: "")
      }
    )
    let load = Task { [pipeline] in try await pipeline?.image(for: request("a")) }
    try await until { pipeline?.downloads.running == 1 }
    await pipeline?.suspend()
    gate.open()
    _ = try await load.value
    pipeline = nil
    let cache = folder.path + "/cache"
    try await until { (try? DiskCache(directory: cache).keys().count) == 1 }
  }

  @Test func anEndBeforeTheFilesAreClosedOpensNone() async throws {
    let (pool, latch) = (ThreadPool(name: "test", threads: 1), ThreadLatch())
    pool.later { latch.wait() }
    let calls = Recorder<String>()
    let suspension = Suspension(writing: [pool])
    suspension.begin(
      Suspension.Files {
        calls.add("close")
      } open: {
        calls.add("open")
      }
    )
    suspension.resume()
    latch.open()
    try await pool.perform {}
    #expect(calls.items.isEmpty)
  }

  @Test func noThreadIsStartedToWait() async throws {
    let pipeline = ImagePipeline(options: .steady, transport: FakeTransport(body: png))
    await pipeline.suspend()
    #expect(!pipeline.context.disk.writing.hasStarted)
    #expect(!pipeline.context.network.partials.pool.hasStarted)
    let pools = (0..<3).map { ThreadPool(name: "test \($0)", threads: 1) }
    let suspension = Suspension(writing: pools)
    suspension.begin(
      Suspension.Files {
      } open: {
      }
    )
    await suspension.finishClosing()
    #expect(pools.map(\.hasStarted) == [true, false, false])
    let done = Recorder<Int>()
    for (number, pool) in pools.enumerated() { pool.later { done.add(number) } }
    #expect(done.items.isEmpty)
    suspension.resume()
    try await until { done.items.sorted() == [0, 1, 2] }
  }

  @Test func aCacheThatCannotBeSuspendedIsReported() async throws {
    let events = Recorder<PipelineEvent>()
    let pipeline = ImagePipeline(
      options: .steady,
      transport: FakeTransport(body: png),
      diskCache: LockedCache()
    ) { events.add($0) }
    await pipeline.suspend()
    let texts = events.items.compactMap { if case .diskFailed(let text) = $0 { text } else { nil } }
    #expect(texts == ["Could not suspend the disk cache: it is locked"])
    pipeline.resume()
  }

  /// A cache of the program's that keeps its locks.
  private struct LockedCache: DataCaching {
    struct Failure: Error, CustomStringConvertible {
      let description = "it is locked"
    }

    func body(for key: String) throws -> [UInt8]? { nil }
    func store(_ body: [UInt8], for key: String) throws {}
    func remove(_ key: String) throws {}
    func removeAll() throws {}
    func suspend() throws { throw Failure() }
  }

  @Test func anyNumberOfSuspensionsAndLoadsAtOnce() async throws {
    let pipeline = pipeline(FakeTransport(body: png))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<40 {
        group.addTask { _ = try await pipeline.image(for: request("\(number % 20)")) }
        group.addTask {
          await pipeline.suspend()
          pipeline.resume()
        }
      }
      try await group.waitForAll()
    }
    pipeline.resume()
    await pipeline.finishWriting()
    #expect(try DiskCache(directory: folder.path + "/cache").keys().count == 20)
  }

  @Test func aCacheOfTheProgramsIsSuspendedWithThePipeline() async throws {
    let cache = try DiskCache(directory: folder.path + "/cache")
    let pipeline = ImagePipeline(
      options: .steady,
      transport: FakeTransport(body: png),
      diskCache: DataCacheChain([cache])
    )
    _ = try await pipeline.image(for: request("a"))
    await pipeline.suspend()
    #expect(try lockedFiles() == [])
    #expect(throws: DiskCacheError.self) { try cache.store([1], for: "a") }
    pipeline.resume()
    try cache.store([1], for: "a")
  }

  @Test func valuesAreSuspendedWithTheirCache() throws {
    let cache = try DiskCache(directory: folder.path + "/cache")
    let values = CodableCache<[Int]>(memory: nil, disk: cache)
    try values.store([1], for: "a")
    try values.suspend()
    #expect(try values.value(for: "a") == nil)
    #expect(try lockedFiles() == [])
    values.resume()
    #expect(try values.value(for: "a") == [1])
  }

  // MARK: - Entities and avatars

  private func isLocked(_ path: String) throws -> Bool {
    guard Files.size(path) ?? 0 > 0 else { return false }
    return try MappedFile.open(path) { _, _ in (4096, 4096) }?.isLockedElsewhere(0..<1 << 40)
      == true
  }

  @Test func anEntityCacheWaitsAndLosesNothing() async throws {
    let fixture = try EntityFixture()
    let cache = try fixture.cache { _, _ in try EntityFixture.plain(40) }
    let member = TestMember()
    let held = try await cache.retrieve(member, format: "small")
    await cache.suspend()
    for name in try Files.list(fixture.folder.path) {
      #expect(try !isLocked("\(fixture.folder.path)/\(name)"))
    }
    #expect(cache.image(for: member, format: "small") == nil)
    let set = Task {
      try await cache.setImage(EntityFixture.plain(90), for: member, format: "small")
    }
    let other = Task { try await cache.retrieve(TestMember(name: "ben"), format: "small") }
    try await until { cache.waiting == 1 }
    cache.resume()
    _ = try await (set.value, other.value)
    let now = try #require(cache.image(for: member, format: "small"))
    #expect(bytes(of: now) != bytes(of: held))
    #expect(cache.exists(TestMember(name: "ben"), format: "small"))
    #expect(fixture.errors.items.isEmpty)
  }

  @Test func anAvatarStorageWaitsAndLosesNothing() async throws {
    let path = folder.path + "/avatars.sqlite"
    let storage = try SQLiteAvatarStorage(path: path)
    let name = AvatarName(owner: "ana", url: "http://example.test/a", style: .circle(8))
    let image = try TestImages.gradient(width: 8, height: 8)
    try await storage.save(original: Data(png), styled: image, as: name)
    await storage.suspend()
    #expect(try !isLocked(path) && !isLocked(path + "-shared"))
    let read = Task { try await storage.original(name) }
    let save = Task { try await storage.save(original: Data([1]), styled: image, as: name) }
    storage.resume()
    _ = try await (read.value, save.value)
    #expect(try await storage.original(name) != nil)
  }
}
