import IkranStores
import Support
import Testing

@testable import IkranTransport

@Suite(.timeLimit(.minutes(10)))
struct TransportCancellationTests {
  private let transport = TransportUnderTest()

  /// Starts an answer and never ends it; `closed` opens when the caller hangs up.
  private func endless(closed: Latch) throws -> LoopbackServer {
    try LoopbackServer { _, connection in
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
      connection.send(pattern(1000))
      while connection.receive() != nil {}
      closed.open()
      return false
    }
  }

  @Test func aCancelledTransferReturnsAndClosesItsConnection() async throws {
    let (closed, arrived) = (Latch(), Latch())
    let server = try endless(closed: closed)
    defer { withExtendedLifetime(server) {} }
    let url = server.url
    let task = Task { [transport] in
      try await transport.fetch(TransportRequest(url: url)) { progress in
        if progress.received > 0 { arrived.open() }
      }
    }
    #expect(await arrived.wait())
    task.cancel()
    await #expect(throws: TransportError.cancelled) { try await task.value }
    // The connection is closed, too: nothing more is downloaded.
    #expect(await closed.wait())
  }

  @Test func aTaskCancelledBeforeItStartsAsksNothing() async throws {
    let server = try LoopbackServer { $1.send(body: [1]) }
    defer { withExtendedLifetime(server) {} }
    let url = server.url
    let gate = Latch()
    let task = Task { [transport] in
      _ = await gate.wait()
      return try await transport.fetch(TransportRequest(url: url))
    }
    task.cancel()
    gate.open()
    await #expect(throws: TransportError.cancelled) { try await task.value }
    #expect(server.requests.isEmpty)
  }

  @Test func cancellingAfterTheEndChangesNothing() async throws {
    let server = try LoopbackServer { $1.send(body: [1]) }
    defer { withExtendedLifetime(server) {} }
    let url = server.url
    let task = Task { [transport] in try await transport.fetch(TransportRequest(url: url)) }
    let response = try await task.value
    task.cancel()
    #expect(response.body == [1])
    let again = try await transport.fetch(TransportRequest(url: url))
    #expect(again.body == [1])
  }

  @Test func aWaitingTransferCanBeCancelled() async throws {
    let (closed, arrived) = (Latch(), Latch())
    let server = try endless(closed: closed)
    defer { withExtendedLifetime(server) {} }
    let narrow = TransportUnderTest(CurlOptions(connections: ConnectionLimits(perHost: 1)))
    let url = server.url
    let first = Task {
      try await narrow.fetch(TransportRequest(url: url)) { _ in arrived.open() }
    }
    #expect(await arrived.wait())
    let second = Task { try await narrow.fetch(TransportRequest(url: url)) }
    await Task.yield()
    second.cancel()
    await #expect(throws: TransportError.cancelled) { try await second.value }
    #expect(server.requests.count == 1)
    first.cancel()
    await #expect(throws: TransportError.cancelled) { try await first.value }
  }

  @Test func inAStormOfFiveHundredEveryCallerHearsOneEnding() async throws {
    let server = try LoopbackServer { $1.send(body: pattern(2000)) }
    defer { withExtendedLifetime(server) {} }
    let url = server.url
    let tasks = (0..<500).map { number in
      Task { [transport] in
        try await transport.fetch(TransportRequest(url: "\(url)/\(number)"))
      }
    }
    for number in stride(from: 0, to: 500, by: 2) { tasks[number].cancel() }
    var (whole, cancelled) = (0, 0)
    for (number, task) in tasks.enumerated() {
      switch await task.result {
      case .success(let response):
        #expect(response.body.count == 2000)
        whole += 1
      case .failure(let error):
        #expect(error as? TransportError == .cancelled)
        #expect(number.isMultiple(of: 2))
        cancelled += 1
      }
    }
    #expect(whole + cancelled == 500)
    #expect(whole >= 250)
    let after = try await transport.fetch(TransportRequest(url: url))
    #expect(after.body.count == 2000)
  }

  @Test func shuttingDownEndsWhatRunsAndWhatWaits() async throws {
    let (closed, arrived) = (Latch(), Latch())
    let server = try endless(closed: closed)
    defer { withExtendedLifetime(server) {} }
    let narrow = TransportUnderTest(CurlOptions(connections: ConnectionLimits(perHost: 1)))
    let url = server.url
    let tasks = (0..<5).map { _ in
      Task { try await narrow.fetch(TransportRequest(url: url)) { _ in arrived.open() } }
    }
    #expect(await arrived.wait())
    narrow.shutDown()
    for task in tasks {
      await #expect(throws: TransportError.cancelled) { try await task.value }
    }
    #expect(await closed.wait())
  }

  @Test func nothingIsHeardAfterTheEnd() async throws {
    let server = try LoopbackServer { _, connection in
      connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
      while connection.send(chunk: pattern(100)) {}
      return false
    }
    defer { withExtendedLifetime(server) {} }
    let url = server.url
    for _ in 0..<20 {
      let (isOver, late, arrived) = (Counter(), Counter(), Latch())
      let task = Task { [transport] in
        defer { isOver.add() }
        return try await transport.fetch(TransportRequest(url: url)) { _ in
          arrived.open()
          if isOver.count > 0 { late.add() }
        }
      }
      #expect(await arrived.wait())
      task.cancel()
      await #expect(throws: TransportError.cancelled) { try await task.value }
      #expect(late.count == 0)
    }
  }
}
