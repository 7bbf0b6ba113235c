import FoundationEssentials
import Ikran
import IkranTesting
import IkranTransport
import Support
import Testing

/// Closures of one request, and a hook that decides over requests.
@Suite("Hooks of requests", .timeLimit(.minutes(10)))
struct RequestHookTests {
  private let clock = ManualClock()
  private let png: [UInt8]

  init() throws { png = try Square.png(50) }

  private func request(_ hooks: RequestHooks?, _ path: String = "a") -> ImageRequest {
    var request = ImageRequest(location: "http://a.test/\(path).png", style: .circle(8))
    request.hooks = hooks
    return request
  }

  private func adding(_ name: String, _ value: String)
    -> @Sendable (TransportRequest) ->
    TransportRequest?
  {
    { request in
      var request = request
      request.headers.append(HeaderField(name, value))
      return request
    }
  }

  // MARK: - Of one request

  @Test func aRequestIsSentAsItsOwnHookMakesItAfterThePipelines() async throws {
    let transport = FakeTransport(body: png)
    let pipeline = ImagePipeline.deterministic(transport: transport) {
      $0.hooks.willSend = adding("X", "pipeline")
    }
    _ = try await pipeline.image(for: request(RequestHooks(id: "1", willSend: adding("X", "own"))))
    _ = try await pipeline.image(for: request(nil))
    let fields = transport.requests.map { $0.headers.filter { $0.name == "X" }.map(\.value) }
    #expect(fields == [["pipeline", "own"], ["pipeline"]])
  }

  @Test func hooksOfOneIDShareImagesAndThoseOfOthersDoNot() async throws {
    let transport = FakeTransport(body: png)
    let pipeline = ImagePipeline.deterministic(transport: transport)
    let sources = ["1", "2", "1", nil].map { id in
      request(id.map { RequestHooks(id: $0, willSend: adding("X", $0)) })
    }
    for request in sources { _ = try await pipeline.image(for: request) }
    #expect(transport.requests.count == 3)
    #expect(Set(sources.map(\.sourceKey)).count == 3)
  }

  @Test func aFileIsDecryptedForItsRequestAndKeptSo() async throws {
    let folder = try TemporaryDirectory()
    let transport = FakeTransport(body: png.map { $0 ^ 0x55 })
    let hooks = RequestHooks(id: "key 1", decrypt: { $0.map { $0 ^ 0x55 } })
    let pipeline = ImagePipeline.deterministic(transport: transport, folder: folder.path)
    #expect(try await pipeline.image(for: request(hooks)).width == 8)
    await pipeline.finishWriting()
    let later = ImagePipeline.deterministic(transport: FakeTransport(), folder: folder.path)
    #expect(try await later.data(for: request(hooks)) == png)
    await #expect(throws: ImageError.self) { try await pipeline.image(for: request(nil)) }
  }

  @Test func aRequestsOwnHookMayRefuseAResponseAndChooseWhatTheDiskKeeps() async throws {
    let folder = try TemporaryDirectory()
    let pipeline = ImagePipeline.deterministic(
      transport: FakeTransport(body: png),
      folder: folder.path
    )
    let refusing = RequestHooks(id: "refusing", didReceive: { _ in nil })
    do throws(ImageError) {
      _ = try await pipeline.image(for: request(refusing))
      Issue.record("it was not refused")
    } catch {
      guard case .refused = error else { throw error }
    }
    let keeping = request(RequestHooks(id: "keeping", willStore: { _, _ in nil }), "b")
    _ = try await pipeline.image(for: keeping)
    _ = try await pipeline.image(for: request(nil, "b"))
    await pipeline.finishWriting()
    #expect(await pipeline.contains(request(nil, "b")).contains(.disk))
    #expect(await !pipeline.contains(keeping).contains(.disk))
  }

  @Test func whatARedirectBringsToARequestWithAHookIsNotWhatADirectOneBrings() async throws {
    let transport = FakeTransport()
    let target = "http://b.test/b.png"
    transport.respond(
      to: try #require(URL(string: "http://a.test/a.png")),
      with: .status(302, headers: [HeaderField("Location", target)])
    )
    transport.respond(with: .body(png))
    let pipeline = ImagePipeline.deterministic(transport: transport)
    let hooks = RequestHooks(id: "1", willSend: adding("Authorization", "token"))
    _ = try await pipeline.image(for: request(hooks))
    var direct = ImageRequest(location: target, style: .circle(8))
    direct.hooks = hooks
    #expect(try await pipeline.response(for: direct).source == .network)
    let tokens = transport.requests.map { $0.headers.contains { $0.name == "Authorization" } }
    #expect(tokens == [true, false, true])
  }

