import IkranServer
import TestBasics
import Testing

@testable import IkranService

/// Clients that do not keep to HTTP.
@Suite("Hostile clients of a service", .timeLimit(.minutes(5)))
struct ConnectionAttackTests {
  private static let next = "GET /health HTTP/1.1\r\nHost: a\r\n\r\n"

  /// The statuses of what a connection sent.
  private func statuses(_ text: String?) -> [Int] {
    (text ?? "").split(separator: "HTTP/1.1 ", omittingEmptySubsequences: false).dropFirst()
      .compactMap { Int($0.prefix(3)) }
  }

  @Test func requestsWhoseEndIsInDoubtEndTheirConnection() async throws {
    let test = try await TestService()
    let heads = [
      "Content-Length: 4\r\nTransfer-Encoding: chunked", "Content-Length: 4\r\nContent-Length: 0",
      "Content-Length: 0\r\nContent-Length: 4", "Content-Length: 0\r\nContent-Length: 0",
      "Content-Length: 0, 4", "Content-Length: +4", "Content-Length: -1", "Content-Length: 0x4",
      "Content-Length: 4 4", "Content-Length:", "Content-Length: 99999999999999999999",
      "Transfer-Encoding: xchunked", "Transfer-Encoding: chunked, identity",
      "Transfer-Encoding : chunked", "Content-Length : 4", "X y: 1",
      "Transfer-Encoding\u{0B}: chunked", "Host: b", "Transfer-Encoding:\r\n chunked",
      "Content-Length: 5\r\n 0", "X: a\rContent-Length: 5", "X: a\u{1}",
    ]
    for head in heads {
      let text = "GET /health HTTP/1.1\r\nHost: a\r\n\(head)\r\n\r\n0\r\n\r\n\(Self.next)"
      let found = statuses(try await test.raw(text))
      let isRefused = found.allSatisfy { [400, 413].contains($0) }
      #expect(isRefused, "\(head.debugDescription): \(found)")
    }
    #expect(try await test.get("/health").status == 200)
  }

  @Test func aBodyEndsItsConnection() async throws {
    let test = try await TestService()
    for method in ["GET", "POST", "HEAD", "OPTIONS"] {
      for head in [
        "Content-Length: 5", "Transfer-Encoding: chunked", "X: a\nContent-Length: 5",
      ] {
        let text = "\(method) /health HTTP/1.1\r\nHost: a\r\n\(head)\r\n\r\nhello\(Self.next)"
        let found = statuses(try await test.raw(text))
        #expect(found.count == 1, "\(method) \(head): \(found)")
      }
    }
  }

  @Test func pipelinedRequestsGetTheirResponsesInOrder() async throws {
    let test = try await TestService()
    let targets = [test.path("/red.png", "w:x/"), "/health", test.path("/a.png"), "/favicon.ico"]
    let heads = targets.map { "HEAD \($0) HTTP/1.1\r\nHost: a\r\n\r\n" }
    let last = "GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
    let found = statuses(try await test.raw(heads.joined() + last))
    #expect(found == [404, 200, 200, 404, 200])
  }

  @Test func aHeadThatIsTooLargeIsRefused() async throws {
    let test = try await TestService()
    let long = String(repeating: "a", count: 1 << 20)
    let floods = [
      "GET /\(long) HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nX: \(long)\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: "X: a\r\n", count: 50_000) + "\r\n",
      long, "GET / HTTP/1.1\r\nHost: a\r\n\(long): 1\r\n\r\n",
    ]
    for flood in floods {
      let found = statuses(try await test.raw(flood))
      #expect(found.allSatisfy { [400, 413, 414, 431].contains($0) } && found.count < 2)
    }
    let fits = String(repeating: "a", count: 8000)
    #expect(try await test.get("/_/cb:\(fits)\(test.path("/a.png").dropFirst(2))").status == 200)
  }

  @Test func linesThatAreNoRequestsAreRefused() async throws {
    let test = try await TestService(["READ_REQUEST_TIMEOUT": "1", "KEEP_ALIVE_TIMEOUT": "1"])
    let lines = [
      "GET\r\n\r\n", "GET /health\r\n\r\n", " GET /health HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET /health HTTP/2.0\r\nHost: a\r\n\r\n", "GET /health HTTP/1.1\r\n\r\n",
      "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", "\u{16}\u{03}\u{01}\r\n\r\n", "\r\n\r\n\r\n",
      "G\u{0}T /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
      "GET /_/\u{1}\u{1B}[2J HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
      "GET http://b/health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
      "GET * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ]
    for line in lines {
      let port = test.service.port
      let reply = try await onThread {
        let client = try RawClient(port)
        client.write(line)
        client.endWriting()
        return client.readToEnd().map { String(decoding: $0, as: UTF8.self) }
      }
      #expect(reply != nil && !statuses(reply).contains(200), "\(line.debugDescription)")
    }
    #expect(try await test.get("/health").status == 200)
  }

  @Test func bytesThatAreNoTextAreNoPath() async throws {
    let test = try await TestService()
    let port = test.service.port
    for bytes: [UInt8] in [[0xFF, 0xFE], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0x80]] {
      let reply = try await onThread {
        let client = try RawClient(port)
        let (head, end) = ("GET /_/w:1/plain/http://", " HTTP/1.1\r\nHost: a\r\n\r\n")
        client.write(Array(head.utf8) + bytes + Array(end.utf8))
        return try client.reply()
      }
      #expect(reply.status == 404)
    }
    try await until { test.log.items.count == 4 }
  }

  @Test(arguments: ["", "GET /health HTTP/1.1\r\nHost: a\r\n\r\n"])
  func aHeadThatComesTooSlowlyEndsItsConnection(_ first: String) async throws {
    let test = try await TestService(["READ_REQUEST_TIMEOUT": "1", "KEEP_ALIVE_TIMEOUT": "1"])
    let port = test.service.port
    let isClosed = try await onThread {
      let client = try RawClient(port)
      if !first.isEmpty {
        client.write(first)
        _ = try client.reply()
      }
      client.write("GET /health HTTP/1.1\r\nHost: a\r\nX: ")
      for _ in 0..<1000 where !client.isClosedSoon(after: 20) {
        guard client.write("a") else { return true }
      }
      return client.isClosedSoon(after: 0)
    }
    #expect(isClosed)
    try await until { test.log.items.count == (first.isEmpty ? 0 : 1) }
  }

  @Test func aConnectionThatSaysNothingIsClosed() async throws {
    let test = try await TestService(["READ_REQUEST_TIMEOUT": "1", "KEEP_ALIVE_TIMEOUT": "1000"])
    #expect(try await test.raw("") == "")
    #expect(try await test.raw("GET / HTTP/1.1\r\n") == "")
  }

  @Test func aResponseThatIsReadTooSlowlyIsCutOff() async throws {
    let test = try await TestService(
      ["WRITE_RESPONSE_TIMEOUT": "1"],
      origin: try Origin(.portraits(count: 0))
    )
    let client = try RawClient(test.service.port)
    client.send(test.path("/bytes/60000000", "raw:1/"))
    try await until {
      _ = client.readPart()
      return !test.log.items.isEmpty
    }
    #expect(test.log.items[0].status == 0)
  }

  @Test func connectionsAreClosedWhereNoneIsKept() async throws {
    let test = try await TestService(["KEEP_ALIVE_TIMEOUT": "0"])
    #expect(statuses(try await test.raw(Self.next + Self.next)) == [200])
  }
}
