import IkranStores
import Support
import Testing

@testable import IkranTransport

@Suite(.timeLimit(.minutes(10)))
struct TransportFetchTests {
  private let transport = TransportUnderTest()

  @Test(arguments: [0, 1, 1000, 70_000, 3_000_000])
  func aBodyArrivesWhole(count: Int) async throws {
    let server = try LoopbackServer { $1.send(["X-Name: some  value "], body: pattern(count)) }
    defer { withExtendedLifetime(server) {} }
    let response = try await transport.fetch(TransportRequest(url: server.url + "/a"))
    #expect(response.status == 200)
    #expect(response.body == pattern(count))
    #expect(response.header("x-NAME") == "some  value")
    #expect(response.url == server.url + "/a")
  }

  @Test(.needsCurl("FoundationNetworking makes an error of trailing fields"))
  func aChunkedBodyArrivesWholeAndKeepsItsTrailer() async throws {
    let server = try LoopbackServer { _, connection in
      connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
      for _ in 0..<10 { connection.send(chunk: pattern(5000)) }
      return connection.send("0\r\nX-Sum: 7\r\n\r\n")
    }
    defer { withExtendedLifetime(server) {} }
    let response = try await transport.fetch(TransportRequest(url: server.url))
    #expect(response.body.count == 50_000)
    #expect(response.header("X-Sum") == "7")
  }

  @Test(arguments: [200, 204, 304, 404, 500, 503])
  func everyStatusIsAnAnswer(status: Int) async throws {
    let server = try LoopbackServer { $1.send(status: status) }
    defer { withExtendedLifetime(server) {} }
    let response = try await transport.fetch(TransportRequest(url: server.url))
    #expect(response.status == status)
  }

  @Test func interimAnswersLeaveNoFields() async throws {
    let server = try LoopbackServer { _, connection in
      connection.send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
      return connection.send(body: [1])
    }
    defer { withExtendedLifetime(server) {} }
    let response = try await transport.fetch(TransportRequest(url: server.url))
    #expect(response.status == 200)
    #expect(response.header("Link") == nil)
  }

  @Test func requestsSayWhoAsksAndForWhat() async throws {
    let server = try LoopbackServer { $1.send(body: Array($0.head.utf8)) }
    defer { withExtendedLifetime(server) {} }
    let fields = [HeaderField("X-One", "1"), HeaderField("X-Empty", "")]
    let request = TransportRequest(url: server.url + "/p?q=1#f", headers: fields)
    let head = String(decoding: try await transport.fetch(request).body, as: UTF8.self)
    let lines = head.split(separator: "\r\n").map(String.init)
    #expect(lines.first == "GET /p?q=1 HTTP/1.1")
    #expect(lines.contains("User-Agent: Ikran/0.1"))
    #expect(lines.contains("Accept: image/*,*/*;q=0.8"))
    #expect(lines.contains("X-One: 1"))
    #expect(lines.contains("X-Empty:"))
    #expect(!head.lowercased().contains("cookie"))
  }

  @Test func aRequestsOwnFieldsReplaceTheUsualOnesForItAlone() async throws {
    let server = try LoopbackServer { $1.send(body: Array($0.head.utf8)) }
    defer { withExtendedLifetime(server) {} }
    let fields = [HeaderField("accept", "image/png"), HeaderField("User-Agent", "Me")]
    let own = try await transport.fetch(TransportRequest(url: server.url, headers: fields))
    let usual = try await transport.fetch(TransportRequest(url: server.url))
    let (ownHead, usualHead) = (
      String(decoding: own.body, as: UTF8.self), String(decoding: usual.body, as: UTF8.self)
    )
    #expect(ownHead.lowercased().contains("accept: image/png") && !ownHead.contains("image/*"))
    #expect(ownHead.contains("User-Agent: Me") && !ownHead.contains("Ikran"))
    #expect(usualHead.contains("image/*") && usualHead.contains("Ikran"))
  }

