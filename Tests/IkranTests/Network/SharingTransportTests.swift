import IkranTransport
import Support
import Testing

@testable import Ikran

/// Files that processes share, in this one's memory.
private final class FakeSharedFiles: SharedFiles {
  struct State {
    var files: [String: SharedFile] = [:]
    var asked: [String] = []
    var removals = 0
    var confirmations = 0
  }

  let state = Guarded(State())

  var urls: [String] { state.withLock { $0.files.keys.sorted() } }

  func file(at url: String) async -> SharedFile? {
    state.withLock { state in
      state.asked.append(url)
      return state.files[url]
    }
  }

  func store(_ file: SharedFile, at url: String) { state.withLock { $0.files[url] = file } }

  func confirm(_ file: SharedFile, at url: String) {
    state.withLock { state in
      state.confirmations += 1
      state.files[url] = file
    }
  }

  func remove(at url: String) {
    state.withLock { state in
      state.removals += 1
      state.files[url] = nil
    }
  }
}

@Suite("Shared files", .timeLimit(.minutes(10)))
struct SharingTransportTests {
  private let url = "http://a.test/a.png"
  private let older: [UInt8]
  private let newer: [UInt8]
  private let clock = ManualClock()
  private let files = FakeSharedFiles()

  init() throws {
    older = try TestImages.png(width: 8, height: 8)
    newer = try TestImages.png(width: 9, height: 9)
  }

  /// What a process of its own receives, which has nothing on its disk.
  private func fetch(
    _ origin: ScriptedOrigin,
    _ url: String? = nil,
    _ change: (inout TransportRequest) -> Void = { _ in }
  ) async throws -> TransportResponse {
    var request = TransportRequest(url: url ?? self.url)
    request.reportsRedirects = true
    change(&request)
    return try await transport(origin).fetch(request)
  }

  private func transport(_ origin: ScriptedOrigin) -> SharingTransport {
    SharingTransport(network: origin, files: files, clock: clock.pipelineClock)
  }

  private func pipeline(_ origin: ScriptedOrigin) -> ImagePipeline {
    var options = PipelineOptions.steady
    options.network.retry = .none
    return ImagePipeline(
      options: options,
      transport: transport(origin),
      clock: clock.pipelineClock
    )
  }

  /// An origin whose file may be shared for a minute.
  private var origin: ScriptedOrigin {
    ScriptedOrigin([.ok(older, ["Cache-Control": "max-age=60", "ETag": "\"1\""])])
  }

  @Test func aSecondProcessHasTheFileWithoutItsOrigin() async throws {
    let request = ImageRequest(location: url, style: .original)
    _ = try await pipeline(origin).response(for: request)
    let unused = ScriptedOrigin([])
    let second = try await pipeline(unused).response(for: request)
    #expect(second.image.width == 8 && unused.requests.isEmpty)
  }

  @Test func aFileIsAsOldAsItIsSinceItsOriginSentIt() async throws {
    let sent = ScriptedOrigin([.ok(older, ["Cache-Control": "max-age=60", "Age": "20"])])
    _ = try await fetch(sent)
    clock.advance(by: .seconds(39))
    let found = try await fetch(ScriptedOrigin([]))
    #expect(found.body == older && found.header("age") == "59")
    #expect(found.headers.count { $0.isNamed("age") } == 1)
    clock.advance(by: .seconds(1))
    let asked = origin
    _ = try await fetch(asked)
    #expect(asked.requests.count == 1)
  }

  @Test func aStaleFileIsCheckedWithItsValidators() async throws {
    _ = try await fetch(origin)
    clock.advance(by: .seconds(60))
    let second = ScriptedOrigin([.status(304, ["Cache-Control": "max-age=60"])])
    let confirmed = try await fetch(second)
    #expect(confirmed.status == 200 && confirmed.body == older)
    #expect(second.header("if-none-match", of: 0) == "\"1\"")
    clock.advance(by: .seconds(59))
    #expect(try await fetch(ScriptedOrigin([])).body == older)
    #expect(files.state.withLock { $0.confirmations } == 1)
  }

  @Test func aLifetimeForSharedCachesCounts() async throws {
    let fields = ["Cache-Control": "max-age=60, s-maxage=10", "ETag": "\"1\""]
    _ = try await fetch(ScriptedOrigin([.ok(older, fields)]))
    clock.advance(by: .seconds(9))
    #expect(try await fetch(ScriptedOrigin([])).body == older)
    clock.advance(by: .seconds(1))
    let asked = ScriptedOrigin([.status(304)])
    #expect(try await fetch(asked).body == older && asked.requests.count == 1)
  }

