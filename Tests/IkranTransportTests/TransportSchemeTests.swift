import Glibc
import IkranStores
import Support
import Testing

@testable import IkranTransport

@Suite(.timeLimit(.minutes(10)))
struct TransportSchemeTests {
  private let transport = SchemeTransport()

  private func failure(_ url: String, limit: Int = 1 << 20) async -> TransportError? {
    do {
      _ = try await transport.fetch(TransportRequest(url: url, maximumBodyBytes: limit))
      return nil
    } catch {
      return error
    }
  }

  // MARK: - data:

  @Test(arguments: [
    ("data:,hello", "text/plain;charset=US-ASCII", "hello"),
    ("data:text/html,%3Cb%3e", "text/html", "<b>"),
    ("DATA:image/svg+xml;charset=utf-8,a,b", "image/svg+xml;charset=utf-8", "a,b"),
    ("data:;charset=utf-8,%C3%B6#part", "text/plain;charset=utf-8", "ö"),
    ("data:image/png;base64,aGVsbG8=", "image/png", "hello"),
    ("data:image/png;base64,aGVsbG8", "image/png", "hello"),
    ("data:image/png;BASE64,aGVsbG8%3D", "image/png", "hello"),
    ("data:;base64,", "text/plain;charset=US-ASCII", ""),
    ("data:;base64,YQ==", "text/plain;charset=US-ASCII", "a"),
    ("data:;base64,+/A=", "text/plain;charset=US-ASCII", "\u{FFFD}\u{FFFD}"),
    ("data:base64,YQ==", "base64", "YQ=="),
    // As the Fetch standard has it: white space, percent signs that stand for themselves.
    ("data:image/png;base64,aGVs\n bG8\t=\r\n", "image/png", "hello"),
    ("data:image/png;base64,aGVs%0D%0AbG8%20=%0A", "image/png", "hello"),
    ("data:image/png; base64,aGVsbG8=", "image/png", "hello"),
    ("data: image/png ;charset=x;  Base64 ,aGVsbG8=", "image/png ;charset=x", "hello"),
    ("data:image/png;base64 ,a G V s b G 8", "image/png", "hello"),
    ("data:;BASE64,YQ==", "text/plain;charset=US-ASCII", "a"),
    ("data: ;base64,YQ==", "text/plain;charset=US-ASCII", "a"),
    ("data:,%", "text/plain;charset=US-ASCII", "%"),
    ("data:,%4", "text/plain;charset=US-ASCII", "%4"),
    ("data:,%zz%41%", "text/plain;charset=US-ASCII", "%zzA%"),
    ("data:text/plain,a b", "text/plain", "a b"),
    ("data:text/plain;base64 ;x,YQ==", "text/plain;base64 ;x", "YQ=="),
  ])
  func dataURLsCarryTheirBytes(url: String, type: String, text: String) async throws {
    let response = try await transport.fetch(TransportRequest(url: url))
    #expect(response.status == 200)
    #expect(response.header("content-type") == type)
    #expect(String(decoding: response.body, as: UTF8.self) == text)
  }

  @Test func everyByteSurvivesBase64() async throws {
    let response = try await transport.fetch(
      TransportRequest(url: "data:;base64,AAECA/3+/w==")
    )
    #expect(response.body == [0, 1, 2, 3, 0xFD, 0xFE, 0xFF])
  }

  @Test(arguments: [
    ("data:;base64,!!!AAAA!", "has a character that is not base64"),
    ("data:;base64,!!!A", "has a character that is not base64"),
    ("data:;base64,AAAAA", "ends in the middle"),
  ])
  func aMalformedDataURLSaysWhatIsWrong(url: String, reason: String) async {
    #expect(await failure(url) == .invalidURL("the data: URL's base64 \(reason)"))
  }

  @Test(arguments: [
    "data:", "data:image/png;base64", "data:;base64,%zz", "data:;base64,YQ%", "data:;base64,a",
    "data:;base64,ab=", "data:;base64,a===", "data:;base64,====", "data:;base64,a b=",
    "data:;base64,a-_=", "data:;base64,ab=c",
  ])
  func malformedDataURLsAreRefused(url: String) async {
    guard case .invalidURL(let reason) = await failure(url) else {
      Issue.record("\(url) was not refused")
      return
    }
    #expect(reason.contains("data:"))
  }

  @Test(arguments: ["data:,abcdef", "data:;base64,YWJjZGVm"])
  func dataOverTheLimitIsRefused(url: String) async {
    #expect(await failure(url, limit: 6) == nil)
    #expect(await failure(url, limit: 5) == .bodyTooLarge(limit: 5))
  }

  // MARK: - file:

  @Test(arguments: ["file://", "file://localhost", "FILE:"])
  func filesAreRead(prefix: String) async throws {
    let directory = try TemporaryDirectory()
    try Files.writeAtomically(pattern(5000), to: directory.path + "/ä b.bin")
    let url = prefix + directory.path + "/%C3%A4%20b.bin?x#y"
    let seen = Recorder<TransferProgress>()
    let response = try await transport.fetch(TransportRequest(url: url)) { seen.add($0) }
    #expect(response.status == 200)
    #expect(response.body == pattern(5000))
    #expect(seen.items == [TransferProgress(received: 5000, expected: 5000)])
  }

  @Test func aFileOverTheLimitIsRefused() async throws {
    let directory = try TemporaryDirectory()
    try Files.writeAtomically(pattern(100), to: directory.path + "/a")
    #expect(await failure("file://\(directory.path)/a", limit: 100) == nil)
    #expect(await failure("file://\(directory.path)/a", limit: 99) == .bodyTooLarge(limit: 99))
  }

