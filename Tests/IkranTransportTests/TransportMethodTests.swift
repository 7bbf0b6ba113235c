import IkranServer
import IkranStores
import Support
import Testing

@testable import IkranTransport

@Suite(.timeLimit(.minutes(10)))
struct TransportMethodTests {
  private let transport = TransportUnderTest()

  /// Answers with the request as it came, the body included.
  private func echo() throws -> LoopbackServer {
    try LoopbackServer { $1.send(body: Array($0.head.utf8) + Array("\n\n".utf8) + $0.body) }
  }

  private func answer(_ request: TransportRequest) async throws -> String {
    String(decoding: try await transport.fetch(request).body, as: UTF8.self)
  }

  @Test(arguments: [0, 1, 3_000_000]) func aPostSendsItsBodyOnce(count: Int) async throws {
    let server = try LoopbackServer { $1.send(body: $0.body) }
    defer { withExtendedLifetime(server) {} }
    var request = TransportRequest(url: server.url)
    request.method = "POST"
    request.body = pattern(count)
    #expect(try await transport.fetch(request).body == pattern(count))
    #expect(server.requests.count == 1)
  }

  @Test(arguments: ["POST", "PUT", "REPORT"])
  func aBodyTravelsWithEveryMethodAndItsTypeIsNotGuessed(method: String) async throws {
    let server = try echo()
    defer { withExtendedLifetime(server) {} }
    var request = TransportRequest(url: server.url)
    request.method = method
    request.body = Array("a=1".utf8)
    let plain = try await answer(request)
    #expect(plain.hasPrefix("\(method) / HTTP/1.1") && plain.hasSuffix("\n\na=1"))
    #expect(!plain.lowercased().contains("content-type") && !plain.contains("Expect"))
    request.headers = [HeaderField("Content-Type", "text/x")]
    #expect(try await answer(request).contains("Content-Type: text/x"))
  }

  /// A server may have acted on what it did not answer.
  @Test(arguments: [("POST", 1), ("PATCH", 1), ("GET", 2)])
  func onlyAnIdempotentRequestIsSentAgainWhenItsConnectionWasClosed(
    method: String,
    count: Int
  ) async throws {
    let methods = Guarded([String]())
    let origin = try Origin(threads: 1) { head in
      methods.withLock { $0.append(head.path + " " + head.method) }
      return head.path == "/first" ? Response(200) : nil
    }
    defer { origin.stop() }
    _ = try await transport.fetch(TransportRequest(url: origin.baseURL + "/first"))
    var request = TransportRequest(url: origin.baseURL + "/second")
    request.method = method
    if method != "GET" { request.body = [1] }
    await #expect(throws: TransportError.connectionLost(received: 0)) {
      try await transport.fetch(request)
    }
    #expect(methods.withLock { $0.filter { $0 == "/second \(method)" }.count } == count)
  }

  @Test func aMethodIsForgottenByTheNextRequest() async throws {
    let server = try echo()
    defer { withExtendedLifetime(server) {} }
    for method in ["DELETE", "POST", "HEAD"] {
      var request = TransportRequest(url: server.url)
      request.method = method
      if method == "POST" { request.body = [1] }
      _ = try await transport.fetch(request)
      #expect(try await answer(TransportRequest(url: server.url)).hasPrefix("GET / HTTP/1.1"))
    }
  }

  @Test func aHeadHasTheHeaderAlone() async throws {
    let server = try LoopbackServer { request, connection in
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n")
    }
    defer { withExtendedLifetime(server) {} }
    var request = TransportRequest(url: server.url, maximumBodyBytes: 100)
    request.method = "HEAD"
    let response = try await transport.fetch(request)
    #expect(response.body.isEmpty && response.isComplete)
    #expect(response.header("Content-Length") == "5000")
  }

  @Test(arguments: ["", "get", "GET /", "GET\r\nX: 1", "CONNECT"])
  func whatIsNoMethodIsRefused(method: String) async throws {
    var request = TransportRequest(url: "http://127.0.0.1:1/")
    request.method = method
    guard case .failure(.failed(_, let reason)) = await outcome(request) else {
      Issue.record("\(method) was not refused")
      return
    }
    #expect(reason.contains("method"))
  }

  @Test(arguments: ["GET", "HEAD"]) func aBodyThatMayNotBeSentIsRefused(method: String) async {
    var request = TransportRequest(url: "http://127.0.0.1:1/")
    request.method = method
    request.body = []
    guard case .failure(.failed(_, let reason)) = await outcome(request) else {
      Issue.record("the body was not refused")
      return
    }
    #expect(reason.contains("no body"))
  }

  private func outcome(
    _ request: TransportRequest
  ) async -> Result<TransportResponse, TransportError> {
    do {
      return .success(try await transport.fetch(request))
    } catch {
      return .failure(error)
    }
  }

  @Test(.needsCurl("FoundationNetworking delivers no metrics"))
  func theCostOfATransferIsMeasured() async throws {
    let server = try LoopbackServer { $1.send(body: pattern(1000)) }
    defer { withExtendedLifetime(server) {} }
    let first = try #require(try await transport.fetch(TransportRequest(url: server.url)).metrics)
    #expect(!first.reusedConnection && first.connect > .zero && first.tls == .zero)
    #expect(first.firstByte > .zero && first.total >= first.firstByte)
    #expect(first.httpVersion == "HTTP/1.1" && first.address == "127.0.0.1")
    #expect(first.receivedBytes > 1000 && first.sentBytes > 50 && first.redirects == 0)
    let second = try #require(try await transport.fetch(TransportRequest(url: server.url)).metrics)
    #expect(second.reusedConnection && second.connect == .zero && second.nameLookup == .zero)
  }
}