  @Test(arguments: ["no-cache", "max-age=0", "max-age=60, s-maxage=0"])
  func whatCanNeverBeUsedIsNotShared(control: String) async throws {
    _ = try await fetch(ScriptedOrigin([.ok(older, ["Cache-Control": control])]))
    #expect(files.urls.isEmpty)
  }

  @Test func theBeginningOfANewerFileTakesTheOlderOneAway() async throws {
    _ = try await fetch(origin)
    let beginning = ScriptedOrigin { [newer] (request, _) throws(TransportError) in
      TransportResponse(status: 200, body: newer, url: request.url, isComplete: false)
    }
    _ = try await fetch(beginning) { $0.headers = [HeaderField("Cache-Control", "max-age=0")] }
    #expect(files.urls.isEmpty)
  }

  @Test(arguments: [302, 404])
  func whatWasNotFoundIsNotTakenAway(status: Int) async throws {
    _ = try await fetch(ScriptedOrigin([.status(status)]))
    #expect(files.state.withLock { $0.removals } == 0)
  }

  @Test func aStaleFileWithoutValidatorsIsFetchedAgain() async throws {
    _ = try await fetch(ScriptedOrigin([.ok(older, ["Cache-Control": "max-age=60"])]))
    clock.advance(by: .seconds(60))
    let second = ScriptedOrigin([.ok(newer, ["Cache-Control": "max-age=60"])])
    #expect(try await fetch(second).body == newer && second.requests[0].headers.isEmpty)
    #expect(try await fetch(ScriptedOrigin([])).body == newer)
  }

  @Test func aConfirmationOfAnotherVersionIsNotBelieved() async throws {
    _ = try await fetch(origin)
    clock.advance(by: .seconds(60))
    let second = ScriptedOrigin([.status(304, ["ETag": "\"2\""]), .ok(newer)])
    #expect(try await fetch(second).body == newer)
    #expect(second.requests.count == 2 && second.requests[1].headers.isEmpty)
  }

  @Test func whatHasToBeConfirmedEachTimeIsNotStoredEachTime() async throws {
    let fields = ["Cache-Control": "no-cache", "ETag": "\"1\""]
    _ = try await fetch(ScriptedOrigin([.ok(older, fields)]))
    let second = ScriptedOrigin([.status(304)])
    #expect(try await fetch(second).body == older && second.requests.count == 1)
    #expect(files.state.withLock { $0.confirmations } == 0)
  }

  @Test(arguments: ["no-cache", "max-age=0"])
  func whoAsksForTheOriginGetsIt(directive: String) async throws {
    _ = try await fetch(origin)
    let second = ScriptedOrigin([.ok(newer)])
    let reloaded = try await fetch(second) {
      $0.headers = [HeaderField("Cache-Control", directive)]
    }
    #expect(reloaded.body == newer)
    #expect(try await fetch(ScriptedOrigin([])).body == newer)
  }

  @Test(arguments: [
    ["Cache-Control": "no-store"], ["Cache-Control": "private, max-age=60"],
    ["Vary": "*"], ["Vary": "Cookie"], ["Vary": "Accept-Encoding, X-Token"],
  ])
  func whatMayNotBeSharedLeavesTheStore(fields: [String: String]) async throws {
    for status in [200, 304] {
      _ = try await fetch(origin)
      #expect(files.urls == [url])
      clock.advance(by: .seconds(60))
      let second = ScriptedOrigin([
        .response(status: status, headers: FakeResponse.fields(fields), body: newer)
      ])
      #expect(try await fetch(second).status == 200)
      #expect(files.urls.isEmpty, "\(status)")
    }
  }

  @Test(arguments: ["Accept-Encoding", "Accept, Origin"])
  func aFileThatAllProcessesAreSentIsShared(vary: String) async throws {
    let fields = ["Cache-Control": "max-age=60", "Vary": vary]
    _ = try await fetch(ScriptedOrigin([.ok(older, fields)]))
    #expect(try await fetch(ScriptedOrigin([])).body == older)
  }

  @Test(arguments: [301, 302, 401, 403, 404, 410])
  func aSourceThatIsGoneLeavesTheStore(status: Int) async throws {
    _ = try await fetch(origin)
    clock.advance(by: .seconds(60))
    #expect(try await fetch(ScriptedOrigin([.status(status)])).status == status)
    #expect(files.urls.isEmpty)
  }

  @Test(arguments: [429, 500, 503])
  func anOriginInTroubleChangesNothing(status: Int) async throws {
    _ = try await fetch(origin)
    clock.advance(by: .seconds(60))
    #expect(try await fetch(ScriptedOrigin([.status(status)])).status == status)
    #expect(files.urls == [url])
  }

