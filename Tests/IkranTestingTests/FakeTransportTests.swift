import FoundationEssentials
import Ikran
import IkranTesting
import IkranTransport
import Support
import Testing

@Suite(.timeLimit(.minutes(10)))
struct FakeTransportTests {
  private let url: URL
  private let request: TransportRequest
  private let transport = FakeTransport()

  init() throws {
    url = try #require(URL(string: "http://example.test/a.png"))
    request = TransportRequest(url: url.absoluteString, timeout: .seconds(60))
  }

  @Test func responsesComeInOrderAndTheLastOneStays() async throws {
    transport.respond(to: url, with: .body([1]), .status(404), .body([2]))
    transport.respond(with: .status(500))
    #expect(try await transport.fetch(request).body == [1])
    #expect(try await transport.fetch(request).status == 404)
    #expect(try await transport.fetch(request).body == [2])
    #expect(try await transport.fetch(request).body == [2])
    #expect(try await transport.fetch(TransportRequest(url: "http://else.test/")).status == 500)
    #expect(transport.urls == Array(repeating: request.url, count: 4) + ["http://else.test/"])
  }

  @Test func aRequestWithoutAResponseFailsAndNamesItsURL() async {
    let error = await #expect(throws: TransportError.self) { try await transport.fetch(request) }
    #expect(error?.description.contains(request.url) == true)
  }

  @Test func requestsAreRecordedAsTheyWereSent() async throws {
    var request = request
    request.headers = [HeaderField("Accept", "image/webp")]
    request.method = "POST"
    transport.respond(with: .status(204))
    _ = try await transport.fetch(request)
    #expect(transport.requests.map(\.method) == ["POST"])
    #expect(transport.requests.map(\.headers) == [request.headers])
  }

  @Test func aDelayPassesOnTheClockAndTheBodyArrivesInChunks() async throws {
    transport.respond(to: url, with: .body([1, 2, 3, 4]).delayed(by: .seconds(4), chunks: 2))
    let received = Recorder<TransferProgress>()
    let task = Task { try await transport.fetch(request) { received.add($0) } }
    await transport.clock.waitForSleepers()
    #expect(received.items.isEmpty)
    transport.clock.advance(by: .seconds(2))
    await transport.clock.waitForSleepers()
    #expect(received.items == [TransferProgress(received: 2, expected: 4)])
    transport.clock.advance(by: .seconds(2))
    #expect(try await task.value.body == [1, 2, 3, 4])
    #expect(received.items.last == TransferProgress(received: 4, expected: 4))
  }

  @Test func oneAdvanceOverTheWholeDelayIsEnough() async throws {
    transport.respond(to: url, with: .body([1, 2, 3]).delayed(by: .seconds(3), chunks: 3))
    let task = Task { try await transport.fetch(request) }
    await transport.clock.waitForSleepers()
    transport.clock.advance(by: .seconds(3))
    #expect(try await task.value.body == [1, 2, 3])
  }

  @Test func aTransferThatTakesLongerThanTheTimeoutFailsWhenThatHasPassed() async {
    transport.respond(to: url, with: .body([1, 2]).delayed(by: .seconds(100), chunks: 2))
    let arrived = Recorder<[UInt8]>()
    var request = request
    request.onInterruption = { arrived.add($0.body) }
    let task = Task { [request] in try await transport.fetch(request) }
    await transport.clock.waitForSleepers()
    transport.clock.advance(by: .seconds(60))
    await #expect(throws: TransportError.timedOut(after: .seconds(60))) { try await task.value }
    #expect(arrived.items == [[1]])
  }

  @Test func aFailureHandsOverWhatArrivedBefore() async {
    let broken = FakeResponse(body: [1, 2, 3], failure: .connectionLost(received: 3))
    transport.respond(to: url, with: broken)
    let arrived = Recorder<TransportResponse>()
    var request = request
    request.onInterruption = { arrived.add($0) }
    await #expect(throws: TransportError.connectionLost(received: 3)) {
      try await transport.fetch(request)
    }
    #expect(arrived.items.map(\.body) == [[1, 2, 3]])
    #expect(arrived.items.map(\.isComplete) == [false])
  }

  @Test func aCancelledTransferEndsAtOnce() async {
    transport.respond(to: url, with: .body([1]).delayed(by: .seconds(1)))
    let task = Task { try await transport.fetch(request) }
    await transport.clock.waitForSleepers()
    task.cancel()
    await #expect(throws: TransportError.cancelled) { try await task.value }
  }

  @Test func aBodyOverTheLimitIsRefused() async {
    var request = request
    request.maximumBodyBytes = 2
    transport.respond(to: url, with: .body([1, 2, 3]))
    await #expect(throws: TransportError.bodyTooLarge(limit: 2)) {
      try await transport.fetch(request)
    }
  }
}
