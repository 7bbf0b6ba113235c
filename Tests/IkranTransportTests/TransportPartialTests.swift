import IkranStores
import Support
import Testing

@testable import IkranTransport

/// Bodies that are not wanted whole, and bodies that break off.
@Suite(.timeLimit(.minutes(10)))
struct TransportPartialTests {
  private let transport = TransportUnderTest()

  /// Sends 1,000 bytes of a body of 3,000 and then what `rest` does.
  private func halting(
    status: Int = 200,
    _ rest: @escaping @Sendable (LoopbackServer.Connection) -> Bool
  ) throws -> LoopbackServer {
    try LoopbackServer { _, connection in
      let head = "HTTP/1.1 \(status) Text\r\nContent-Length: 3000\r\nETag: \"a\"\r\n\r\n"
      connection.send(Array(head.utf8) + pattern(1000))
      return rest(connection)
    }
  }

  private func request(
    _ url: String,
    interruptions: Recorder<TransportResponse> = Recorder(),
    timeout: Duration = .seconds(30)
  ) -> TransportRequest {
    var request = TransportRequest(url: url, timeout: timeout)
    request.onInterruption = { interruptions.add($0) }
    return request
  }

  @Test func enoughOfABodyEndsTheTransferAsASuccess() async throws {
    // The rest never comes: only the answer "enough" can end it.
    let server = try halting { $0.receive() != nil }
    defer { withExtendedLifetime(server) {} }
    let interruptions = Recorder<TransportResponse>()
    var request = request(server.url, interruptions: interruptions)
    request.shouldStop = { $0.count >= 500 }
    let response = try await transport.fetch(request)
    #expect(!response.isComplete)
    #expect(response.body == pattern(1000))
    #expect(response.status == 200)
    #expect(interruptions.items.isEmpty)
  }

  @Test func aWholeBodyIsCompleteEvenWhenItsLastByteWasEnough() async throws {
    let server = try LoopbackServer { $1.send(body: pattern(100)) }
    defer { withExtendedLifetime(server) {} }
    var request = request(server.url)
    request.shouldStop = { $0.count >= 100 }
    let response = try await transport.fetch(request)
    #expect(response.isComplete && response.body.count == 100)
  }

  @Test func whoNeverHasEnoughGetsAll() async throws {
    let server = try LoopbackServer { $1.send(body: pattern(200_000)) }
    defer { withExtendedLifetime(server) {} }
    let asked = Counter()
    var request = request(server.url)
    request.shouldStop = { _ in
      asked.add()
      return false
    }
    let response = try await transport.fetch(request)
    #expect(response.isComplete && response.body == pattern(200_000))
    #expect(asked.count > 0)
  }

  @Test func nobodyIsAskedAboutAnErrorPage() async throws {
    let server = try LoopbackServer { $1.send(status: 404, body: pattern(100_000)) }
    defer { withExtendedLifetime(server) {} }
    var request = request(server.url)
    request.shouldStop = { _ in true }
    let response = try await transport.fetch(request)
    #expect(response.isComplete && response.status == 404 && response.body.count == 100_000)
  }

  @Test(arguments: [200, 206]) func whatHadArrivedIsHandedOverWhenTheConnectionBreaks(
    status: Int
  ) async throws {
    let server = try halting(status: status) { _ in false }
    defer { withExtendedLifetime(server) {} }
    let interruptions = Recorder<TransportResponse>()
    await #expect(throws: TransportError.connectionLost(received: 1000)) {
      try await transport.fetch(request(server.url, interruptions: interruptions))
    }
    let partial = try #require(interruptions.items.first)
    #expect(interruptions.items.count == 1)
    #expect(partial.status == status && partial.header("etag") == "\"a\"")
    #expect(partial.body == pattern(1000) && !partial.isComplete)
  }

  @Test func whatHadArrivedIsHandedOverWhenTheTimeIsUp() async throws {
    let server = try halting { $0.receive() != nil }
    defer { withExtendedLifetime(server) {} }
    let (interruptions, seen) = (Recorder<TransportResponse>(), Recorder<TransferProgress>())
    let request = request(server.url, interruptions: interruptions, timeout: .milliseconds(500))
    await #expect(throws: TransportError.timedOut(after: .milliseconds(500))) {
      try await transport.fetch(request) { seen.add($0) }
    }
    // On a machine that is very busy less than 1,000 bytes, or nothing, may have come in time.
    let arrived = seen.items.last.map { [pattern($0.received)] } ?? []
    #expect(interruptions.items.map(\.body) == arrived)
  }

  @Test func whatHadArrivedIsHandedOverWhenTheTaskIsCancelled() async throws {
    let server = try halting { $0.receive() != nil }
    defer { withExtendedLifetime(server) {} }
    let (interruptions, arrived) = (Recorder<TransportResponse>(), Latch())
    let request = request(server.url, interruptions: interruptions)
    let task = Task { [transport] in
      try await transport.fetch(request) { if $0.received == 1000 { arrived.open() } }
    }
    #expect(await arrived.wait())
    task.cancel()
    await #expect(throws: TransportError.cancelled) { try await task.value }
    #expect(interruptions.items.map(\.body) == [pattern(1000)])
  }

  @Test func nothingIsHandedOverOfAnErrorPageOrABodyThatIsTooLarge() async throws {
    let interruptions = Recorder<TransportResponse>()
    let errorPage = try halting(status: 500) { _ in false }
    await #expect(throws: TransportError.connectionLost(received: 1000)) {
      try await transport.fetch(request(errorPage.url, interruptions: interruptions))
    }
    let server = try halting { _ in false }
    var tooLarge = request(server.url, interruptions: interruptions)
    tooLarge.maximumBodyBytes = 2999
    await #expect(throws: TransportError.bodyTooLarge(limit: 2999)) {
      try await transport.fetch(tooLarge)
    }
    #expect(interruptions.items.isEmpty)
    withExtendedLifetime((errorPage, server)) {}
  }
}