  @Test(arguments: [
    HeaderField("X", "a\r\nHost: evil"), HeaderField("X\n", "a"), HeaderField("", "a"),
    HeaderField("X:", "a"), HeaderField("X", "a\u{0}"),
  ])
  func fieldsThatWouldEndTheirLineAreRefused(field: HeaderField) async {
    let request = TransportRequest(url: "http://127.0.0.1:1/", headers: [field])
    await #expect(throws: TransportError.self) { try await transport.fetch(request) }
  }

  @Test func connectionsAreKeptAndReused() async throws {
    let server = try LoopbackServer { $1.send(body: pattern(100)) }
    defer { withExtendedLifetime(server) {} }
    for _ in 0..<20 { _ = try await transport.fetch(TransportRequest(url: server.url)) }
    #expect(server.connections == 1)
  }

  @Test func aHostGetsNoMoreConnectionsThanAllowed() async throws {
    let server = try LoopbackServer { $1.send(body: pattern(100)) }
    defer { withExtendedLifetime(server) {} }
    let narrow = TransportUnderTest(CurlOptions(connections: ConnectionLimits(perHost: 3)))
    try await withThrowingTaskGroup { group in
      for _ in 0..<60 {
        group.addTask { _ = try await narrow.fetch(TransportRequest(url: server.url)) }
      }
      try await group.waitForAll()
    }
    #expect(server.connections <= 3)
    #expect(server.requests.count == 60)
  }

  @Test(.needsCurl("FoundationNetworking keeps the body of a redirect, and has no time for others"))
  func aSmallTransferEndsWhileALargeOneKeepsTheThreadBusy() async throws {
    let flows = Latch()
    let server = try LoopbackServer { request, connection in
      guard request.path == "/flood" else { return connection.send(body: [1]) }
      // The body of a redirect is not kept, however long it is.
      connection.send("HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 1000000000000\r\n\r\n")
      let piece = pattern(100_000)
      while connection.send(piece) { flows.open() }
      return false
    }
    defer { withExtendedLifetime(server) {} }
    let flood = TransportRequest(url: server.url + "/flood", maximumBodyBytes: .max)
    let task = Task { [transport] in try await transport.fetch(flood) }
    #expect(await flows.wait())
    #expect(try await transport.fetch(TransportRequest(url: server.url)).body == [1])
    task.cancel()
    await #expect(throws: TransportError.cancelled) { try await task.value }
  }

  @Test func spacesAndOtherLettersInAPathAreEncoded() async throws {
    let server = try LoopbackServer { $1.send(body: Array($0.path.utf8)) }
    defer { withExtendedLifetime(server) {} }
    let response = try await transport.fetch(
      TransportRequest(url: server.url + "/my ö.png?a b")
    )
    #expect(String(decoding: response.body, as: UTF8.self) == "/my%20%C3%B6.png?a%20b")
  }

  @Test func progressStartsAtZeroGrowsAndEndsWithAll() async throws {
    let server = try LoopbackServer { $1.send(body: pattern(1_000_000)) }
    defer { withExtendedLifetime(server) {} }
    let seen = Recorder<TransferProgress>()
    _ = try await transport.fetch(TransportRequest(url: server.url)) { seen.add($0) }
    let received = seen.items.map(\.received)
    #expect(received.first == 0)
    #expect(received.last == 1_000_000)
    #expect(received == received.sorted())
    #expect(seen.items.allSatisfy { $0.expected == 1_000_000 })
  }

  @Test func progressOfAChunkedBodyExpectsNothing() async throws {
    let server = try LoopbackServer { _, connection in
      connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
      connection.send(chunk: pattern(10))
      return connection.send(chunk: [])
    }
    defer { withExtendedLifetime(server) {} }
    let seen = Recorder<TransferProgress>()
    _ = try await transport.fetch(TransportRequest(url: server.url)) { seen.add($0) }
    let expected = [
      TransferProgress(received: 0, expected: nil), TransferProgress(received: 10, expected: nil),
    ]
    #expect(seen.items == expected)
  }
}