  @Test(arguments: [
    "http://me:secret@a.test/a.png", "http://a.test/a.png?X-Amz-Signature=1",
    "http://a.test/a.png?a=b&Expires=9", "http://a.test/a.png?sig=1",
    "http://a.test/a.png?access_token=1", "http://a.test/a.png?hmac=1",
    "http://a.test/a.png?api_key=1", "s3://bucket/a.png", "file:///a.png",
  ])
  func aSecretURLIsNotShared(url: String) async throws {
    _ = try await fetch(origin, url)
    #expect(files.urls.isEmpty && files.state.withLock { $0.asked.isEmpty })
  }

  @Test func aURLWithAQueryIsShared() async throws {
    let url = "http://a.test/a.png?id=7"
    _ = try await fetch(origin, url)
    #expect(try await fetch(ScriptedOrigin([]), url).body == older)
  }

  @Test(arguments: ["Authorization", "Cookie", "X-Token", "Accept"])
  func aRequestWithAFieldOfItsOwnSharesNothing(name: String) async throws {
    _ = try await fetch(origin) { $0.headers = [HeaderField(name, "secret")] }
    #expect(files.urls.isEmpty && files.state.withLock { $0.asked.isEmpty })
  }

  @Test func onlyReadingIsShared() async throws {
    _ = try await fetch(origin) { $0.method = "POST" }
    _ = try await fetch(origin) { $0.headers = [HeaderField("Cache-Control", "no-store")] }
    _ = try await fetch(origin) { $0.reportsRedirects = false }
    #expect(files.urls.isEmpty && files.state.withLock { $0.asked.isEmpty })
  }

  @Test func partsOfAFileAreNotShared() async throws {
    let fields = ["Cache-Control": "max-age=60", "Content-Range": "bytes 0-9/99"]
    for status in [200, 206] {
      let part = FakeResponse.fields(fields)
      _ = try await fetch(ScriptedOrigin([.response(status: status, headers: part, body: older)]))
    }
    let broken = ScriptedOrigin([.interrupted(status: 200, headers: [], body: older)])
    await #expect(throws: TransportError.self) { try await fetch(broken) }
    #expect(files.urls.isEmpty)
  }

  @Test func aPageInPlaceOfAnImageIsNotShared() async throws {
    _ = try await fetch(origin)
    clock.advance(by: .seconds(60))
    _ = try await fetch(ScriptedOrigin([.ok(Array("<html></html>".utf8))]))
    #expect(files.urls.isEmpty)
  }

  @Test func aLargerFileThanIsWantedIsRefused() async throws {
    _ = try await fetch(origin)
    await #expect(throws: TransportError.bodyTooLarge(limit: 9)) {
      try await fetch(ScriptedOrigin([])) { $0.maximumBodyBytes = 9 }
    }
  }

  @Test func redirectsAreAskedForAndTheirTargetsAreShared() async throws {
    let moved = "http://a.test/moved"
    let request = ImageRequest(location: moved, style: .original)
    func origin(to target: String) -> ScriptedOrigin {
      ScriptedOrigin { [older] (request, _) throws(TransportError) in
        let isMoved = request.url == moved
        let fields = isMoved ? ["Location": target] : ["Cache-Control": "max-age=60"]
        return TransportResponse(
          status: isMoved ? 302 : 200,
          headers: FakeResponse.fields(fields),
          body: isMoved ? [] : older,
          url: request.url
        )
      }
    }
    _ = try await pipeline(origin(to: "http://a.test/b.png?key=1")).response(for: request)
    #expect(files.urls.isEmpty)
    _ = try await pipeline(origin(to: url)).response(for: request)
    #expect(files.urls == [url])
    let second = origin(to: url)
    _ = try await pipeline(second).response(for: request)
    #expect(second.urls == [moved])
  }

  @Test(arguments: [
    "", "ikran-http 2", "ikran-http 2 302 0 0 -\n<location:http://b.test/",
    "ikran-http 2 200 0 0 -\n<cache-control:private, max-age=999999999",
    "ikran-http 2 200 0 0 -\n>cookie:",
  ])
  func aHostileRecordIsNone(text: String) async throws {
    let hostile = SharedFile(response: Array(text.utf8), bytes: newer)
    files.store(hostile, at: url)
    files.store(SharedFile(response: Array(text.utf8), bytes: []), at: url + "?empty")
    #expect(try await fetch(origin).body == older)
    #expect(try await fetch(origin, url + "?empty").body == older)
  }
}
