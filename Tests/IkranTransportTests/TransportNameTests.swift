import Ikran
import IkranStores
import Support
import Testing

@testable import IkranTransport

/// Hosts, locations and fields that are not ASCII.
@Suite(.timeLimit(.minutes(10)))
struct TransportNameTests {
  private let transport = TransportUnderTest(CurlOptions(proxy: .none))

  private func invalidity(_ url: String) -> String? {
    do {
      _ = try HTTPAddress(url)
      return nil
    } catch {
      return "\(error)"
    }
  }

  // MARK: - Hosts

  @Test(arguments: [
    ("http://bücher.example/ä", "http://xn--bcher-kva.example", "/%C3%A4"),
    ("http://BÜCHER.example:80/", "http://xn--bcher-kva.example", "/"),
    ("https://user:pw@Bu\u{308}cher.example:8443?x", "https://xn--bcher-kva.example:8443", "?x"),
    ("http://b%C3%BCcher.example/", "http://xn--bcher-kva.example", "/"),
    ("http://faß.de/", "http://xn--fa-hia.de", "/"),
    ("http://日本語。テスト/a", "http://xn--wgv71a119e.xn--zckzah", "/a"),
    ("http://ｌｏｃａｌｈｏｓｔ:8080/a", "http://localhost:8080", "/a"),
    ("http://☃.example/", "http://xn--n3h.example", "/"),
  ])
  func aHostIsConvertedToASCII(url: String, origin: String, path: String) throws {
    let address = try HTTPAddress(url)
    #expect(address.origin == origin)
    #expect(address.url.hasSuffix(path) && address.url.utf8.allSatisfy { $0 < 0x80 })
    #expect(try HTTPAddress(address.url) == address)
    #expect(address.url.contains("user:pw@") == url.contains("user:pw@"))
  }

  @Test(arguments: [
    "http://a／b.example/", "http://a？b.example/", "http://a＠b.example/", "http://a：80/",
    "http://a%2Fb.example/", "http://a%00.example/", "http://a%20b.example/", "http://%FF.example/",
    "http://\u{AD}/", "http://ü\u{200E}.example/", "http://\(String(repeating: "ü", count: 70)).a/",
  ])
  func aHostThatCannotBeConvertedIsRefused(url: String) {
    #expect(invalidity(url)?.contains("host") == true)
  }

  @Test func aHostThatIsNotASCIIIsReached() async throws {
    let server = try LoopbackServer { request, connection in
      connection.send(body: Array((request.header("Host") ?? "").utf8))
    }
    let url = "http://ｌｏｃａｌｈｏｓｔ:\(server.port)/"
    let response = try await transport.fetch(TransportRequest(url: url))
    #expect(String(decoding: response.body, as: UTF8.self) == "localhost:\(server.port)")
    #expect(response.url == url)
  }

  @Test(.needsCurl("URLSession uses the system's proxy alone"))
  func aProxyIsAskedForTheASCIIHost() async throws {
    let proxy = try LoopbackServer { $1.send(body: Array($0.path.utf8)) }
    let transport = TransportUnderTest(CurlOptions(proxy: .server(ProxyServer(url: proxy.url))))
    let response = try await transport.fetch(TransportRequest(url: "http://bücher.example/ä"))
    let path = String(decoding: response.body, as: UTF8.self)
    #expect(path == "http://xn--bcher-kva.example/%C3%A4")
  }

  @Test(arguments: ["bücher.example", "BU\u{308}CHER.example", "xn--bcher-kva.example"])
  func aHostThatIsNotASCIIMayBypassTheProxy(host: String) {
    let proxy = ProxyServer(url: "http://127.0.0.1:1", bypassedHosts: [host])
    #expect(!proxy.serves("www.xn--bcher-kva.example"))
    #expect(proxy.serves("other.example"))
  }

  @Test func aRedirectMayLeadToAHostThatIsNotASCII() async throws {
    let server = try LoopbackServer { request, connection in
      guard request.path == "/" else { return connection.send(body: [7]) }
      let port = request.header("Host")?.split(separator: ":").last ?? ""
      return connection.send(status: 302, ["Location: http://ＬＯＣＡＬＨＯＳＴ:\(port)/ü"])
    }
    let response = try await transport.fetch(TransportRequest(url: server.url))
    #expect(response.body == [7])
    #expect(response.url == "http://localhost:\(server.port)/%C3%BC")
    #expect(server.requests == ["/", "/%C3%BC"])
  }

