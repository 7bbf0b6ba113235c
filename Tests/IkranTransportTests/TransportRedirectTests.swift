import Support
import Testing

@testable import IkranTransport

@Suite(.timeLimit(.minutes(10)))
struct TransportRedirectTests {
  private let transport = TransportUnderTest()

  /// `/N` redirects to `/N-1`, `/0` answers.
  private func countdown() throws -> LoopbackServer {
    try LoopbackServer { request, connection in
      let number = Int(request.path.dropFirst()) ?? 0
      guard number > 0 else { return connection.send(["X-Last: 1"], body: [42]) }
      return connection.send(
        status: 302,
        ["Location: /\(number - 1)", "X-Hop: 1"],
        body: pattern(3000)
      )
    }
  }

  @Test(arguments: [0, 1, 5, 6, 20]) func upToTwentyAreFollowed(count: Int) async throws {
    let server = try countdown()
    defer { withExtendedLifetime(server) {} }
    let response = try await transport.fetch(TransportRequest(url: "\(server.url)/\(count)"))
    #expect(response.status == 200)
    #expect(response.body == [42])
    #expect(response.url == "\(server.url)/0")
    #expect(response.header("X-Last") == "1")
    #expect(response.header("X-Hop") == nil)
  }

  @Test func theTwentyFirstIsTooMany() async throws {
    let server = try countdown()
    defer { withExtendedLifetime(server) {} }
    await #expect(throws: TransportError.tooManyRedirects(limit: 20)) {
      try await transport.fetch(TransportRequest(url: "\(server.url)/21"))
    }
  }

  @Test func aLoopEnds() async throws {
    let server = try LoopbackServer { $1.send(status: 301, ["Location: /again"]) }
    defer { withExtendedLifetime(server) {} }
    await #expect(throws: TransportError.tooManyRedirects(limit: 20)) {
      try await transport.fetch(TransportRequest(url: server.url))
    }
    #expect(server.requests.count == 21)
  }

  @Test(arguments: [
    "file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://127.0.0.1/x", "data:text/plain,x",
    "nonsense://x",
  ])
  func otherSchemesAreForbidden(target: String) async throws {
    let server = try LoopbackServer { $1.send(status: 302, ["Location: \(target)"]) }
    defer { withExtendedLifetime(server) {} }
    await #expect(throws: TransportError.forbiddenRedirect(redacted(target))) {
      try await transport.fetch(TransportRequest(url: server.url))
    }
  }

  @Test(.needsCurl("FoundationNetworking keeps the body of a redirect to itself"))
  func aRedirectWithoutATargetIsTheAnswer() async throws {
    let server = try LoopbackServer { $1.send(status: 302, body: [1, 2]) }
    defer { withExtendedLifetime(server) {} }
    let response = try await transport.fetch(TransportRequest(url: server.url))
    #expect(response.status == 302)
    #expect(response.body == [1, 2])
  }

  @Test func progressTellsOfTheLastAnswerOnly() async throws {
    let server = try countdown()
    defer { withExtendedLifetime(server) {} }
    let seen = Recorder<TransferProgress>()
    _ = try await transport.fetch(TransportRequest(url: "\(server.url)/2")) { seen.add($0) }
    let expected = [
      TransferProgress(received: 0, expected: 1), TransferProgress(received: 1, expected: 1),
    ]
    #expect(seen.items == expected)
  }

  @Test func aDeadTargetIsNamed() async throws {
    let server = try LoopbackServer {
      $1.send(status: 302, ["Location: http://nohost.invalid/x?token=1"])
    }
    defer { withExtendedLifetime(server) {} }
    await #expect(throws: TransportError.hostNotFound("nohost.invalid")) {
      try await transport.fetch(TransportRequest(url: server.url, connectTimeout: .seconds(60)))
    }
  }
}
