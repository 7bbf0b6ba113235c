import IkranTransport
import TestBasics
import Testing

@testable import IkranServer

/// Origins with a custom handler.
@Suite(.timeLimit(.minutes(10))) struct HandlerTests {
  @Test func theHandlerGetsTheWholeRequest() throws {
    let origin = try Origin { head in
      let parameters = head.parameters.map { "\($0.name)=\($0.value)" }.joined(separator: ",")
      let text = "\(head.method) \(head.path) \(parameters) \(head.header("x-one") ?? "-")"
      return Response(200, body: Array("\(text) \(head.earlier)".utf8))
    }
    let headers = ["X-One": "1"]
    #expect(try fetch(origin, "/a%20b?c=d%26&e", headers: headers).text == "GET /a b c=d&,e= 1 0")
    #expect(try fetch(origin, "/a%20b?c=d%26&e").text == "GET /a b c=d&,e= - 1")
    #expect(try fetch(origin, "/x", method: "DELETE").text == "DELETE /x  - 0")
    #expect(try fetch(origin, "/").text == "GET /  - 0")
  }

  @Test func theHandlerDecidesStatusFieldsAndBody() throws {
    let origin = try Origin { head in
      let date = Field("Date", "Sun, 06 Nov 1994 08:49:37 GMT")
      return Response(
        203,
        headers: [date, Field("ETag", "\"x\""), Field("Warning", "1"), Field("Warning", "2")],
        body: [1, 2, 3]
      )
    }
    let reply = try fetch(origin, "/")
    #expect(reply.status == 203 && reply.body == [1, 2, 3])
    #expect(reply.headers["date"] == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(reply.headers["etag"] == "\"x\"" && reply.headers["content-length"] == "3")
  }

  @Test func aBodyIsHeldBackUntilItIsLetThrough() throws {
    let gate = BodyGate(2)
    let origin = try Origin { _ in Response(200, body: Array(1...9), gate: gate) }
    let client = try RawClient(origin.port)
    client.send("/")
    #expect(client.peek(after: "\r\n\r\n", 2) == [1, 2])
    gate.open(to: 5)
    #expect(client.peek(after: "\r\n\r\n", 5) == [1, 2, 3, 4, 5])
    gate.open(to: 4)
    gate.open(to: .max)
    #expect(try client.reply().body == Array(1...9))
    // It stays open, and a body that is held back ends with its client, or with the origin.
    #expect(try fetch(origin, "/").body == Array(1...9))
    let shut = BodyGate(2)
    let other = try Origin { _ in Response(200, body: Array(1...9), gate: shut) }
    let waiting = try RawClient(other.port)
    waiting.send("/")
    #expect(waiting.peek(after: "\r\n\r\n", 2) == [1, 2])
    other.stop()
    #expect(try waiting.reply().isComplete == false)
    shut.open(to: .max)
  }

  @Test(arguments: [204, 304]) func someStatusesHaveNoBody(status: Int) throws {
    let origin = try Origin { _ in Response(status, body: [1]) }
    let client = try RawClient(origin.port)
    for _ in 0..<2 { #expect(try client.get("/").status == status) }
  }

  @Test func aConnectionMayCloseEarlyOrWithoutAResponse() throws {
    let origin = try Origin { head in
      switch head.path {
      case "/none": nil
      case "/reset": .reset
      default: Response(200, body: [1, 2, 3, 4], cut: 2)
      }
    }
    #expect(throws: ClientError.self) { try fetch(origin, "/none") }
    #expect(throws: ClientError.self) { try fetch(origin, "/reset") }
    let reply = try fetch(origin, "/cut")
    #expect(reply.body == [1, 2] && !reply.isComplete && reply.headers["content-length"] == "4")
  }

  @Test func aBodyMayBeChunkedOrHaveAWrongLength() throws {
    let origin = try Origin { head in
      let length = head.parameters.map { Field("Content-Length", $0.value) }
      return Response(200, headers: length, body: [1, 2], announcesLength: head.path != "/chunked")
    }
    let chunked = try fetch(origin, "/chunked")
    #expect(chunked.headers["transfer-encoding"] == "chunked" && chunked.body == [1, 2])
    #expect(try fetch(origin, "/?n=1").body == [1])
    let more = try fetch(origin, "/?n=3")
    #expect(more.headers["content-length"] == "3" && more.body == [1, 2] && !more.isComplete)
  }

  @Test(arguments: [["7"], ["2"], ["2", "2"], ["99999999999", "1"], ["1, 2"], ["two"]])
  func lengthsAreSentAsGiven(values: [String]) throws {
    let origin = try Origin { head in
      Response(
        200,
        headers: values.map { Field("Content-Length", $0) },
        body: [1, 2],
        announcesLength: head.path != "/chunked",
        cut: head.path == "/cut" ? 1 : nil
      )
    }
    let expected = values.map { "Content-Length: \($0)" }
    for (path, method) in [("/", "GET"), ("/cut", "GET"), ("/chunked", "GET"), ("/", "HEAD")] {
      let reply = try fetch(origin, path, method: method)
      #expect(reply.lines.filter { $0.hasPrefix("Content-Length") } == expected)
    }
  }

  @Test func aResponseMayBeDelayedAndIsRequestedOnce() throws {
    let origin = try Origin { Response(200, body: [UInt8($0.earlier)], delay: .milliseconds(50)) }
    let client = try RawClient(origin.port)
    let start = ContinuousClock.now
    #expect(try client.get("/").body == [0])
    #expect(try client.get("/").body == [1])
    #expect(ContinuousClock.now - start >= .milliseconds(100))
  }

  @Test func statisticsAreServedToo() throws {
    let origin = try Origin { _ in Response(206, body: [1]) }
    _ = try fetch(origin, "/a")
    #expect(try fetch(origin, "/stats").text.contains("\"ranges\":1"))
    #expect(origin.stats == ["/a": 1])
  }

  @Test func theMostTransfersOfOnePathAreCounted() async throws {
    let origin = try Origin { _ in Response(200, delay: .seconds(3600)) }
    let clients = try ["/a", "/a", "/a", "/b"].map { (try RawClient(origin.port), $0) }
    for (client, path) in clients { client.send(path) }
    try await until { origin.statistics.inFlight == 4 }
    #expect(origin.statistics.maximumInFlightOfOnePath == 3)
    #expect(origin.statistics.maximumInFlight == 4)
    origin.stop()
    // A client that is released disconnects.
    withExtendedLifetime(clients) {}
  }
}
