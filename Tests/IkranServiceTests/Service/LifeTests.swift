import IkranHTTP
import IkranServer
import TestBasics
import Testing

@testable import IkranService

/// Clients that leave, and services that stop.
@Suite("Ends of requests and services", .timeLimit(.minutes(5)))
struct LifeTests {
  @Test func aDownloadEndsWithTheLastClientThatWaitsForIt() async throws {
    let test = try await TestService(["TIMEOUT": "1000", "DOWNLOAD_TIMEOUT": "1000"])
    for options in ["", "raw:1/"] {
      let clients = try (0..<2).map { _ in try RawClient(test.service.port) }
      for client in clients { client.send(test.path("/never", options)) }
      try await until { test.service.responses.metrics.inProgress == 2 }
      try await until { test.origin.statistics.inFlight > 0 }
      clients[0].leave()
      try await until { test.service.responses.metrics.inProgress == 1 }
      try await until { test.origin.statistics.inFlight == 1 }
      clients[1].leave()
      try await until { test.origin.statistics.inFlight == 0 }
      try await until { test.service.responses.metrics.inProgress == 0 }
    }
    #expect(test.log.items.allSatisfy { [0, 499].contains($0.status) })
  }

  @Test func othersGetThePictureThatOneClientDidNotWaitFor() async throws {
    let gate = BodyGate(10)
    let origin = try Origin { _ in Response(200, body: Sources.picture, gate: gate) }
    let test = try await TestService(origin: origin)
    let clients = try (0..<2).map { _ in try RawClient(test.service.port) }
    for client in clients { client.send(test.path("/red.png")) }
    try await until { test.service.responses.metrics.inProgress == 2 }
    clients[0].leave()
    try await until { test.service.responses.metrics.inProgress == 1 }
    gate.open(to: .max)
    #expect(try await onThread { try clients[1].reply() }.summary == "png 60x40")
    #expect(origin.statistics.requests == 1)
  }

  @Test func aServiceThatDrainsEndsOpenRequestsAndTakesNoMore() async throws {
    let gate = BodyGate(10)
    let origin = try Origin { _ in Response(200, body: Sources.picture, gate: gate) }
    let test = try await TestService(origin: origin)
    let (open, kept) = (try RawClient(test.service.port), try RawClient(test.service.port))
    #expect(try await onThread { try kept.get("/health") }.headers["connection"] != "close")
    open.send(test.path("/red.png"))
    try await until { test.service.responses.metrics.inProgress == 1 }
    let drain = Task { await test.service.drain() }
    try await until { (try? RawClient(test.service.port)) == nil }
    let late = try await onThread { try kept.get("/health") }
    #expect(late.headers["connection"]?.lowercased() == "close")
    gate.open(to: .max)
    let reply = try await onThread { try open.reply() }
    #expect(reply.summary == "png 60x40" && reply.isComplete)
    await drain.value
    #expect(test.log.items.count == 3)
  }

  @Test func aServiceThatStopsClosesAllConnections() async throws {
    let test = try await TestService(["GRACEFUL_STOP_TIMEOUT": "0"])
    let clients = try (0..<3).map { _ in try RawClient(test.service.port) }
    for (client, path) in zip(clients, [test.path("/never"), "/health", "/never-sent"])
    where path != "/never-sent" {
      client.send(path)
    }
    try await until { test.origin.statistics.inFlight == 1 }
    await test.service.drain()
    for client in clients { #expect(try await onThread { client.readToEnd() } != nil) }
    try await until { test.origin.statistics.inFlight == 0 }
    test.service.stop()
  }

  @Test func aStartThatFailsFreesItsPort() async throws {
    let busy = try await TestService()
    let port = busy.service.port
    let free = try await TestService()
    free.service.stop()
    await #expect(throws: ListenError.self) {
      try await TestService([
        "BIND": "127.0.0.1:\(free.service.port)", "PROMETHEUS_BIND": "127.0.0.1:\(port)",
      ])
    }
    #expect(throws: ClientError.self) { try RawClient(free.service.port) }
  }
}
