import Glibc
import IkranStores
import IkranSystem
import Support
import Testing

@testable import IkranTransport

@Suite(.timeLimit(.minutes(10)))
struct TransportFailureTests {
  private let transport = TransportUnderTest()

  private func failure(_ request: TransportRequest) async -> TransportError? {
    do {
      _ = try await transport.fetch(request)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [
    "", "example.com/a.png", "ftp://example.com/a", "http:/a", "http://", "http:///a",
    "http://:80/",
    "http://a b/", "http://exa\nmple.com/", "://x", "http://[::1/", "http://host:99999/",
  ])
  func whatIsNoAddressIsRefused(url: String) async {
    guard case .invalidURL = await failure(TransportRequest(url: url)) else {
      Issue.record("\(url) was not refused as an address")
      return
    }
  }

  @Test func aDeadPortIsNamed() async throws {
    let port = try LoopbackServer.deadPort()
    let error = await failure(TransportRequest(url: "http://127.0.0.1:\(port)/secret?token=1"))
    #expect(error == .cannotConnect("127.0.0.1:\(port)"))
  }

  @Test func anUnknownHostIsNamed() async {
    let url = "http://user:pw@nohost.invalid/a"
    let error = await failure(TransportRequest(url: url, connectTimeout: .seconds(60)))
    #expect(error == .hostNotFound("nohost.invalid"))
  }

  @Test func aServerThatNeverAnswersRunsIntoTheTimeOut() async throws {
    let (socket, port) = try LoopbackServer.listen()
    defer { close(socket) }
    let request = TransportRequest(
      url: "http://127.0.0.1:\(port)/",
      connectTimeout: .seconds(30),
      timeout: .milliseconds(80)
    )
    #expect(await failure(request) == .timedOut(after: .milliseconds(80)))
  }

  @Test(.needsCurl("URLSession does not say when it is connected"))
  func aHandshakeThatNeverEndsRunsIntoTheConnectTimeOut() async throws {
    let (socket, port) = try LoopbackServer.listen()
    defer { close(socket) }
    let request = TransportRequest(
      url: "https://127.0.0.1:\(port)/",
      connectTimeout: .milliseconds(80),
      timeout: .seconds(30)
    )
    #expect(await failure(request) == .timedOut(after: .milliseconds(80)))
  }

  @Test func aNegativeTimeOutEndsAtOnce() async throws {
    let (socket, port) = try LoopbackServer.listen()
    defer { close(socket) }
    let request = TransportRequest(url: "http://127.0.0.1:\(port)/", timeout: .seconds(-5))
    #expect(await failure(request) == .timedOut(after: .seconds(-5)))
  }

  @Test func aBodyAnnouncedAsTooLargeIsRefusedBeforeItArrives() async throws {
    let server = try LoopbackServer { _, connection in
      // No body follows: only the announcement can be what is refused.
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n")
      return connection.receive() != nil
    }
    defer { withExtendedLifetime(server) {} }
    let request = TransportRequest(url: server.url, maximumBodyBytes: 1000)
    #expect(await failure(request) == .bodyTooLarge(limit: 1000))
  }

  @Test func anEndlessBodyIsCutAtTheLimit() async throws {
    let server = try LoopbackServer { _, connection in
      connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
      while connection.send(chunk: pattern(10_000)) {}
      return false
    }
    defer { withExtendedLifetime(server) {} }
    let seen = Recorder<TransferProgress>()
    let request = TransportRequest(url: server.url, maximumBodyBytes: 100_000)
    await #expect(throws: TransportError.bodyTooLarge(limit: 100_000)) {
      try await transport.fetch(request) { seen.add($0) }
    }
    #expect(seen.items.allSatisfy { $0.received <= 100_000 })
  }

  @Test(arguments: [0, 1])
  func aBodyOfExactlyTheLimitIsTaken(limit: Int) async throws {
    let server = try LoopbackServer {
      $1.send(body: pattern($0.path == "/over" ? limit + 1 : limit))
    }
    defer { withExtendedLifetime(server) {} }
    let fits = TransportRequest(url: server.url + "/fits", maximumBodyBytes: limit)
    let over = TransportRequest(url: server.url + "/over", maximumBodyBytes: limit)
    #expect(try await transport.fetch(fits).body.count == limit)
    #expect(await failure(over) == .bodyTooLarge(limit: limit))
  }

  @Test func aHugeAnnouncementReservesLittle() async throws {
    let server = try LoopbackServer { _, connection in
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 9000000000000000000\r\n\r\nabc")
      return false
    }
    defer { withExtendedLifetime(server) {} }
    let request = TransportRequest(url: server.url, maximumBodyBytes: .max)
    #expect(await failure(request) == .connectionLost(received: 3))
  }

  @Test func aBodyThatEndsEarlyIsALostConnection() async throws {
    let server = try LoopbackServer { _, connection in
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
      connection.send(pattern(600))
      return false
    }
    defer { withExtendedLifetime(server) {} }
    #expect(await failure(TransportRequest(url: server.url)) == .connectionLost(received: 600))
  }

  @Test func chunksThatEndEarlyAreALostConnection() async throws {
    let server = try LoopbackServer { _, connection in
      connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
      connection.send(chunk: pattern(600))
      return false
    }
    defer { withExtendedLifetime(server) {} }
    #expect(await failure(TransportRequest(url: server.url)) == .connectionLost(received: 600))
  }

  @Test func aConnectionClosedWithoutAWordIsLost() async throws {
    let server = try LoopbackServer { _, _ in false }
    defer { withExtendedLifetime(server) {} }
    #expect(await failure(TransportRequest(url: server.url)) == .connectionLost(received: 0))
  }

  @Test func anEndlessHeaderIsCut() async throws {
    let server = try LoopbackServer { _, connection in
      connection.send("HTTP/1.1 200 OK\r\n")
      while connection.send("X-Field: \(String(repeating: "a", count: 900))\r\n") {}
      return false
    }
    defer { withExtendedLifetime(server) {} }
    let error = await failure(TransportRequest(url: server.url))
    #expect(error == .headersTooLarge(limit: 256 << 10))
  }

  @Test(arguments: ["hello", "HTTP/9.9 200 OK\r\n\r\n", "\r\n\r\n\r\n"])
  func whatIsNotHTTPIsAnError(answer: String) async throws {
    let server = try LoopbackServer { _, connection in
      connection.send(answer)
      return false
    }
    defer { withExtendedLifetime(server) {} }
    #expect(await failure(TransportRequest(url: server.url)) != nil)
  }

  @Test func aTransportThatWasShutDownFetchesNothing() async throws {
    let requests = Guarded(0)
    let server = try LoopbackServer { _, connection in
      requests.withLock { $0 += 1 }
      return connection.send(body: [1])
    }
    defer { withExtendedLifetime(server) {} }
    let transport = TransportUnderTest()
    _ = try await transport.fetch(TransportRequest(url: server.url))
    transport.shutDown()
    await #expect(throws: TransportError.cancelled) {
      try await transport.fetch(TransportRequest(url: server.url))
    }
    #expect(requests.withLock { $0 } == 1)
  }
}
