import IkranCodecs
import IkranPixels
import IkranTransport
import Synchronization
import TestBasics
import Testing

@testable import IkranServer

@Suite(.timeLimit(.minutes(10))) struct OriginTests {
  @Test func aPortraitHasTypeLengthAndDate() throws {
    let origin = try Origin(.portraits(count: 3))
    let reply = try fetch(origin, "/avatars/0.jpg")
    #expect(reply.status == 200)
    #expect(reply.headers["content-type"] == "image/jpeg")
    #expect(reply.headers["content-length"] == "\(reply.body.count)")
    #expect(reply.headers["last-modified"] == "Wed, 01 Jan 2025 00:00:00 GMT")
    #expect(reply.headers["accept-ranges"] == "bytes")
    #expect(reply.headers["etag"] == nil)
    #expect(reply.headers["cache-control"] == nil)
    #expect(reply.body.starts(with: [0xFF, 0xD8, 0xFF]))
  }

  @Test(arguments: [
    "/avatars/3.jpg", "/avatars/-1.jpg", "/avatars/00.jpg", "/avatars/0.gif", "/avatars/0",
    "/avatars/99999999999999999999.jpg", "/nothing", "/avatars/0.jpg/", "//", "/status/99",
  ])
  func aMissingEntityIs404(path: String) throws {
    let origin = try Origin(.portraits(count: 3))
    #expect(try fetch(origin, path).status == 404)
  }

  @Test(arguments: ["POST", "PUT", "DELETE", "OPTIONS"])
  func otherMethodsAre405(method: String) throws {
    let origin = try Origin(.portraits(count: 1))
    let reply = try fetch(origin, "/avatars/0.jpg", method: method)
    #expect(reply.status == 405)
    #expect(reply.headers["allow"] == "GET, HEAD")
  }

  @Test func headHasTheFieldsWithoutTheBody() throws {
    let origin = try Origin(.portraits(count: 1))
    let client = try RawClient(origin.port)
    let head = try client.get("/avatars/0.jpg", method: "HEAD")
    let whole = try client.get("/avatars/0.jpg")
    #expect(head.status == 200)
    #expect(head.headers["content-length"] == "\(whole.body.count)")
  }

  @Test func oneConnectionCarriesManyRequests() throws {
    let origin = try Origin(.portraits(count: 1))
    let client = try RawClient(origin.port)
    for count in 0..<50 { #expect(try client.get("/bytes/\(count)").body.count == count) }
  }

  @Test func theListNamesEveryPortrait() throws {
    let origin = try Origin(.portraits(count: 4))
    let list = try fetch(origin, "/list.txt").text
    #expect(
      list == """
        http://localhost:1/avatars/0.jpg
        http://localhost:1/avatars/1.png
        http://localhost:1/avatars/2.webp
        http://localhost:1/avatars/3.jpg

        """
    )
    #expect(origin.urls.first == "http://127.0.0.1:\(origin.port)/avatars/0.jpg")
  }

  @Test func maxAgeIsSent() throws {
    let origin = try Origin(.portraits(count: 1), faults: Faults(maxAge: 60))
    #expect(try fetch(origin, "/avatars/0.jpg").headers["cache-control"] == "max-age=60")
  }

  @Test func statsCountPathsAndStatuses() throws {
    let origin = try Origin(.portraits(count: 2))
    let client = try RawClient(origin.port)
    for path in ["/avatars/0.jpg", "/avatars/0.jpg", "/a%22b", "/stats"] {
      _ = try client.get(path)
    }
    #expect(origin.stats == ["/avatars/0.jpg": 2, "/a\"b": 1])
    #expect(origin.statistics.statuses == [200: 2, 404: 1])
    #expect(origin.statistics.maximumInFlight == 1)
    let stats = try client.get("/stats")
    #expect(stats.headers["content-type"] == "application/json")
    #expect(
      stats.text == """
        {"requests":3,"inFlight":0,"maximumInFlight":1,\
        "maximumInFlightOfOnePath":1,"ranges":0,"status":{"200":2,"404":1},\
        "paths":{"/a\\"b":1,"/avatars/0.jpg":2}}

        """
    )
    origin.resetStats()
    #expect(origin.statistics == OriginStatistics())
  }

  @Test func twoOriginsServeAtOnce() throws {
    let (first, second) = (try Origin(.portraits(count: 1)), try Origin(.portraits(count: 0)))
    #expect(first.port != second.port)
    #expect(try fetch(first, "/avatars/0.jpg").status == 200)
    #expect(try fetch(second, "/avatars/0.jpg").status == 404)
    #expect(first.stats.count == 1)
  }

  @Test func aPortInUseIsReported() throws {
    let origin = try Origin(.portraits(count: 0))
    let error = #expect(throws: ServerError.self) {
      try Origin(.portraits(count: 0), port: origin.port)
    }
    #expect(error == .cannotListen(.portInUse(host: "127.0.0.1", port: origin.port)))
    #expect(error?.description.contains("port \(origin.port) on 127.0.0.1 is in use") == true)
  }

  @Test func impossibleSettingsThrow() {
    #expect(throws: ServerError.cannotListen(.invalidPort(65_536))) {
      try Origin(.portraits(count: 0), port: 65_536)
    }
    #expect(throws: ServerError.invalidPortraitCount(-1)) { try Origin(.portraits(count: -1)) }
    #expect(throws: ServerError.cannotListen(.hostNotHere("192.0.2.1"))) {
      try Origin(.portraits(count: 0), host: "192.0.2.1")
    }
  }

  @Test func aStoppedOriginRefusesAndFreesItsPort() throws {
    let origin = try originOutsideTheEphemeralPorts()
    origin.stop()
    origin.stop()
    #expect(throws: ClientError.self) { try RawClient(origin.port) }
    let next = try Origin(.portraits(count: 0), port: origin.port)
    #expect(next.port == origin.port)
  }

  /// Its port is below the system's range of ephemeral ports.
  private func originOutsideTheEphemeralPorts() throws -> Origin {
    for _ in 0..<100 {
      let port = Int.random(in: 10_240..<32_768)
      // A port in use is skipped.
      if let origin = try? Origin(.portraits(count: 0), port: port) { return origin }
    }
    return try Origin(.portraits(count: 0))
  }

  @Test func stoppingEndsRequestsThatWait() async throws {
    let origin = try Origin(.portraits(count: 1))
    let clients = try (0..<4).map { _ in try RawClient(origin.port) }
    clients[0].send("/slow/3600000")
    clients[1].send("/drip/1000/3600000")
    clients[2].send("/endless")
    clients[3].send("/slow/3600000")
    try await until { origin.statistics.inFlight == 4 }
    origin.stop()
    #expect(origin.statistics.inFlight == 0)
    for client in clients {
      let isComplete = (try? client.reply())?.isComplete ?? false  // no answer is an end too
      #expect(!isComplete)
    }
  }

  @Test func aDisconnectEndsTheWait() async throws {
    let origin = try Origin(.portraits(count: 1))
    let client = try RawClient(origin.port)
    client.send("/slow/3600000")
    try await until { origin.statistics.inFlight == 1 }
    #expect(client.readSome(0) == 0)
    try await until { origin.statistics.inFlight == 0 }
    #expect(origin.statistics.requests == 1)
  }

  @Test func disconnectsInsideABodyAreHarmless() throws {
    let origin = try Origin(.portraits(count: 1))
    for path in ["/bytes/100000000", "/endless", "/chunked/100000000"] {
      let client = try RawClient(origin.port)
      client.send(path)
      #expect(client.readSome(100_000) == 100_000)
    }
    #expect(try fetch(origin, "/bytes/5").body == [0, 1, 2, 3, 4])
  }

  @Test func eightConcurrentClientsGetTheirResponses() async throws {
    let origin = try Origin(.portraits(count: 0))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          let client = try RawClient(origin.port)
          for round in 0..<50 {
            let count = number * 1000 + round
            let reply = try client.get("/bytes/\(count)")
            #expect(reply.body.count == count && reply.isComplete)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(origin.statistics.requests == 400)
    #expect(origin.statistics.maximumInFlight <= 8)
  }
}
