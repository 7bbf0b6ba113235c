import FoundationEssentials
import IkranStores
import Support
import Testing

@testable import Ikran

private struct Failed: Error, CustomStringConvertible {
  let description = "the photo library is locked"
}

/// What FastImageCache got wrong between a request and its endings.
@Suite(.timeLimit(.minutes(10)))
struct EntityRequestTests {
  private let fixture: EntityFixture
  private let door = Latch()
  private let asked = Recorder<String>()

  init() throws { fixture = try EntityFixture() }

  /// A cache whose sources wait at the door, then bring `source`.
  private func cache(
    _ options: EntityCacheOptions = EntityCacheOptions(),
    _ source: @escaping @Sendable (any ImageEntity) async throws -> Bitmap? = { _ in
      try EntityFixture.plain(100)
    }
  ) throws -> EntityImageCache {
    try fixture.cache(options) { [door, asked] entity, url in
      asked.add(url.absoluteString)
      _ = await door.wait()
      return try await source(entity)
    }
  }

  private func ending(_ task: Task<Bitmap, any Error>) async -> ImageError? {
    switch await task.result {
    case .success: nil
    case .failure(let error): error as? ImageError
    }
  }

  @Test func everyoneWhoWaitsForOnePictureSharesOneRequest() async throws {
    let cache = try cache()
    let callers = ["small", "large", "lonely", "small", "lonely"].map { format in
      Task { try await cache.retrieve(TestMember(), format: format) }
    }
    try await until { cache.drawings.callers >= 5 && cache.sources.callers >= 2 }
    door.open()
    for caller in callers { #expect(try EntityFixture.level(await caller.value) == 100) }
    #expect(asked.items == ["photos://ana"])
  }

  @Test func twoEntitiesOfOnePictureShareItsRequest() async throws {
    let cache = try cache()
    let callers = ["ana", "ben"].map { name in
      Task { try await cache.retrieve(TestMember(name: name), format: "small") }
    }
    try await until { cache.sources.callers >= 2 }
    door.open()
    for caller in callers { #expect(try EntityFixture.level(await caller.value) == 100) }
    #expect(asked.items.count == 1)
  }

  @Test func anOlderVersionsSourceIsNotTakenForANewer() async throws {
    let cache = try cache { entity in
      try EntityFixture.plain(entity.sourceVersionID == TableID("1") ? 10 : 20)
    }
    let old = Task { try await cache.retrieve(TestMember(), format: "small") }
    await door.arrivals(1)
    let new = Task { try await cache.retrieve(TestMember(version: "2"), format: "small") }
    await door.arrivals(2)
    door.open()
    #expect(try EntityFixture.level(await old.value) == 10)
    #expect(try EntityFixture.level(await new.value) == 20)
  }

  @Test func aSourceWithoutAnImageEndsAllWaiters() async throws {
    let cache = try cache { _ in nil }
    let callers = ["small", "large", "lonely"].map { format in
      Task { try await cache.retrieve(TestMember(), format: format) }
    }
    try await until { cache.drawings.callers >= 3 && cache.sources.callers >= 2 }
    door.open()
    for caller in callers {
      #expect(await ending(caller) == .noSource(url: "photos://ana"))
    }
    #expect(fixture.errors.items == [.noSource(url: "photos://ana")])
    #expect(cache.waiting == 0)
  }

  @Test func aSourceThatThrowsEndsAllWaiters() async throws {
    let cache = try cache { _ in throw Failed() }
    let callers = ["small", "lonely"].map { format in
      Task { try await cache.retrieve(TestMember(), format: format) }
    }
    try await until { cache.sources.callers >= 2 }
    door.open()
    let error = ImageError.source("the photo library is locked", url: "photos://ana")
    for caller in callers { #expect(await ending(caller) == error) }
    #expect(fixture.errors.items == [error])
  }

  @Test func anErrorIsNotRemembered() async throws {
    door.open()
    let attempts = Counter()
    let cache = try cache { _ in
      attempts.add()
      return attempts.count == 1 ? nil : try EntityFixture.plain(3)
    }
    await #expect(throws: ImageError.self) {
      try await cache.retrieve(TestMember(), format: "small")
    }
    #expect(try EntityFixture.level(await cache.retrieve(TestMember(), format: "small")) == 3)
  }

  @Test func aSourceThatNeverAnswersEndsWhenItsTimeIsOver() async throws {
    let timeUp = Latch()
    let never = Latch()
    let deadlines = Counter()
    let options = EntityCacheOptions(timeout: .seconds(5), maximumConcurrent: 1)
    let cache = try fixture.cache(options) { duration in
      #expect(duration == .seconds(5))
      deadlines.add()
      // Only the first source's time is ever over.
      let isUp = deadlines.count == 1 ? await timeUp.wait() : await never.wait()
      guard isUp else { throw CancellationError() }
    } source: { entity, _ in
      guard entity.entityID == TableID("ana") else { return try EntityFixture.plain(1) }
      // It heeds no cancellation either.
      _ = await Task { await never.wait() }.value
      return nil
    }
    defer { never.open() }
    let callers = ["small", "lonely"].map { format in
      Task { try await cache.retrieve(TestMember(), format: format) }
    }
    await timeUp.arrivals(1)
    try await until { cache.sources.callers >= 2 }
    timeUp.open()
    let error = ImageError.timedOut(.seconds(5), url: "photos://ana")
    for caller in callers { #expect(await ending(caller) == error) }
    // Its place is free for the next.
    let ben = TestMember(name: "ben")
    #expect(try EntityFixture.level(await cache.retrieve(ben, format: "small")) == 1)
  }

  @Test func cancellingEndsEachCallerOnceWithAnError() async throws {
    let cancelled = Latch()
    let cache = try cache { _ in
      if Task.isCancelled { cancelled.open() }
      return nil
    }
    let callers = (0..<3).map { _ in
      Task { try await cache.retrieve(TestMember(), format: "small") }
    }
    try await until { cache.drawings.callers >= 3 && asked.items.count == 1 }
    cache.cancel(TestMember(), format: "small")
    for caller in callers { #expect(await ending(caller) == .cancelled) }
    // Nobody waits any more, so the source is given up.
    #expect(await cancelled.wait())
    #expect(fixture.errors.items.isEmpty)
    cache.cancel(TestMember())
  }

  @Test func cancellingOneFormatLeavesTheOthers() async throws {
    let cache = try cache()
    let small = Task { try await cache.retrieve(TestMember(), format: "small") }
    let large = Task { try await cache.retrieve(TestMember(), format: "large") }
    let ben = Task { try await cache.retrieve(TestMember(name: "ben"), format: "small") }
    try await until { cache.drawings.callers >= 3 }
    cache.cancel(TestMember(), format: "small")
    #expect(await ending(small) == .cancelled)
    door.open()
    #expect(try EntityFixture.level(await large.value) == 100)
    #expect(try EntityFixture.level(await ben.value) == 100)
  }

  @Test func aCancelledTaskReturnsAtOnceAndOthersGoOn() async throws {
    let cache = try cache()
    let first = Task { try await cache.retrieve(TestMember(), format: "small") }
    let second = Task { try await cache.retrieve(TestMember(), format: "small") }
    try await until { cache.drawings.callers >= 2 }
    first.cancel()
    #expect(await ending(first) == .cancelled)
    door.open()
    #expect(try EntityFixture.level(await second.value) == 100)
  }

  @Test func nobodyNeedsToWantTheResult() async throws {
    door.open()
    let cache = try cache()
    _ = try? await cache.retrieve(TestMember(), format: "small")
    _ = try? await cache.setImage(
      EntityFixture.plain(5),
      for: TestMember(name: "ben"),
      format: "small"
    )
    #expect(cache.exists(TestMember(), format: "small"))
    #expect(cache.exists(TestMember(name: "ben"), format: "small"))
  }

  @Test func aDrawingThatFailsLeavesTheOlderImage() async throws {
    door.open()
    let cache = try cache()
    try await cache.retrieve(TestMember(), format: "small")
    var broken = TestMember()
    broken.drawing = { _, _, format in if format.name == "small" { throw Failed() } }
    let error = ImageError.drawing("the photo library is locked", format: "small")
    await #expect(throws: error) {
      try await cache.setImage(EntityFixture.plain(1), for: broken, format: "small")
    }
    #expect(try EntityFixture.level(cache.image(for: TestMember(), format: "small")) == 100)
    #expect(fixture.errors.items == [error])
  }

  @Test func oneFormatThatCannotBeDrawnCostsTheFamilyNothing() async throws {
    door.open()
    let cache = try cache()
    var broken = TestMember()
    broken.drawing = { image, canvas, format in
      if format.name == "large" { throw Failed() }
      try canvas.draw(image)
    }
    #expect(try EntityFixture.level(await cache.retrieve(broken, format: "small")) == 100)
    await #expect(throws: ImageError.self) { try await cache.retrieve(broken, format: "large") }
  }

  @Test func whatIsBeingDrawnIsNotSeenAndHoldsUpNobody() async throws {
    door.open()
    let brush = ThreadLatch()
    let drawing = Latch()
    let cache = try cache(EntityCacheOptions(drawsWholeFamily: false))
    let ben = TestMember(name: "ben")
    try await cache.retrieve(ben, format: "small")
    var slow = TestMember()
    slow.drawing = { image, canvas, _ in
      try canvas.draw(image)
      drawing.open()
      brush.wait()
    }
    let entity = slow
    let caller = Task { try await cache.retrieve(entity, format: "small") }
    _ = await drawing.wait()
    #expect(cache.image(for: slow, format: "small") == nil)
    #expect(!cache.exists(slow, format: "small"))
    #expect(try EntityFixture.level(cache.image(for: ben, format: "small")) == 100)
    brush.open()
    #expect(try EntityFixture.level(await caller.value) == 100)
  }

  @Test func whatWasSetMeanwhileIsNotReplacedByALateSource() async throws {
    let cache = try cache()
    let late = Task { try await cache.retrieve(TestMember(), format: "small") }
    await door.arrivals(1)
    let newer = TestMember(version: "2")
    try await cache.setImage(EntityFixture.plain(9), for: newer, format: "small")
    door.open()
    #expect(try EntityFixture.level(await late.value) == 100)
    #expect(try EntityFixture.level(cache.image(for: newer, format: "small")) == 9)
  }

  @Test(arguments: [false, true])
  func whatWasDeletedMeanwhileStaysDeleted(isReset: Bool) async throws {
    let cache = try cache()
    let late = Task { try await cache.retrieve(TestMember(), format: "small") }
    await door.arrivals(1)
    if isReset { try await cache.reset() } else { try await cache.delete(TestMember()) }
    door.open()
    #expect(try EntityFixture.level(await late.value) == 100)
    #expect(!cache.exists(TestMember(), format: "small"))
    #expect(!cache.exists(TestMember(), format: "large"))
  }

  @Test func anEntityWithoutASourceSaysSo() async throws {
    let cache = try cache()
    await #expect {
      try await cache.retrieve(TestMember(sourceURL: nil), format: "small")
    } throws: { error in
      if case ImageError.invalidRequest = error { true } else { false }
    }
    #expect(asked.items.isEmpty)
  }

  @Test func manyEntitiesAtOnceGetEachItsOwn() async throws {
    door.open()
    let cache = try cache { entity in
      try EntityFixture.plain(UInt8(truncatingIfNeeded: entity.entityID.low))
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<200 {
        group.addTask {
          let url = URL(string: "photos://\(number)")
          let member = TestMember(name: "\(number)", sourceURL: url)
          let format = ["small", "large", "lonely"][number % 3]
          let image = try await cache.retrieve(member, format: format)
          let expected = UInt8(truncatingIfNeeded: member.entityID.low)
          #expect(try EntityFixture.level(image) == expected)
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func noMoreSourcesAreAskedAtOnceThanAllowed() async throws {
    let cache = try cache(EntityCacheOptions(maximumConcurrent: 2))
    let callers = (0..<5).map { number in
      Task {
        try await cache.retrieve(
          TestMember(name: "\(number)", sourceURL: URL(string: "photos://\(number)")),
          format: "small"
        )
      }
    }
    try await until { cache.sourceRequests.waiting == 3 && asked.items.count == 2 }
    door.open()
    for caller in callers { _ = try await caller.value }
    #expect(asked.items.count == 5)
  }

  @Test func idsMadeFromUUIDsAreOneInEitherCase() throws {
    let upper = try #require(TableID(hexadecimal: "6BA7B810-9DAD-11D1-80B4-00C04FD430C8"))
    let lower = try #require(TableID(hexadecimal: "6ba7b8109dad11d180b400c04fd430c8"))
    #expect(upper == lower)
    #expect(TableID(hexadecimal: "not a UUID") == nil)
    #expect(TableID("a") != TableID("A"))
  }

  @Test func anOlderVersionThatComesLateReplacesNoNewer() async throws {
    let (door, first) = (door, TableID("1"))
    let cache = try fixture.cache { entity, _ in
      guard entity.sourceVersionID == first else { return try EntityFixture.plain(20) }
      _ = await door.wait()
      return try EntityFixture.plain(10)
    }
    let old = Task { try await cache.retrieve(TestMember(), format: "small") }
    await door.arrivals(1)
    let newer = TestMember(version: "2")
    #expect(try EntityFixture.level(await cache.retrieve(newer, format: "small")) == 20)
    door.open()
    #expect(try EntityFixture.level(await old.value) == 10)
    #expect(cache.exists(newer, format: "small"))
  }
}
