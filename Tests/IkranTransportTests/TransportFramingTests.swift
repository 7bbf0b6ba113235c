import Testing

@testable import IkranTransport

/// Where a body ends (RFC 9112, section 6.3).
@Suite(.timeLimit(.minutes(10)))
struct TransportFramingTests {
  private let transport = TransportUnderTest()

  private func fetch(
    _ lines: [String],
    status: Int = 200,
    method: String = "GET",
    body: String = "abc"
  ) async throws(TransportError) -> TransportResponse {
    let server: LoopbackServer
    do {
      server = try LoopbackServer { _, connection in
        let head = ["HTTP/1.1 \(status) Text"] + lines
        connection.send(head.joined(separator: "\r\n") + "\r\n\r\n" + body)
        return false
      }
    } catch {
      throw .failed(code: 0, reason: "\(error)")
    }
    var request = TransportRequest(url: server.url)
    request.method = method
    return try await transport.fetch(request)
  }

  @Test(arguments: [
    ["Content-Length: 3", "Content-Length: 5"], ["Content-Length: 5", "Content-Length: 3"],
    ["Content-Length: 3, 4"],
    ["Content-Length: 3, 3", "Content-Length: 4"], ["Content-Length: 3 4"],
    ["Content-Length: +3"], ["Content-Length: -3"], ["Content-Length: 0x3"],
    ["Content-Length: abc"], ["Content-Length:"], ["Content-Length: 3,"],
    ["Content-Length: 3", "Content-Length: abc"], ["Content-Length: 3.0"],
    ["Transfer-Encoding: identity", "Content-Length: 3", "Content-Length: 5"],
    ["Transfer-Encoding: identity", "Content-Length: abc"],
    ["Content-Length: 5", "Content-Length: 3", "Transfer-Encoding: chunked, identity"],
    ["Content-Length: 5", "Content-Length: 3", "Transfer-Encoding:"],
  ])
  func lengthsThatContradictEachOtherOrAreNoneAreRefused(lines: [String]) async {
    await expectRefusal(lines)
  }

  @Test(.needsCurl("FoundationNetworking keeps one of two fields whose names differ in case"))
  func lengthsAreComparedWhateverTheCaseOfTheirNames() async {
    await expectRefusal(["Content-Length: 99999999999", "content-length: 3"])
  }

  private func expectRefusal(_ lines: [String]) async {
    do throws(TransportError) {
      let response = try await fetch(lines)
      Issue.record("\(lines) brought \(response.body)")
    } catch {
      guard case .invalidResponse(let reason) = error else {
        Issue.record("\(lines): \(error)")
        return
      }
      #expect(reason.contains("Content-Length"))
    }
  }

  @Test(arguments: [
    ["Content-Length: 3"], ["Content-Length: 3", "content-length: 3"], ["Content-Length: 3, 3"],
    ["Content-Length: 3 ,\t3", "Content-Length: 3"], ["Content-Length: 003", "Content-Length: 3"],
    ["Transfer-Encoding: identity", "Content-Length: 3"],
  ])
  func equalLengthsCountOnce(lines: [String]) async throws {
    let response = try await fetch(lines)
    #expect(response.body == Array("abc".utf8))
  }

  @Test(arguments: [
    ["Transfer-Encoding: chunked", "Content-Length: 2"],
    ["Content-Length: 2", "Transfer-Encoding: chunked"],
    ["Content-Length: 2", "Content-Length: 900", "Transfer-Encoding: chunked"],
  ])
  func chunksOverrideALength(lines: [String]) async throws {
    let response = try await fetch(lines, body: "3\r\nabc\r\n0\r\n\r\n")
    #expect(response.body == Array("abc".utf8))
    #expect(response.header("content-length") == nil)
  }

  @Test func aLengthBeyondAllNumbersIsTooLarge() async throws {
    await #expect(throws: TransportError.bodyTooLarge(limit: 256 << 20)) {
      try await fetch(["Content-Length: 99999999999999999999999999"])
    }
  }

  @Test(arguments: [("HEAD", 200), ("GET", 304), ("GET", 204)])
  func lengthsOfBodiesThatDoNotComeDoNotMatter(method: String, status: Int) async throws {
    let lines = ["Content-Length: 3", "Content-Length: 4"]
    let response = try await fetch(lines, status: status, method: method, body: "")
    #expect(response.status == status && response.body.isEmpty)
  }

  @Test(.needsCurl("FoundationNetworking reads the body of a redirect before it shows the header"))
  func aRedirectWithContradictoryLengthsIsNotFollowed() async throws {
    let lines = ["Location: /b", "Content-Length: 3", "Content-Length: 4"]
    do {
      _ = try await fetch(lines, status: 302)
      Issue.record("it was followed")
    } catch {
      guard case .invalidResponse = error else {
        Issue.record("\(error)")
        return
      }
    }
  }
}