  @Test(.needsCurl("URLSession's cookies are refused"))
  func cookiesOfAHostAreSentInEitherForm() async throws {
    let server = try LoopbackServer { request, connection in
      connection.send(["Set-Cookie: a=1"], body: Array((request.header("Cookie") ?? "").utf8))
    }
    let transport = TransportUnderTest(
      CurlOptions(identity: ClientIdentity(keepsCookies: true), proxy: .none)
    )
    var cookies: [String] = []
    for host in ["ｌｏｃａｌｈｏｓｔ", "localhost", "LocalHost"] {
      let request = TransportRequest(url: "http://\(host):\(server.port)/")
      cookies.append(String(decoding: try await transport.fetch(request).body, as: UTF8.self))
    }
    #expect(cookies == ["", "a=1", "a=1"])
  }

  @Test func aPictureOfAHostThatIsNotASCIIIsLoaded() async throws {
    let png = try TestImages.png(width: 8, height: 8)
    let server = try LoopbackServer { request, connection in
      guard request.path == "/a.png" else { return connection.send(body: png) }
      let port = request.header("Host")?.split(separator: ":").last ?? ""
      return connection.send(status: 302, ["Location: http://ｌｏｃａｌｈｏｓｔ:\(port)/%C3%BC.png"])
    }
    let pipeline = ImagePipeline(options: PipelineOptions.steady, transport: transport)
    for host in ["ｌｏｃａｌｈｏｓｔ", "localhost"] {
      let location = "http://\(host):\(server.port)/a.png"
      let request = ImageRequest(location: location, style: .original)
      #expect(try await pipeline.response(for: request).image.width == 8)
    }
    #expect(Set(server.requests) == ["/a.png", "/%C3%BC.png"])
  }

  // MARK: - Locations

  @Test(arguments: [
    ("/%C3%A4ä?ö=%20", "/%C3%A4%C3%A4?%C3%B6=%20"), ("c", "/x/c"),
    ("../c?d#e", "/c?d"), ("?q", "/x/y?q"), ("./d/../e/.", "/x/e/"), ("/a|b%20c", "/a%7Cb%20c"),
    ("//HOST/p", "/p"), ("../../../r", "/r"), ("/a//../b", "/a/b"), ("  /s  ", "/s"),
  ])
  func aLocationIsEncodedOnce(location: String, path: String) async throws {
    try await follow(location, to: path)
  }

  @Test(
    .needsCurl("Foundation's URL has no bracket in a path, and two digits after each percent sign"),
    arguments: [
      ("/a%zz.png", "/a%zz.png"), ("/a%zz b%20c.png", "/a%zz%20b%20c.png"), ("/a%", "/a%"),
      ("/?ö=%zz", "/?%C3%B6=%zz"), ("/a[1]|b", "/a[1]%7Cb"),
    ]
  )
  func aLocationThatIsNoURLKeepsItsCharacters(location: String, path: String) async throws {
    try await follow(location, to: path)
  }

  /// Expects that a location is gone to by the transport, and by a pipeline.
  private func follow(_ location: String, to path: String) async throws {
    for reports in [false, true] {
      let server = try LoopbackServer { request, connection in
        guard request.path == "/x/y?z" else { return connection.send(body: [7]) }
        let host = request.header("Host") ?? ""
        return connection.send(status: 302, ["Location: \(location.replacing("HOST", with: host))"])
      }
      let pipeline = ImagePipeline(options: PipelineOptions.steady, transport: transport)
      let url = server.url + "/x/y?z"
      if reports {
        _ = try? await pipeline.response(for: ImageRequest(location: url, style: .original))
      } else {
        _ = try await transport.fetch(TransportRequest(url: url))
      }
      #expect(server.requests.last == path)
    }
  }

  @Test(.needsCurl("FoundationNetworking takes no field that is not UTF-8"))
  func aLocationThatIsNotUTF8KeepsItsBytes() async throws {
    let server = try LoopbackServer { request, connection in
      guard request.path == "/" else { return connection.send(body: [7]) }
      let head = Array("HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: /caf".utf8)
      return connection.send(head + [0xE9] + Array(".png\r\n\r\n".utf8))
    }
    _ = try await transport.fetch(TransportRequest(url: server.url))
    #expect(server.requests == ["/", "/caf%E9.png"])
  }

