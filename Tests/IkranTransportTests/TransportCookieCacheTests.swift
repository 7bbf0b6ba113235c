import FoundationEssentials
import Ikran
import IkranTransport
import Support
import Testing

/// What the transport adds to requests, and what the caches make of `Vary` then.
@Suite(.timeLimit(.minutes(10)))
struct TransportCookieCacheTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func pipeline(_ identity: ClientIdentity) -> ImagePipeline {
    let transport = TransportUnderTest(CurlOptions(identity: identity))
    return ImagePipeline(
      options: .standard(folder.path),
      transport: SchemeTransport(network: transport)
    )
  }

  private func request(_ url: String, _ style: Style = .original) throws -> ImageRequest {
    ImageRequest(try #require(URL(string: url)), style: style)
  }

  /// Brings pictures of 8 pixels' width to strangers, and one more for each letter of the field.
  ///
  /// `/login` sets a cookie.
  private func server(vary: String, cookie: String = "id=7") throws -> LoopbackServer {
    let widths = try (8..<64).map { try TestImages.png(width: $0, height: 8) }
    return try LoopbackServer { request, connection in
      let known = request.header(vary) ?? ""
      var fields = ["Vary: \(vary)", "Cache-Control: max-age=600"]
      if request.path.hasPrefix("/login") { fields.append("Set-Cookie: \(cookie)") }
      return connection.send(fields, body: widths[known.utf8.count])
    }
  }

  @Test(.needsCurl("URLSession's cookies are refused"))
  func theStrangersPictureIsNotShownAfterALogIn() async throws {
    let server = try server(vary: "Cookie")
    let pipeline = pipeline(ClientIdentity(keepsCookies: true))
    let face = try request(server.url + "/face.png")
    #expect(try await pipeline.image(for: face).width == 8)
    #expect(try await pipeline.response(for: face).source == .memory)
    _ = try await pipeline.image(for: request(server.url + "/login.png"))
    #expect(pipeline.cached(for: face) == nil)
    #expect(try await pipeline.image(for: face).width == 12)
    // What was sent does not change: it is cached.
    #expect(try await pipeline.response(for: face).source == .memory)
    #expect(server.requests.count == 3)
  }

  @Test(.needsCurl("URLSession's cookies are refused"))
  func aRequestAfterALogInDoesNotJoinAStrangersTransfer() async throws {
    let (arrived, release) = (Latch(), ThreadLatch())
    let widths = try (8..<64).map { try TestImages.png(width: $0, height: 8) }
    let server = try LoopbackServer { request, connection in
      let known = request.header("Cookie") ?? ""
      var fields = ["Vary: Cookie", "Cache-Control: max-age=600"]
      if request.path.hasPrefix("/login") { fields.append("Set-Cookie: id=7") }
      if request.path.hasPrefix("/face"), known.isEmpty {
        arrived.open()
        _ = release.wait(seconds: 20)
      }
      return connection.send(fields, body: widths[known.utf8.count])
    }
    let pipeline = pipeline(ClientIdentity(keepsCookies: true))
    let face = try request(server.url + "/face.png")
    let first = pipeline.task(for: face)
    #expect(await arrived.wait())
    _ = try await pipeline.image(for: request(server.url + "/login.png"))
    let second = Task { try await pipeline.image(for: face).width }
    let width = try await second.value
    release.open()
    #expect(width == 12)
    #expect(try await first.response.image.width == 8)
    // What is shown from now on is the member's.
    #expect(try await pipeline.image(for: face).width == 12)
  }

  @Test(.needsCurl("URLSession's cookies are refused"))
  func aCookieOfAnotherPathOrHostChangesNothing() async throws {
    let server = try server(vary: "Cookie", cookie: "id=7; Path=/login")
    let pipeline = pipeline(ClientIdentity(keepsCookies: true))
    let face = try request(server.url + "/face.png")
    _ = try await pipeline.image(for: face)
    _ = try await pipeline.image(for: request(server.url + "/login.png"))
    #expect(try await pipeline.response(for: face).source == .memory)
    #expect(server.requests.count == 2)
  }

  @Test(.needsCurl("URLSession's cookies are refused"))
  func aLaterRunWithoutTheCookieGetsAnotherPicture() async throws {
    let server = try server(vary: "Cookie")
    let face = try request(server.url + "/face.png")
    let first = pipeline(ClientIdentity(keepsCookies: true))
    _ = try await first.image(for: request(server.url + "/login.png"))
    #expect(try await first.image(for: face).width == 12)
    await first.finishWriting()
    #expect(try await pipeline(ClientIdentity()).image(for: face).width == 8)
  }

  @Test func anotherUsersCredentialGetsAnotherPicture() async throws {
    let server = try server(vary: "Authorization")
    let face = try request(server.url + "/face.png")
    for (user, width) in [("ana", 22), ("johanna", 30), ("ana", 22)] {
      let credential = Credential(user: user, password: "pw", origin: server.url)
      let pipeline = pipeline(ClientIdentity(credential: credential))
      #expect(try await pipeline.image(for: face).width == width)
      #expect(try await pipeline.response(for: face).source == .memory)
      await pipeline.finishWriting()
    }
  }
}
