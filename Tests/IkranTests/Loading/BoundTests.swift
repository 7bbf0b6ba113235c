import FoundationEssentials
import IkranStores
import IkranTransport
import Support
import Testing

@testable import Ikran

/// What a pipeline holds in memory is bounded in bytes, whatever origins send and however slow disks
/// and storages are.
@Suite("Bounds", .timeLimit(.minutes(10)))
struct BoundTests {
  /// One string for all responses: only what is counted grows.
  private static let long = String(repeating: "x", count: 100_000)

  // MARK: - Responses and failures

  @Test func recordsAreBoundedInBytes() {
    let records = SourceRecords(nil)
    let response = StoredResponse(
      TransportResponse(
        status: 200,
        headers: [HeaderField("ETag", Self.long), HeaderField("Cache-Control", "max-age=60")],
        body: [],
        url: ""
      ),
      to: [],
      secret: FolderSecret(folder: nil),
      requested: 0,
      received: 0
    )
    for number in 0..<10_000 {
      records.set(SourceRecord(response, at: 0), of: SourceKey("\(number)"))
    }
    #expect(records.byteCount > 1 << 20)
    #expect(records.byteCount <= SourceRecords.byteLimit)
    records.trim(toBytes: 1 << 20)
    #expect(records.byteCount <= 1 << 20)
  }

  @Test func failuresAreBoundedInBytes() {
    let failures = FailureMemory(FailureOptions()) { _ in .seconds(60) }
    for number in 0..<10_000 {
      let error = ImageError.refused(Self.long, url: "http://a.test/\(number)")
      failures.remember(error, for: SourceKey("\(number)"), at: 0)
    }
    #expect(failures.byteCount > 1 << 20)
    #expect(failures.byteCount <= 4 << 20)
    let before = failures.byteCount
    failures.trim()
    #expect(failures.byteCount <= before / 2)
  }

