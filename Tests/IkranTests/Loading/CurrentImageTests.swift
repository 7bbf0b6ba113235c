import FoundationEssentials
import Glibc
import IkranStores
import IkranTransport
import Support
import Testing

@testable import Ikran

/// An image is shown as current only if it was made from the bytes that its source has now.
@Suite("Current images", .timeLimit(.minutes(10)))
struct CurrentImageTests {
  private let folder: TemporaryDirectory
  private let clock = ManualClock()
  private let url: URL

  init() throws {
    folder = try TemporaryDirectory()
    url = try #require(URL(string: "http://a.test/a.png"))
  }

  /// A pipeline over the folder, as a new process would have.
  private func pipeline(
    _ transport: any Transport,
    _ configure: (inout PipelineOptions) -> Void = { _ in }
  ) -> ImagePipeline {
    .deterministic(transport: transport, clock: clock, folder: folder.path, configure: configure)
  }

  private func request(
    _ style: Style = .circle(8),
    _ fields: [String: String] = [:],
    method: String = "GET"
  ) -> ImageRequest {
    var request = ImageRequest(url, style: style)
    request.transfer.headers = FakeResponse.fields(fields)
    request.transfer.method = method
    return request
  }

  /// Loads an image in a process of its own; the shade that is shown.
  private func show(
    _ transport: any Transport,
    _ request: ImageRequest,
    _ configure: (inout PipelineOptions) -> Void = { _ in }
  ) async throws -> UInt8? {
    let pipeline = pipeline(transport, configure)
    let image = try await pipeline.image(for: request)
    await pipeline.finishWriting()
    return try Square.shade(image)
  }

  // MARK: - An old picture

  /// The fields of the responses, and whether the freshness file is lost with the disk cache's files.
  @Test(arguments: [["Cache-Control": "max-age=604800"], [:], ["ETag": "\"1\""]], [true, false])
  func anOldTableImageIsNotShownOnceTheSourceHasOtherBytes(
    fields: [String: String],
    losesFreshness: Bool
  ) async throws {
    let (older, newer) = (try Square.png(50), try Square.png(200))
    #expect(try await show(FakeTransport([.ok(older, fields)]), request(.circle(48))) == 50)
    for name in try Files.list(folder.path) where name != "tables" {
      if name != "freshness" || losesFreshness { try Files.removeTree("\(folder.path)/\(name)") }
    }
    var newFields = fields
    if fields["ETag"] != nil { newFields["ETag"] = "\"2\"" }
    let origin = FakeTransport([.ok(newer, newFields)])
    #expect(try await show(origin, request(.circle(96))) == 200)
    #expect(try await show(origin, request(.circle(48))) == 200)
    var refreshed = request(.circle(48))
    refreshed.caching.policy = .refresh
    #expect(try await show(origin, refreshed) == 200)
    var cached = request(.circle(48))
    cached.caching.policy = .onlyCached
    #expect(try await show(origin, cached) == 200)
  }

  @Test func anotherProcesssDownloadMakesAMemoryImageOldOnceItIsStale() async throws {
    let fields = ["Cache-Control": "max-age=60", "ETag": "\"1\""]
    let first = pipeline(FakeTransport([.ok(try Square.png(50), fields), .status(500)]))
    _ = try await first.image(for: request())
    await first.finishWriting()
    clock.advance(by: .seconds(61))
    let other = FakeTransport([.ok(try Square.png(200), ["Cache-Control": "max-age=600"])])
    #expect(try await show(other, request(.circle(9))) == 200)
    // Its table has the older image of the same style, which the newer record does not name.
    #expect(try await show(other, request()) == 200)
  }

  // MARK: - Files that are no images

