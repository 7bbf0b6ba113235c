import IkranServer
import Support
import Testing

@testable import IkranTransport

@Suite(.timeLimit(.minutes(10)))
struct TransportOptionTests {
  private func failure(
    _ transport: TransportUnderTest,
    _ request: TransportRequest
  ) async -> TransportError? {
    do {
      _ = try await transport.fetch(request)
      return nil
    } catch {
      return error
    }
  }

  // MARK: - Limits

  @Test func aHeaderOfExactlyTheLimitIsTaken() async throws {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
    let server = try LoopbackServer { $1.send(head) }
    let exact = TransferLimits(maximumHeaderBytes: head.utf8.count)
    let narrow = TransferLimits(maximumHeaderBytes: head.utf8.count - 1)
    let request = TransportRequest(url: server.url)
    #expect(await failure(TransportUnderTest(CurlOptions(limits: exact)), request) == nil)
    #expect(
      await failure(TransportUnderTest(CurlOptions(limits: narrow)), request)
        == .headersTooLarge(limit: head.utf8.count - 1)
    )
  }

  @Test(arguments: [103, 302]) func headersOfOtherAnswersCountAsWell(status: Int) async throws {
    let filler = "X: \(String(repeating: "a", count: 900))"
    let server = try LoopbackServer { request, connection in
      guard request.path == "/" else { return connection.send(body: [1]) }
      if status == 302 { return connection.send(status: 302, ["Location: /end", filler]) }
      connection.send("HTTP/1.1 103 Early\r\n\(filler)\r\n\r\n")
      return connection.send([filler], body: [1])
    }
    let request = TransportRequest(url: server.url)
    let limits = TransferLimits(maximumHeaderBytes: 950)
    #expect(
      await failure(TransportUnderTest(CurlOptions(limits: limits)), request)
        == .headersTooLarge(limit: 950)
    )
    #expect(await failure(TransportUnderTest(), request) == nil)
  }

  @Test(.needsCurl("URLSession has no minimum speed"))
  func aBodyThatTricklesIsTooSlow() async throws {
    let server = try LoopbackServer { _, connection in
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\na")
      return connection.receive() != nil
    }
    let speed = MinimumSpeed(bytesPerSecond: 1000, over: .seconds(1))
    let transport = TransportUnderTest(CurlOptions(limits: TransferLimits(minimumSpeed: speed)))
    #expect(await failure(transport, TransportRequest(url: server.url)) == .tooSlow(speed))
  }

  @Test func withoutAMinimumSpeedOnlyTheTimeOutCounts() async throws {
    let server = try LoopbackServer { _, connection in
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\na")
      return connection.receive() != nil
    }
    let transport = TransportUnderTest(CurlOptions(limits: TransferLimits(minimumSpeed: nil)))
    let request = TransportRequest(url: server.url, timeout: .milliseconds(1500))
    #expect(await failure(transport, request) == .timedOut(after: .milliseconds(1500)))
  }

  @Test func theTimeOutHoldsForAllRedirectsTogether() async throws {
    let origin = try Origin { head in
      Response(302, headers: [Field("Location", "/")], delay: .milliseconds(60))
    }
    let transport = TransportUnderTest(CurlOptions(limits: TransferLimits(maximumRedirects: 1000)))
    let request = TransportRequest(url: origin.baseURL, timeout: .milliseconds(200))
    #expect(await failure(transport, request) == .timedOut(after: .milliseconds(200)))
    #expect(origin.statistics.requests <= 4)
  }

  @Test(.needsCurl("FoundationNetworking shows no body of a redirect"))
  func theBodyOfARedirectIsBoundedToo() async throws {
    let server = try LoopbackServer { _, connection in
      connection.send("HTTP/1.1 302 Found\r\nLocation: /a\r\nTransfer-Encoding: chunked\r\n\r\n")
      while connection.send(chunk: pattern(10_000)) {}
      return false
    }
    let request = TransportRequest(url: server.url, maximumBodyBytes: 50_000)
    #expect(await failure(TransportUnderTest(), request) == .bodyTooLarge(limit: 50_000))
  }

  // MARK: - Destinations

  @Test func aSchemeThatIsNotAllowedIsNotUsed() async throws {
    let server = try LoopbackServer { $1.send(status: 302, ["Location: https://127.0.0.1:1/"]) }
    let secure = TransportUnderTest(CurlOptions(destinations: Destinations(schemes: [.https])))
    guard case .invalidURL = await failure(secure, TransportRequest(url: server.url)) else {
      Issue.record("http was used")
      return
    }
    #expect(server.connections == 0)
    let plain = TransportUnderTest(CurlOptions(destinations: Destinations(schemes: [.http])))
    #expect(
      await failure(plain, TransportRequest(url: server.url))
        == .forbiddenRedirect("https://127.0.0.1:1/")
    )
    #expect(
      await failure(TransportUnderTest(), TransportRequest(url: server.url))
        == .cannotConnect("127.0.0.1:1")
    )
  }

  // MARK: - Identity

  /// Answers with the value of one field, or with nothing.
  private func echo(_ name: String) throws -> LoopbackServer {
    try LoopbackServer { $1.send(body: Array(($0.header(name) ?? "").utf8)) }
  }

  private func text(_ transport: TransportUnderTest, _ url: String) async throws -> String {
    String(decoding: try await transport.fetch(TransportRequest(url: url)).body, as: UTF8.self)
  }

  @Test func aCredentialGoesToItsOriginAlone() async throws {
    let (own, other) = (try echo("Authorization"), try echo("Authorization"))
    let credential = Credential(user: "me", password: "pass:word", origin: own.url)
    let transport = TransportUnderTest(
      CurlOptions(identity: ClientIdentity(credential: credential))
    )
    #expect(try await text(transport, own.url) == "Basic bWU6cGFzczp3b3Jk")
    #expect(try await text(transport, other.url).isEmpty)
    #expect(try await text(transport, own.url + "/again") == "Basic bWU6cGFzczp3b3Jk")
    // A URL's own user and password come first.
    let url = "http://you:pw@127.0.0.1:\(own.port)/"
    #expect(try await text(transport, url) == "Basic eW91OnB3")
    #expect(try await text(transport, own.url) == "Basic bWU6cGFzczp3b3Jk")
  }

  @Test func aRefusedCredentialIsNotTriedAgain() async throws {
    let server = try LoopbackServer {
      $1.send(status: 401, ["WWW-Authenticate: Basic realm=\"a\""])
    }
    let credential = Credential(user: "me", password: "pw", origin: server.url)
    let transport = TransportUnderTest(
      CurlOptions(identity: ClientIdentity(credential: credential))
    )
    let response = try await transport.fetch(TransportRequest(url: server.url))
    #expect(response.status == 401 && server.requests.count == 1)
  }

  @Test(.needsCurl("URLSession's cookies are refused"))
  func cookiesAreKeptWhenThatIsAsked() async throws {
    try await expectCookies(CurlOptions(identity: ClientIdentity(keepsCookies: true)), "a=1")
  }

  @Test func cookiesAreIgnoredOtherwise() async throws {
    try await expectCookies(CurlOptions(), "")
  }

  private func expectCookies(_ options: CurlOptions, _ expected: String) async throws {
    let server = try LoopbackServer { request, connection in
      connection.send(["Set-Cookie: a=1"], body: Array((request.header("Cookie") ?? "").utf8))
    }
    let transport = TransportUnderTest(options)
    #expect(try await text(transport, server.url).isEmpty)
    // Many at a time, so that other handles than the first are used.
    try await withThrowingTaskGroup { group in
      for _ in 0..<12 {
        group.addTask { try await text(transport, server.url) }
      }
      for try await cookie in group { #expect(cookie == expected) }
    }
  }

  // MARK: - Proxy

  @Test(.needsCurl("URLSession uses the system's proxy alone"))
  func aProxyWithACredentialIsAskedForEverythingButWhatIsBypassed() async throws {
    let proxy = try LoopbackServer { request, connection in
      connection.send(body: Array((request.header("Proxy-Authorization") ?? "").utf8))
    }
    let direct = try LoopbackServer { $1.send(body: Array("direct".utf8)) }
    let server = ProxyServer(
      url: proxy.url,
      user: "me",
      password: "pw",
      bypassedHosts: ["127.0.0.1", "Example.invalid"]
    )
    let transport = TransportUnderTest(CurlOptions(proxy: .server(server)))
    #expect(try await text(transport, "http://other.invalid/a") == "Basic bWU6cHc=")
    #expect(proxy.requests == ["http://other.invalid/a"])
    #expect(try await text(transport, direct.url) == "direct")
    let lost = TransportRequest(
      url: "http://sub.example.invalid/",
      connectTimeout: .seconds(60)
    )
    #expect(await failure(transport, lost) == .hostNotFound("sub.example.invalid"))
    #expect(proxy.requests.count == 1)
  }

  // MARK: - Version

  @Test(.needsCurl("URLSession chooses the version of HTTP"))
  func versionTwoIsSpokenWithoutAskingFirst() async throws {
    let server = try LoopbackServer { request, connection in
      guard request.path == "*", request.head.hasPrefix("PRI * HTTP/2.0") else { return false }
      // SETTINGS; then, for stream 1, HEADERS with :status 200 (8.2.3, HPACK) and DATA "hello".
      connection.send([0, 0, 0, 4, 0, 0, 0, 0, 0])
      connection.send([0, 0, 1, 1, 4, 0, 0, 0, 1, 0x88])
      connection.send([0, 0, 5, 0, 1, 0, 0, 0, 1] + Array("hello".utf8))
      while connection.receive() != nil {}
      return false
    }
    let transport = TransportUnderTest(CurlOptions(httpVersion: .http2))
    let response = try await transport.fetch(TransportRequest(url: server.url))
    #expect(response.body == Array("hello".utf8))
    #expect(response.metrics?.httpVersion == "HTTP/2")
  }

  @Test(.needsCurl("URLSession chooses the version of HTTP"))
  func aServerThatCannotSpeakVersionTwoIsAnError() async throws {
    let server = try LoopbackServer { $1.send(body: [1]) }
    let request = TransportRequest(url: server.url)
    #expect(await failure(TransportUnderTest(CurlOptions(httpVersion: .http2)), request) != nil)
    let old = try await TransportUnderTest(CurlOptions(httpVersion: .http1)).fetch(request)
    #expect(old.metrics?.httpVersion == "HTTP/1.1")
  }

  @Test(.needsCurl("URLSession chooses the version of HTTP"))
  func versionThreeIsSpokenOrRefusedWithASentence() async throws {
    let server = try LoopbackServer { $1.send(body: [1]) }
    let transport = TransportUnderTest(CurlOptions(httpVersion: .http3))
    switch await failure(transport, TransportRequest(url: server.url)) {
    case nil: break  // This libcurl has it; over plain http nothing changes.
    case .unsupported(let reason): #expect(reason.contains("HTTP/3"))
    case let other: Issue.record("\(other.debugDescription)")
    }
  }
}