  @Test(arguments: [MemoryPressure.warning, .critical])
  func memoryPressureTrimsRecordsAndFailures(pressure: MemoryPressure) async throws {
    let fields = [HeaderField("ETag", "\"\(Self.long)\"")]
    let transport = FakeTransport([
      .response(status: 200, headers: fields, body: try Square.png(50))
    ])
    let pipeline = ImagePipeline.deterministic(transport: transport) { options in
      options.hooks.remembers = { _ in .seconds(60) }
    }
    for number in 0..<20 {
      let url = "http://a.test/\(number).png"
      _ = try await pipeline.image(for: ImageRequest(location: url, style: .circle(8)))
    }
    transport.respond(with: .status(500))
    for number in 20..<40 {
      let url = "http://a.test/\(number).png"
      await #expect(throws: ImageError.self) {
        try await pipeline.image(for: ImageRequest(location: url, style: .circle(8)))
      }
    }
    let (records, failures) = pipeline.bookkeepingBytes
    #expect(records > 20 * 100_000)
    #expect(failures > 0)
    pipeline.relieveMemory(pressure)
    #expect(pipeline.bookkeepingBytes.records <= records / 2)
    #expect(pipeline.bookkeepingBytes.failures <= failures / 2)
  }

  @Test func anInvalidationIsNotForgottenForOthers() {
    let records = SourceRecords(nil)
    let (body, location) = (TableID("body"), SourceKey("location"))
    var record = SourceRecord(unlimited: body)
    record.fresh = 0..<(.max)
    records.set(record, of: location)
    records.invalidate(location: location, at: 5)
    for number in 0..<20_000 { records.invalidate(location: SourceKey("\(number)"), at: 6) }
    #expect(records.record(of: location, at: location)?.body == nil)
    record.fresh = 7..<(.max)
    records.set(record, of: location)
    #expect(records.record(of: location, at: location)?.body == body)
  }

  // MARK: - Bodies that wait for the decoder

  @Test func aBodyEntersWhenThereIsRoom() async throws {
    let backlog = Backlog(limit: 100)
    let first = await backlog.reserve(60)
    let waiting = [50, 40].map { bytes in Task { await backlog.reserve(bytes) } }
    try await until { backlog.waiting == 2 }
    #expect(backlog.bytes == 60)
    first.release()
    first.release()
    for task in waiting { _ = await task.value }
    #expect(backlog.waiting == 0)
    // A reservation that nobody holds is given back.
    #expect(backlog.bytes <= 90)
  }

  @Test func aBodyOverTheLimitEntersAlone() async throws {
    let backlog = Backlog(limit: 100)
    let large = await backlog.reserve(1_000)
    #expect(backlog.bytes == 1_000)
    let next = Task { await backlog.reserve(1) }
    try await until { backlog.waiting == 1 }
    large.release()
    let small = await next.value
    #expect(backlog.bytes == 1)
    small.release()
    #expect(backlog.bytes == 0)
  }

  /// A picture in a file of 33 megabytes: two are over the limit of 64.
  private func large() throws -> [UInt8] {
    try Square.png(50) + [UInt8](repeating: 0, count: 33 << 20)
  }

  private func request(_ number: Int, _ style: Style = .circle(8)) -> ImageRequest {
    ImageRequest(location: "http://a.test/\(number).png", style: style)
  }

  @Test func transfersWaitWhileTooMuchIsToBeDecoded() async throws {
    let transport = FakeTransport(body: try large())
    let codec = LatchedCodec()
    var options = PipelineOptions.steady
    options.decoding.maximumConcurrent = 1
    options.network.queue.maximumConcurrent = 2
    let pipeline = ImagePipeline(
      options: options,
      transport: transport,
      codecs: CodecList([codec])
    )
    let tasks = (0..<5).map { number in
      Task { try await pipeline.image(for: request(number)) }
    }
    // One is decoded; two wait and keep their slots.
    try await until { pipeline.activity.backlogWaiters == 2 }
    #expect(pipeline.downloads.running == 2)
    #expect(transport.urls.count == 3)
    #expect(pipeline.activity.backlogBytes < 64 << 20)
    codec.latch.open()
    for task in tasks { #expect(try await Square.shade(task.value) == 50) }
    try await until { pipeline.activity.backlogBytes == 0 }
  }

  @Test func aCancelledTransferGivesItsRoomBack() async throws {
    let transport = FakeTransport(body: try large())
    let codec = LatchedCodec()
    var options = PipelineOptions.steady
    options.decoding.maximumConcurrent = 1
    let pipeline = ImagePipeline(
      options: options,
      transport: transport,
      codecs: CodecList([codec])
    )
    let first = Task { try await pipeline.image(for: request(0)) }
    try await until { codec.arrivals.count == 1 }
    let second = Task { try await pipeline.image(for: request(1)) }
    try await until { pipeline.activity.backlogWaiters == 1 }
    second.cancel()
    await #expect(throws: ImageError.cancelled) { try await second.value }
    codec.latch.open()
    _ = try await first.value
    try await until { pipeline.activity.backlogBytes == 0 && pipeline.downloads.running == 0 }
  }

  // MARK: - Writes

  /// A disk that is stuck keeps no image from being loaded; what is too much to keep is not stored.
  @Test func aStuckDiskDoesNotStopTransfers() async throws {
    let (transport, latch) = (FakeTransport(body: try large()), ThreadLatch())
    let disk = FakeDisk(beforeStore: { latch.wait() })
    let pipeline = ImagePipeline(options: .steady, transport: transport, diskCache: disk)
    for number in 0..<5 {
      #expect(try await Square.shade(pipeline.image(for: request(number))) == 50)
    }
    #expect(transport.urls.count == 5)
    latch.open()
    await pipeline.finishWriting()
    // One was being written, and the next ones are over 64 MB with it.
    #expect(disk.keys.count == 1)
    #expect(pipeline.statistics.diskFailures == 4)
    _ = try await pipeline.image(for: request(5))
    await pipeline.finishWriting()
    #expect(disk.keys.count == 2)
  }

  /// What is loaded for the disk alone waits for it, so that none of it is missing.
  @Test func whatIsForTheDiskWaitsForAStuckDisk() async throws {
    let (transport, latch) = (FakeTransport(body: try large()), ThreadLatch())
    let disk = FakeDisk(beforeStore: { latch.wait() })
    let pipeline = ImagePipeline(options: .steady, transport: transport, diskCache: disk)
    for number in 0..<2 { _ = try await pipeline.fetchToDisk(request(number)) }
    // Both wait to be written: that is over 64 MB.
    try await until { pipeline.activity.backlogBytes > 66 << 20 }
    let next = Task { try await pipeline.fetchToDisk(request(2)) }
    let cancelled = Task { try await pipeline.fetchToDisk(request(3)) }
    cancelled.cancel()
    await #expect(throws: ImageError.cancelled) { try await cancelled.value }
    #expect(transport.urls.count == 2)
    latch.open()
    _ = try await next.value
    await pipeline.finishWriting()
    #expect(disk.keys.count == 3)
    #expect(pipeline.statistics.diskFailures == 0)
  }

  // MARK: - Saves of avatars

  @Test func savesRunAFewAtATimeAndAllAreDone() async throws {
    let saves = AvatarSaves(limit: 2, byteLimit: 1_000)
    let (latch, done) = (ThreadLatch(), Counter())
    for number in 0..<50 {
      let target = AvatarSaves.Target(storageID: "a", source: SourceKey("\(number)"))
      #expect(
        saves.add(target, bytes: 10) {
          latch.wait()
          done.add()
        }
      )
    }
    #expect(saves.counts == (2, 48))
    let finish = Task { await saves.finish() }
    latch.open()
    await finish.value
    #expect(done.count == 50)
    await saves.finish()
  }

  @Test func moreBytesThanTheQueueHoldsAreNotSaved() async throws {
    let saves = AvatarSaves(limit: 1, byteLimit: 100)
    let latch = ThreadLatch()
    let added = (0..<4).map { number in
      let target = AvatarSaves.Target(storageID: "a", source: SourceKey("\(number)"))
      return saves.add(target, bytes: 60) { latch.wait() }
    }
    #expect(added == [true, true, false, false])
    latch.open()
    await saves.finish()
  }

  @Test func whatOneStorageIsGivenOfOneSourceIsSavedInOrder() async throws {
    let saves = AvatarSaves(limit: 4)
    let (latch, order) = (ThreadLatch(), Recorder<Int>())
    let target = AvatarSaves.Target(storageID: "a", source: SourceKey("a"))
    let other = AvatarSaves.Target(storageID: "b", source: SourceKey("a"))
    for number in 0..<5 {
      _ = saves.add(target, bytes: 1) {
        latch.wait()
        order.add(number)
      }
    }
    #expect(saves.counts == (1, 4))
    _ = saves.add(other, bytes: 1) { latch.wait() }
    #expect(saves.counts == (2, 4))
    latch.open()
    await saves.finish()
    #expect(order.items == [0, 1, 2, 3, 4])
  }
}