  @Test func aFileThatIsCutOffReplacesNothing() async throws {
    let (older, newer) = (try Square.png(50), try Square.png(200, side: 64))
    let cut = Array(newer.prefix(newer.count - 20))
    let origin = FakeTransport([.ok(older, ["Cache-Control": "max-age=0"]), .ok(cut)])
    #expect(try await show(origin, request(.circle(48))) == 50)
    for _ in 0..<2 { #expect(try await show(origin, request(.circle(48))) == 50) }
    // Another style needs the file, which the disk still has.
    #expect(try await show(origin, request(.circle(40))) == 50)
    var cached = request(.circle(44))
    cached.caching.policy = .onlyCached
    #expect(try await show(origin, cached) == 50)
  }

  @Test func aFileThatIsCutOffIsNotTransferredAgainAtOnce() async throws {
    let (older, newer) = (try Square.png(50), try Square.png(200, side: 64))
    let cut = Array(newer.prefix(newer.count - 20))
    let origin = FakeTransport([.ok(older, ["Cache-Control": "max-age=0"]), .ok(cut)])
    let pipeline = pipeline(origin)
    for _ in 0..<5 { #expect(try await Square.shade(pipeline.image(for: request())) == 50) }
    #expect(origin.urls.count == 2)
  }

  // MARK: - Other processes, and what is removed meanwhile

  @Test func aConfirmationNamesNoBytesThatAnotherProcessHasStored() async throws {
    let fields = ["Cache-Control": "max-age=0", "ETag": "\"2\""]
    let latch = Latch()
    let newer = try Square.png(200)
    let slow = FakeTransport { (request, _) throws(TransportError) in
      let isConditional = request.headers.contains { $0.isNamed("if-none-match") }
      if isConditional { guard await latch.wait() else { throw .cancelled } }
      return TransportResponse(
        status: isConditional ? 304 : 200,
        headers: FakeResponse.fields(fields),
        body: isConditional ? [] : newer,
        url: request.url
      )
    }
    #expect(try await show(slow, request()) == 200)
    let first = pipeline(slow)
    var refresh = request()
    refresh.caching.policy = .refresh
    let refreshing = Task { [refresh] in try await first.image(for: refresh) }
    await latch.arrivals(1)
    var reload = request(.circle(9))
    reload.caching.policy = .reload
    let edge = FakeTransport([.ok(try Square.png(50), ["ETag": "\"1\""])])
    #expect(try await show(edge, reload) == 50)
    latch.open()
    _ = try await refreshing.value
    await first.finishWriting()
    let cache = try DiskCache(directory: folder.path)
    let entry = try #require(try cache.entry(for: "\(request().sourceKey)"))
    #expect(StoredResponse(entry.extended)?.body == Checksum.wide(entry.body))
  }

  /// An origin whose confirmations wait for a latch.
  private func confirming(
    _ latch: Latch,
    _ control: String = "max-age=60"
  ) throws -> FakeTransport {
    let png = try Square.png(50)
    return FakeTransport { (request, _) throws(TransportError) in
      let isConditional = request.headers.contains { $0.isNamed("if-none-match") }
      if isConditional { guard await latch.wait() else { throw .cancelled } }
      return TransportResponse(
        status: isConditional ? 304 : 200,
        headers: FakeResponse.fields(["Cache-Control": control, "ETag": "\"1\""]),
        body: isConditional ? [] : png,
        url: request.url
      )
    }
  }

  @Test func aConfirmationDoesNotBringBackWhatWasRemoved() async throws {
    let latch = Latch()
    let origin = try confirming(latch)
    let pipeline = pipeline(origin)
    _ = try await pipeline.image(for: request(.circle(9)))
    _ = try await pipeline.image(for: request())
    var refresh = request()
    refresh.caching.policy = .refresh
    let refreshing = Task { [refresh] in try? await pipeline.image(for: refresh) }
    await latch.arrivals(1)
    pipeline.remove(request())
    refreshing.cancel()
    latch.open()
    _ = await refreshing.value
    try await until { pipeline.activity.sources == 0 }
    #expect(pipeline.cached(for: request(.circle(9))) == nil)
    #expect(await pipeline.contains(request()) == [])
  }

  @Test func aRevalidationDoesNotReplaceWhatWasStored() async throws {
    let latch = Latch()
    let fields = "max-age=1, stale-while-revalidate=600"
    let origin = try confirming(latch, fields)
    let pipeline = pipeline(origin)
    _ = try await pipeline.image(for: request())
    clock.advance(by: .seconds(5))
    _ = try await pipeline.image(for: request())
    await latch.arrivals(1)
    try pipeline.store(Square.png(200), for: request())
    // What is stored is found although a transfer of the source runs.
    #expect(try await Square.shade(pipeline.image(for: request(.circle(7)))) == 200)
    latch.open()
    await pipeline.finishWriting()
    #expect(try await Square.shade(pipeline.image(for: request())) == 200)
  }

  // MARK: - Vary

  private func varying(_ field: String = "Authorization") throws -> FakeTransport {
    let (mine, yours) = (try Square.png(50), try Square.png(200))
    return FakeTransport { (request, _) throws(TransportError) in
      let isMine = request.headers.contains { $0.value == "me" }
      let fields = ["Vary": field, "Cache-Control": "max-age=600"]
      return TransportResponse(
        status: 200,
        headers: FakeResponse.fields(fields),
        body: isMine ? mine : yours,
        url: request.url
      )
    }
  }

  @Test(arguments: ["Authorization", "Cookie"])
  func whatVariesIsFoundForTheSameFieldsOnly(field: String) async throws {
    let origin = try varying(field)
    let (mine, yours) = (request(.circle(8), [field: "me"]), request(.circle(8), [field: "you"]))
    #expect(mine.sourceKey == yours.sourceKey)
    let pipeline = pipeline(origin)
    #expect(try await Square.shade(pipeline.image(for: mine)) == 50)
    #expect(try Square.shade(pipeline.cached(for: mine)) == 50)
    #expect(pipeline.cached(for: yours) == nil)
    #expect(pipeline.cached(for: request()) == nil)
    #expect(try await pipeline.response(for: mine).source == .memory)
    #expect(try await Square.shade(pipeline.image(for: yours)) == 200)
    #expect(pipeline.cached(for: mine) == nil)
    #expect(origin.requests.count == 2)
  }

  @Test(arguments: [true, false])
  func aLaterProcessFindsWhatVariesForTheSameFieldsOnly(hasTables: Bool) async throws {
    let origin = try varying()
    let mine = request(.circle(8), ["Authorization": "me"])
    let configure: (inout PipelineOptions) -> Void = { if !hasTables { $0.tables = nil } }
    #expect(try await show(origin, mine, configure) == 50)
    for other in [request(.circle(8), ["Authorization": "you"]), request()] {
      let pipeline = pipeline(origin, configure)
      #expect(pipeline.cached(for: other) == nil)
      var offline = other
      offline.caching.policy = .onlyCached
      await #expect(throws: ImageError.self) { try await pipeline.image(for: offline) }
    }
    #expect(try await show(origin, mine, configure) == 50)
    #expect(origin.requests.count == 1)
    #expect(try await show(origin, request(), configure) == 200)
    #expect(origin.requests.count == 2)
  }

  @Test func whatVariesByAFieldOfTheKeyIsFoundInATableAtOnce() async throws {
    let origin = try varying("Accept, Accept-Encoding")
    let mine = request(.circle(8), ["Accept": "me"])
    #expect(try await show(origin, mine) == 50)
    let pipeline = pipeline(origin)
    #expect(try Square.shade(pipeline.cached(for: mine)) == 50)
    #expect(pipeline.cached(for: request()) == nil)
  }

  // MARK: - Names of sources

  @Test func aFragmentIsNoPartOfTheSource() async throws {
    let origin = FakeTransport([.ok(try Square.png(50))])
    let pipeline = pipeline(origin)
    let marked = ImageRequest(location: "http://a.test/a.png#face", style: .circle(8))
    #expect(marked.sourceKey == request().sourceKey)
    _ = try await pipeline.image(for: marked)
    #expect(try await pipeline.response(for: request()).source == .memory)
    #expect(origin.urls == ["http://a.test/a.png"])
  }

  // MARK: - Local files

  /// Changes a file's bytes, or, with as many bytes as before, when it was changed.
  private func write(_ bytes: [UInt8], to path: String, second: Int) throws {
    let file = try #require(fopen(path, "wb"))
    _ = fwrite(bytes, 1, bytes.count, file)
    fclose(file)
    let times = [timespec(tv_sec: second, tv_nsec: 0), timespec(tv_sec: second, tv_nsec: 0)]
    #expect(utimensat(AT_FDCWD, path, times, 0) == 0)
  }

  @Test(arguments: [true, false])
  func aLocalFileThatChangedIsAnotherImage(hasOtherSize: Bool) async throws {
    let path = folder.path + "/picture.png"
    let (older, newer) = (try Square.png(50), try Square.png(200))
    // What follows the end of a PNG file is no part of the picture.
    let size = max(older.count, newer.count)
    func padded(_ bytes: [UInt8], _ count: Int) -> [UInt8] {
      bytes + [UInt8](repeating: 0, count: count - bytes.count)
    }
    let local = ImageRequest(URL(fileURLWithPath: path), style: .circle(8))
    let pipeline = ImagePipeline.deterministic(transport: SchemeTransport(), folder: folder.path)
    try write(padded(older, size), to: path, second: 1_000)
    #expect(try await Square.shade(pipeline.image(for: local)) == 50)
    #expect(try Square.shade(pipeline.cached(for: local)) == 50)
    #expect(try await pipeline.response(for: local).source == .memory)
    try write(padded(newer, hasOtherSize ? size + 1 : size), to: path, second: 2_000)
    #expect(pipeline.cached(for: local) == nil)
    var other = local
    other.style = .circle(9)
    #expect(try await Square.shade(pipeline.image(for: other)) == 200)
    #expect(try await Square.shade(pipeline.image(for: local)) == 200)
    #expect(try Square.shade(pipeline.cached(for: local)) == 200)
  }

  // MARK: - Unsafe methods

  @Test(arguments: ["PUT", "POST", "DELETE", "PATCH"])
  func anUnsafeMethodInvalidatesEveryVariant(method: String) async throws {
    let origin = FakeTransport([.ok(try Square.png(50))])
    let pipeline = pipeline(origin)
    let variants = [request(), request(.circle(8), ["Accept": "image/png"])]
    for variant in variants { _ = try await pipeline.image(for: variant) }
    clock.advance(by: .seconds(1))
    origin.respond(with: .status(204), .ok(try Square.png(200)))
    await #expect(throws: ImageError.status(204, url: "http://a.test/a.png")) {
      try await pipeline.image(for: request(method: method))
    }
    clock.advance(by: .seconds(1))
    for variant in variants {
      #expect(pipeline.cached(for: variant) == nil)
      #expect(try await Square.shade(pipeline.image(for: variant)) == 200)
    }
    #expect(origin.requests.count == 5)
  }

  @Test(arguments: [(true, true), (true, false), (false, true)])
  func aLaterProcessDoesNotShowWhatWasInvalidated(hasDisk: Bool, hasTables: Bool) async throws {
    let configure: (inout PipelineOptions) -> Void = { [folder] options in
      if !hasDisk { options.disk = nil }
      options.tables = hasTables ? TableOptions(directory: folder.path + "/tables") : nil
    }
    let variant = request(.circle(8), ["Accept": "image/png"])
    #expect(try await show(FakeTransport([.ok(try Square.png(50))]), variant, configure) == 50)
    clock.advance(by: .seconds(1))
    let changed = FakeTransport([.status(204), .ok(try Square.png(200))])
    let changing = pipeline(changed, configure)
    await #expect(throws: ImageError.status(204, url: "http://a.test/a.png")) {
      try await changing.image(for: request(method: "PUT"))
    }
    await changing.finishWriting()
    clock.advance(by: .seconds(1))
    #expect(pipeline(changed, configure).cached(for: variant) == nil)
    #expect(try await show(changed, variant, configure) == 200)
    #expect(try await show(changed, variant, configure) == 200)
    #expect(changed.requests.count == 2)
  }

