import IkranStores
import Support
import Testing
@testable import Ikran
@testable import IkranTransport

@Suite(.timeLimit(.minutes(10)))
struct TransportCallbackTests {
  private typealias Outcome = Result<TransportResponse, TransportError>

  /// Without a least speed: how long the machine takes to go on does not matter.
  private static let limits = TransferLimits(minimumSpeed: nil)
  private let transport = CurlTransport(CurlOptions(limits: limits))
  private let outcomes = Recorder<Outcome>()

  private var errors: [TransportError?] {
    outcomes.items.map { outcome in
      guard case .failure(let error) = outcome else { return nil }
      return error
    }
  }

  @discardableResult
  private func start(_ transport: any CallbackTransport, _ url: String) -> UInt64 {
    // How long a busy machine takes does not matter.
    let request = TransportRequest(url: url, timeout: .seconds(600))
    return transport.start(request, progress: nil) { [outcomes] in outcomes.add($0) }
  }

  /// Starts a response and never ends it.
  private func endless(_ arrived: Latch = Latch()) throws -> LoopbackServer {
    try LoopbackServer { _, connection in
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
      arrived.open()
      while connection.receive() != nil {}
      return false
    }
  }

  @Test func aCompletionStartsTheNextTransferWithoutAWakeUpOrANewConnection() async throws {
    let server = try LoopbackServer { $1.send(body: pattern(3000)) }
    defer { withExtendedLifetime(server) {} }
    let (url, clock) = (server.url, ManualClock())
    let options = QueueOptions(maximumConcurrent: 1)
    let scheduler = DownloadScheduler(options, clock.pipelineClock)
    scheduler.isSuspended = true
    for number in 0..<50 {
      scheduler.enqueue(host: url, priority: .normal) { [transport, outcomes] in
        transport.start(TransportRequest(url: "\(url)/\(number)"), progress: nil) { outcome in
          outcomes.add(outcome)
          scheduler.leave(url)
        }
      }
    }
    scheduler.isSuspended = false
    try await until { outcomes.items.count == 50 && scheduler.running == 0 }
    #expect(errors.allSatisfy { $0 == nil })
    #expect(server.requests == (0..<50).map { "/\($0)" })
    #expect(server.connections == 1)
    #expect(transport.openedConnections == 1)
    // The first one alone may have found the thread asleep.
    #expect(transport.wakeUps <= 1)
  }

  @Test func aRequestThatCannotBeSentCompletesBeforeStartReturns() {
    start(transport, "ftp://host/a")
    start(transport, "http://")
    var request = TransportRequest(url: "http://127.0.0.1/")
    request.method = "GET\r\nX: y"
    transport.start(request, progress: nil) { [outcomes] in outcomes.add($0) }
    #expect(errors.compactMap(\.self).count == 3)
    // No thread was started for them.
    #expect(transport.openedConnections == 0 && transport.wakeUps == 0)
  }

  @Test func aCancelledTransferCompletesOnceWhetherItRunsWaitsOrHasEnded() async throws {
    let arrived = Latch()
    let server = try endless(arrived)
    defer { withExtendedLifetime(server) {} }
    let narrow = CurlTransport(
      CurlOptions(connections: ConnectionLimits(perHost: 1), limits: Self.limits)
    )
    let running = start(narrow, server.url)
    let waiting = start(narrow, server.url)
    #expect(await arrived.wait())
    narrow.cancel(waiting)
    try await until { outcomes.items.count == 1 }
    narrow.cancel(running)
    try await until { outcomes.items.count == 2 }
    for id in [running, waiting, 0, 999] { narrow.cancel(id) }
    #expect(errors == [.cancelled, .cancelled])
    #expect(server.requests.count == 1)
    narrow.shutDown()
    start(narrow, server.url)
    #expect(errors == [.cancelled, .cancelled, .cancelled])
  }