  // MARK: - Fields

  /// Tags that are no UTF-8, that are, and that Swift takes for equal.
  private static let tags: [[UInt8]] = [
    [0x22, 0xE9, 0xFF, 0x80, 0x22], Array("\"é\"".utf8), Array("\"e\u{301}\"".utf8),
    [0x22, 0xEE, 0xBF, 0xA9, 0x22], [0x22, 0xCC, 0x81, 0x22], [0x22, 0xEE, 0xBF, 0x22],
  ].filter { TransportUnderTest.takesAnyBytes || String(validating: $0, as: UTF8.self) != nil }

  @Test(arguments: tags) func aTagKeepsItsBytes(tag: [UInt8]) async throws {
    let server = try LoopbackServer { request, connection in
      let isKnown = request.headBytes.firstRange(of: Array("If-None-Match: ".utf8) + tag) != nil
      let head = Array("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nETag: ".utf8)
      return connection.send(head + tag + Array("\r\n\r\n\(isKnown ? 1 : 0)".utf8))
    }
    let first = try await transport.fetch(TransportRequest(url: server.url))
    #expect(first.body == Array("0".utf8))
    for value in [first.header("etag"), first.headers.first { $0.isNamed("etag") }?.value] {
      let condition = HeaderField("If-None-Match", try #require(value))
      let request = TransportRequest(url: server.url, headers: [condition])
      #expect(try await transport.fetch(request).body == Array("1".utf8))
    }
  }

  @Test(arguments: tags) func aTagKeepsItsBytesOnTheDisk(tag: [UInt8]) async throws {
    let (png, folder) = (try TestImages.png(width: 8, height: 8), try TemporaryDirectory())
    let confirmed = Counter()
    let server = try LoopbackServer { request, connection in
      let tagField = Array("\r\nETag: ".utf8) + tag + Array("\r\n\r\n".utf8)
      if request.headBytes.firstRange(of: Array("If-None-Match: ".utf8) + tag) != nil {
        confirmed.add()
        return connection.send(Array("HTTP/1.1 304 Not Modified".utf8) + tagField)
      }
      let head = Array("HTTP/1.1 200 OK\r\nContent-Length: \(png.count)".utf8)
      return connection.send(head + tagField + png)
    }
    var options = PipelineOptions.steady
    options.disk = DiskOptions(directory: folder.path)
    var request = ImageRequest(location: server.url + "/a.png", style: .original)
    request.caching.policy = .refresh
    for _ in 1...3 {
      let pipeline = ImagePipeline(options: options, transport: transport)
      #expect(try await pipeline.response(for: request).image.width == 8)
      await pipeline.finishWriting()
    }
    #expect(server.requests.count == 3 && confirmed.count == 2)
  }

  @Test(arguments: tags) func aTransferGoesOnUnderATagThatIsNotASCII(tag: [UInt8]) async throws {
    let folder = try TemporaryDirectory()
    let body = Array((try TestImages.png(width: 8, height: 8) + pattern(40_000)).prefix(40_000))
    let server = try LoopbackServer { request, connection in
      let tagField = Array("\r\nETag: ".utf8) + tag + Array("\r\n\r\n".utf8)
      guard request.headBytes.firstRange(of: Array("If-Range: ".utf8) + tag) != nil else {
        let head = Array("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)".utf8)
        connection.send(head + tagField + body[..<30_000])
        return false
      }
      let head =
        "HTTP/1.1 206 Part\r\nContent-Length: 10000\r\n"
        + "Content-Range: bytes 30000-39999/40000"
      return connection.send(Array(head.utf8) + tagField + body[30_000...])
    }
    var options = PipelineOptions.steady
    options.disk = DiskOptions(directory: folder.path)
    options.network.retry = .none
    options.network.failures = .none
    options.network.resumption.minimumBytes = 1
    let request = ImageRequest(location: server.url + "/a.png", style: .original)
    let first = ImagePipeline(options: options, transport: transport)
    await #expect(throws: ImageError.self) { try await first.data(for: request) }
    await first.finishWriting()
    let second = ImagePipeline(options: options, transport: transport)
    #expect(try await second.data(for: request) == body)
    await second.finishWriting()
    #expect(server.requests.count == 2)
  }
}
