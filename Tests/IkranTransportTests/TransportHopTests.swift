import Support
import Testing

@testable import IkranTransport

/// What goes along with a redirect, and what stays.
@Suite(.timeLimit(.minutes(10)))
struct TransportHopTests {
  private func hop(
    _ url: String,
    method: String = "GET",
    body: [UInt8]? = nil,
    _ fields: [HeaderField] = []
  ) throws -> HTTPHop {
    var request = TransportRequest(url: url, headers: fields)
    request.method = method
    request.body = body
    return HTTPHop(request, address: try HTTPAddress(url))
  }

  @Test(arguments: [
    (301, "POST", "GET"), (302, "POST", "GET"), (303, "POST", "GET"), (307, "POST", "POST"),
    (308, "POST", "POST"), (301, "PUT", "PUT"), (303, "PUT", "GET"), (303, "HEAD", "HEAD"),
    (302, "HEAD", "HEAD"), (302, "GET", "GET"), (303, "GET", "GET"),
  ])
  func theStatusDecidesAboutTheMethod(status: Int, method: String, next: String) throws {
    let body: [UInt8]? = method == "POST" || method == "PUT" ? [1] : nil
    let fields = [HeaderField("Content-Type", "a/b"), HeaderField("X", "1")]
    let first = try hop("http://a/", method: method, body: body, fields)
    let second = first.following(try HTTPAddress("http://a/b"), status: status)
    #expect(second.method == next && second.redirects == 1)
    #expect(second.body == (method == next ? body : nil))
    #expect(second.headers.contains { $0.name == "X" })
    #expect(second.headers.contains { $0.name == "Content-Type" } == (method == next))
  }

  @Test(arguments: ["http://b/", "https://a/", "http://a:81/", "http://a.b/"])
  func anotherOriginLearnsNothing(target: String) throws {
    let names = ["authorization", "Cookie", "X-Token", "Referer", "ACCEPT", "Range", "If-Range"]
    let first = try hop("http://a/", names.map { HeaderField($0, "1") })
    let second = first.following(try HTTPAddress(target), status: 302)
    #expect(second.headers.map(\.name) == ["ACCEPT", "Range", "If-Range"])
    #expect(!second.isSameOrigin)
    let back = second.following(first.address, status: 302)
    #expect(!back.isSameOrigin && back.headers.count == 3)
  }

  @Test(arguments: ["http://a/b", "http://A:80/", "http://a"])
  func theSameOriginKeepsEverything(target: String) throws {
    let first = try hop("http://me:pw@a/", [HeaderField("X-Token", "1")])
    let second = first.following(try HTTPAddress(target), status: 302)
    #expect(second.headers.count == 1 && second.isSameOrigin)
    #expect(second.address.userInfo == "me:pw")
    #expect(second.address.origin == "http://a")
  }

  @Test func aUserOfTheTargetsOwnIsKept() throws {
    let first = try hop("http://me:pw@a/")
    let second = first.following(try HTTPAddress("http://you:x@a/"), status: 302)
    #expect(second.address.userInfo == "you:x")
    let third = first.following(try HTTPAddress("http://b/"), status: 302)
    #expect(third.address.userInfo.isEmpty && third.address.url == "http://b/")
  }

  /// What servers really get, on the way from one to another.
  @Test func credentialsAndFieldsStayAtHome() async throws {
    let other = try LoopbackServer { $1.send(body: Array($0.head.utf8)) }
    let target = other.url
    let own = try LoopbackServer { request, connection in
      let location = request.path == "/out" ? target : "http://127.0.0.1:0"
      return request.path == "/"
        ? connection.send(body: Array(request.head.utf8))
        : connection.send(status: 302, ["Location: \(request.path == "/in" ? "/" : location)"])
    }
    let credential = Credential(user: "me", password: "pw", origin: own.url)
    let transport = TransportUnderTest(
      CurlOptions(identity: ClientIdentity(credential: credential))
    )
    let fields = [HeaderField("X-Token", "secret"), HeaderField("Range", "bytes=0-")]
    for (path, isHome) in [("/in", true), ("/out", false), ("/in", true)] {
      let request = TransportRequest(url: own.url + path, headers: fields)
      let head = String(decoding: try await transport.fetch(request).body, as: UTF8.self)
      #expect(head.contains("Authorization: Basic") == isHome)
      #expect(head.contains("X-Token") == isHome)
      #expect(head.contains("Range: bytes=0-") && head.contains("User-Agent: Ikran"))
    }
  }

  @Test func aPostThatIsSentElsewhereWithASeeOtherBecomesAGet() async throws {
    let server = try LoopbackServer { request, connection in
      let status = Int(request.path.dropFirst()) ?? 0
      guard status == 0 else { return connection.send(status: status, ["Location: /"]) }
      return connection.send(body: Array(request.head.prefix(4).utf8) + request.body)
    }
    let transport = TransportUnderTest()
    for (status, answer) in [(303, "GET "), (307, "POSTab"), (302, "GET ")] {
      var request = TransportRequest(url: "\(server.url)/\(status)")
      request.method = "POST"
      request.body = Array("ab".utf8)
      let response = try await transport.fetch(request)
      #expect(String(decoding: response.body, as: UTF8.self) == answer)
      #expect(response.metrics?.redirects == (TransportUnderTest.hasMetrics ? 1 : nil))
    }
  }

  @Test func aUserInTheURLIsSentToItsOriginAlone() async throws {
    let other = try LoopbackServer { $1.send(body: Array($0.head.utf8)) }
    let target = other.url
    let own = try LoopbackServer { request, connection in
      switch request.path {
      case "/relative": connection.send(status: 302, ["Location: /"])
      case "/out": connection.send(status: 302, ["Location: \(target)"])
      default: connection.send(body: Array(request.head.utf8))
      }
    }
    for (path, isHome) in [("/relative", true), ("/out", false)] {
      let url = "http://me:pw@127.0.0.1:\(own.port)\(path)"
      let response = try await TransportUnderTest().fetch(TransportRequest(url: url))
      #expect(String(decoding: response.body, as: UTF8.self).contains("Authorization") == isHome)
    }
  }
}