  @Test func inAStormOfFiveHundredEveryTransferCompletesOnce() async throws {
    let server = try LoopbackServer { $1.send(body: pattern(2000)) }
    defer { withExtendedLifetime(server) {} }
    let (url, completed) = (server.url, Recorder<Int>())
    await withTaskGroup { group in
      for task in 0..<5 {
        group.addTask { [transport] in
          for number in 0..<100 {
            let request = TransportRequest(url: "\(url)/\(number)")
            let id = transport.start(request, progress: nil) { _ in
              completed.add(task * 100 + number)
            }
            if number % 2 == 0 { transport.cancel(id) }
          }
        }
      }
    }
    try await until { completed.items.count == 500 }
    _ = try await transport.fetch(TransportRequest(url: url))
    #expect(completed.items.sorted() == Array(0..<500))
  }

  @Test func aTransportThatShutsDownEndsAWholeQueueOfDownloads() async throws {
    let arrived = Latch()
    let server = try endless(arrived)
    defer { withExtendedLifetime(server) {} }
    let (url, clock) = (server.url, ManualClock())
    let options = QueueOptions(maximumConcurrent: 1)
    let scheduler = DownloadScheduler(options, clock.pipelineClock)
    let count = Rounds.fewer(100_000)
    for _ in 0..<count {
      scheduler.enqueue(host: url, priority: .normal) { [transport, outcomes] in
        transport.start(TransportRequest(url: url), progress: nil) { outcome in
          outcomes.add(outcome)
          scheduler.leave(url)
        }
      }
    }
    #expect(await arrived.wait())
    transport.shutDown()
    try await until { outcomes.items.count == count && scheduler.running == 0 }
    #expect(errors.allSatisfy { $0 == .cancelled })
  }

  @Test func progressIsReportedBeforeTheCompletion() async throws {
    let server = try LoopbackServer { $1.send(body: pattern(300_000)) }
    defer { withExtendedLifetime(server) {} }
    let received = Recorder<Int>()
    transport.start(TransportRequest(url: server.url)) { progress in
      received.add(progress.received)
    } completion: { [outcomes] outcome in
      received.add(-1)
      outcomes.add(outcome)
    }
    try await until { outcomes.items.count == 1 }
    #expect(received.items.first == 0)
    #expect(received.items.suffix(2) == [300_000, -1])
    #expect(received.items.dropLast() == received.items.dropLast().sorted()[...])
  }

  // MARK: - Other transports

  @Test func aSchemeTransportStartsEachSchemesTransport() async throws {
    let folder = try TemporaryDirectory()
    let path = folder.path + "/a"
    try Files.writeAtomically([1, 2], to: path)
    let server = try LoopbackServer { $1.send(body: [3]) }
    defer { withExtendedLifetime(server) {} }
    let schemes = SchemeTransport()
    let bodies: [(String, [UInt8])] = [
      ("file://\(path)", [1, 2]), ("data:,a", [97]), (server.url, [3]),
    ]
    for (url, body) in bodies {
      let count = outcomes.items.count
      start(schemes, url)
      try await until { outcomes.items.count > count }
      #expect(try outcomes.items[count].get().body == body)
    }
    start(schemes, "gopher://a")
    start(SchemeTransport(file: nil), "file:///a")
    #expect(errors.suffix(2).compactMap(\.self).count == 2)
  }

  @Test func aSchemeTransportCancelsInTheTransportThatStarted() async throws {
    let arrived = Latch()
    let server = try endless(arrived)
    defer { withExtendedLifetime(server) {} }
    let slow = FakeTransport { (_, _) throws(TransportError) in
      _ = await Latch().wait()
      throw .cancelled
    }
    let schemes = SchemeTransport(network: transport, file: slow)
    let ids = [start(schemes, server.url), start(schemes, "file:///a")]
    #expect(await arrived.wait())
    for (number, id) in ids.enumerated() {
      schemes.cancel(id)
      try await until { outcomes.items.count == number + 1 }
    }
    schemes.cancel(0)
    #expect(errors == [.cancelled, .cancelled])
  }
}