  @Test func missingFilesFoldersAndDevicesAreNamed() async throws {
    let directory = try TemporaryDirectory()
    let pipe = directory.path + "/pipe"
    #expect(mkfifo(pipe, 0o600) == 0)
    for path in [directory.path + "/none", directory.path, pipe, "/dev/zero"] {
      guard case .file(let named, let reason) = await failure("file://\(path)") else {
        Issue.record("\(path) was not refused as a file")
        continue
      }
      #expect(named == path)
      #expect(!reason.contains(path) && !reason.hasSuffix("."))
    }
  }

  @Test(arguments: ["file:a", "file:", "file://host/a", "file:///a%0", "file:///a%00b"])
  func malformedFileURLsAreRefused(url: String) async {
    guard case .invalidURL = await failure(url) else {
      Issue.record("\(url) was not refused")
      return
    }
  }

  // MARK: - Routing

  @Test(arguments: ["", "x", "/etc/passwd", "ftp://a/b", "javascript:1", ":a", "1a:b"])
  func otherSchemesAreRefused(url: String) async {
    guard case .invalidURL(let reason) = await failure(url) else {
      Issue.record("\(url) was not refused")
      return
    }
    #expect(reason.contains("scheme"))
  }

  @Test func webAddressesGoToTheNetwork() async throws {
    let server = try LoopbackServer { $1.send(body: [7]) }
    defer { withExtendedLifetime(server) {} }
    let url = server.url.replacing("http", with: "HTTP")
    #expect(try await transport.fetch(TransportRequest(url: url)).body == [7])
  }

  // MARK: - Other schemes

  /// Brings the URL that it was asked for.
  private struct Echo: Transport {
    func fetch(
      _ request: TransportRequest,
      progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws(TransportError) -> TransportResponse {
      TransportResponse(status: 200, body: Array(request.url.utf8), url: request.url)
    }
  }

  @Test(arguments: ["shelf", "SHELF", "shelf:", "http", "https", "file", "data"])
  func aSchemeHasTheTransportThatIsRegisteredForIt(scheme: String) async throws {
    var transport = transport
    transport.register(Echo(), for: scheme)
    let name = scheme.filter { $0 != ":" }
    let urls = [name, name.lowercased(), name.uppercased()].map { $0 + "://a/B" }
    for url in urls {
      #expect(try await transport.fetch(TransportRequest(url: url)).body == Array(url.utf8))
    }
  }

  @Test func aTransportForOneSchemeGetsNoOther() async throws {
    var transport = transport
    transport.register(Echo(), for: "shelf")
    #expect(try await transport.fetch(TransportRequest(url: "data:,a")).body == Array("a".utf8))
    await #expect(throws: TransportError.self) {
      _ = try await transport.fetch(TransportRequest(url: "shelves:a"))
    }
  }

  @Test(arguments: [
    ("HTTP://u:p@A.test:80/x", "http://a.test"), ("https://a.test:8/x", "https://a.test:8"),
    ("s3://Shelf/x", "s3://shelf"), ("s3://u:p@w@shelf:9?x", "s3://shelf:9"),
    ("S3:///x", "s3://"), ("asset:a@b/c", "asset:"), ("file:///a", ""), ("data:,a", ""),
    ("http://", ""), ("", ""),
  ])
  func turnsAreCountedByWhatServesAURL(url: String, host: String) {
    #expect(downloadHost(of: url) == host)
  }

  @Test(arguments: [
    ("http://a.test/b@c", false), ("http://u@a.test/", true), ("http://u:p@", true),
    ("u:p@a.test", false), ("s3://u@shelf/a", true), ("s3://shelf/a@b", false),
    ("asset:icon@2x.png", false), ("vault:u:p@shelf/a", true), ("@", true), ("a", false),
  ])
  func aUserIsFoundBetweenTheSlashesAlone(url: String, hasUser: Bool) {
    #expect(hasUserInfo(url) == hasUser)
  }

  // MARK: - Messages

  @Test(arguments: [
    ("https://user:pw@host:1/a?token=1#f", "https://host:1/a"),
    ("http://a@b@host/x", "http://host/x"),
    ("http://host/a@b", "http://host/a@b"),
    ("user:pw@host/a", "user:host/a"),
    ("data:image/png;base64,AAAA", "data:image/png;base64,…"),
    ("/plain/path?x", "/plain/path"),
    ("", ""),
  ])
  func messagesShowNoSecrets(url: String, shown: String) {
    #expect(redacted(url) == shown)
  }

  @Test func messagesAreNotEndless() {
    #expect(redacted("http://host/" + String(repeating: "a", count: 5000)).count == 200)
  }

  @Test(arguments: [
    TransportError.cancelled, .invalidURL("no"), .hostNotFound("h"), .cannotConnect("h:1"),
    .timedOut(after: .milliseconds(1500)), .tls("self-signed"), .tooManyRedirects(limit: 5),
    .forbiddenRedirect("file:///x"), .bodyTooLarge(limit: 7), .connectionLost(received: 3),
    .invalidResponse("no length"), .contentEncoding("unknown"),
    .file(path: "/x", reason: "gone"), .failed(code: 3, reason: "why"),
  ])
  func everyErrorIsOneClause(error: TransportError) {
    let text = "\(error)"
    #expect(!text.isEmpty && !text.contains("\n") && !text.hasSuffix("."))
  }
}