  @Test func aDownloadThatBeganBeforeAnUnsafeMethodIsStale() async throws {
    let latch = Latch()
    let (older, newer) = (try Square.png(50), try Square.png(200))
    let gets = Counter()
    let origin = FakeTransport { (request, _) throws(TransportError) in
      guard request.method == "GET" else {
        return TransportResponse(status: 204, headers: [], body: [], url: request.url)
      }
      gets.add()
      let isFirst = gets.count == 1
      if isFirst { _ = await latch.wait() }
      return TransportResponse(
        status: 200,
        headers: .fresh,
        body: isFirst ? older : newer,
        url: request.url
      )
    }
    let pipeline = pipeline(origin)
    let first = Task { try await pipeline.image(for: request()) }
    await latch.arrivals(1)
    clock.advance(by: .seconds(1))
    await #expect(throws: ImageError.self) {
      try await pipeline.image(for: request(method: "PUT"))
    }
    clock.advance(by: .seconds(1))
    latch.open()
    _ = try await first.value
    #expect(try await Square.shade(pipeline.image(for: request())) == 200)
  }

  @Test func aFailureOfAnyVariantIsForgotten() async throws {
    let origin = FakeTransport([.status(404), .status(204), .ok(try Square.png(200))])
    let pipeline = pipeline(origin) { $0.network.failures = FailureOptions() }
    let variant = request(.circle(8), ["Accept": "image/png"])
    await #expect(throws: ImageError.self) { try await pipeline.image(for: variant) }
    await #expect(throws: ImageError.self) {
      try await pipeline.image(for: request(method: "PUT"))
    }
    #expect(try await Square.shade(pipeline.image(for: variant)) == 200)
  }
}