  @Test func aFallbackElsewhereGetsNoCredentialsOfAHook() async throws {
    let transport = FakeTransport()
    let (own, other) = ("http://a.test/a.png", "http://b.test/b.png")
    transport.respond(to: try #require(URL(string: own)), with: .status(404))
    transport.respond(with: .body(png))
    let pipeline = ImagePipeline.deterministic(transport: transport)
    var request = request(RequestHooks(id: "1", willSend: adding("Authorization", "token")))
    request.transfer.fallbacks = [try #require(URL(string: other))]
    _ = try await pipeline.image(for: request)
    let tokens = transport.requests.map { $0.headers.contains { $0.name == "Authorization" } }
    #expect(transport.urls == [own, other])
    #expect(tokens == [true, false])
  }

  @Test func newCredentialsAreThoseOfTheHooksThatWereRefused() async throws {
    let transport = FakeTransport { [png] request, _ throws(TransportError) in
      let isNew = request.headers.contains { $0.name == "X-Token" && $0.value.hasPrefix("new") }
      return TransportResponse(
        status: isNew ? 200 : 401,
        headers: .fresh,
        body: isNew ? png : [],
        url: request.url
      )
    }
    let latch = Latch()
    let pipeline = ImagePipeline.deterministic(transport: transport) {
      $0.hooks.unauthorized = { request, _ in
        _ = await latch.wait()
        var request = request
        request.headers = request.headers.map { HeaderField($0.name, "new \($0.value)") }
        return request
      }
    }
    let tasks = ["anna", "ben"].map { id in
      Task {
        try await pipeline.image(
          for: request(RequestHooks(id: id, willSend: adding("X-Token", id)), id)
        )
      }
    }
    await latch.arrivals(2)
    latch.open()
    for task in tasks { _ = try await task.value }
    let sent = transport.requests.flatMap(\.headers).filter { $0.name == "X-Token" }.map(\.value)
    #expect(Set(sent) == ["anna", "ben", "new anna", "new ben"])
  }

  // MARK: - Deciding

  @Test func aHookMayShowAnImageInPlaceOfASource() async throws {
    let transport = FakeTransport(body: png)
    let drawn = try Bitmap(Color(red: 1, green: 2, blue: 3), size: PixelSize(width: 3, height: 2))
    let pipeline = ImagePipeline.deterministic(transport: transport) {
      $0.hooks.intercept = { $0.priority == .high ? .show(drawn) : .load($0) }
    }
    var request = request(nil)
    request.priority = .high
    let responses = try await [pipeline.response(for: request), pipeline.response(for: request)]
    #expect(responses.allSatisfy { $0.source == .hook && $0.image.size == drawn.size })
    #expect(transport.requests.isEmpty)
    request.priority = .low
    #expect(try await pipeline.response(for: request).source == .network)
  }

  @Test func aHookMayLoadAnotherRequestInItsPlace() async throws {
    let transport = FakeTransport(body: png)
    let other = request(nil, "b")
    let pipeline = ImagePipeline.deterministic(transport: transport) {
      $0.hooks.intercept = { _ in .load(other) }
    }
    let response = try await pipeline.response(for: request(nil))
    #expect(transport.urls == ["http://a.test/b.png"])
    #expect(response.key == (try await pipeline.response(for: other)).key)
    #expect(try await pipeline.response(for: request(nil)).source == .memory)
  }

  @Test func whatAHookThrowsEndsTheRequestAsItIs() async throws {
    struct NoAccount: Error {}
    let pipeline = ImagePipeline.deterministic(transport: FakeTransport(body: png)) {
      $0.hooks.intercept = { request in
        if request.style == .circle(8) { throw NoAccount() }
        throw ImageError.offline(url: "here")
      }
    }
    await #expect(throws: ImageError.offline(url: "here")) {
      _ = try await pipeline.image(for: ImageRequest(location: "http://a.test/", style: .original))
    }
    do {
      _ = try await pipeline.image(for: request(nil))
      Issue.record("it was not refused")
    } catch {
      #expect("\(error)".contains("NoAccount"))
    }
  }

  @Test func aCallerLeavesAHookThatDoesNotEnd() async throws {
    let hook = Latch()
    let pipeline = ImagePipeline.deterministic(transport: FakeTransport(body: png)) {
      $0.hooks.intercept = { request in
        // Not cancelled with its task: it goes on until the test opens it.
        await Task { _ = await hook.wait() }.value
        return .load(request)
      }
    }
    let task = Task { () -> ImageError? in
      do throws(ImageError) {
        _ = try await pipeline.image(for: request(nil))
        return nil
      } catch {
        return error
      }
    }
    await hook.arrivals(1)
    task.cancel()
    #expect(await task.value == .cancelled)
    hook.open()
  }
}
