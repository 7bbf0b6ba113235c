import FoundationEssentials
import IkranStores
import IkranTransport
import Support
import Testing

@testable import Ikran

/// Secrets of requests and responses are in no file, and decide nothing they should not decide.
@Suite("Secrets", .timeLimit(.minutes(10)))
struct SecretTests {
  private let folder: TemporaryDirectory
  private let png: [UInt8]

  init() throws {
    folder = try TemporaryDirectory()
    png = try Square.png(50)
  }

  private func request(
    _ location: String,
    _ fields: [String: String] = [:],
    _ style: Style = .circle(8)
  ) -> ImageRequest {
    var request = ImageRequest(location: location, style: style)
    request.transfer.headers = FakeResponse.fields(fields)
    return request
  }

  /// Responds as each URL says: with a redirect, with half of a body, or with an image.
  private var transport: FakeTransport {
    FakeTransport { [png] (request, _) throws(TransportError) in
      var fields = FakeResponse.fields([
        "Cache-Control": "max-age=600", "ETag": "\"1\"", "Set-Cookie": "id=SECRET-SETCOOKIE",
        "Vary": "Authorization, Cookie, X-Token", "X-Note": "SECRET-RESPONSE",
        "Content-Length": "\(png.count)",
      ])
      if request.url.contains("/moved") {
        let target = "http://b.test/signed.png?sig=SECRET-REDIRECT"
        fields.append(HeaderField("Location", target))
        return TransportResponse(status: 302, headers: fields, body: [], url: request.url)
      }
      if request.url.contains("/broken") {
        request.onInterruption?(
          TransportResponse(
            status: 200,
            headers: fields,
            body: Array(png[..<(png.count / 2)]),
            url: request.url,
            isComplete: false
          )
        )
        throw .connectionLost(received: png.count / 2)
      }
      return TransportResponse(status: 200, headers: fields, body: png, url: request.url)
    }
  }

  private func requests() -> [ImageRequest] {
    let url = "http://a.test/a.png"
    var posted = request(url)
    posted.transfer.method = "POST"
    posted.transfer.body = Array("SECRET-BODY".utf8)
    return [
      request(url, ["Authorization": "Bearer SECRET-TOKEN"]),
      request(url + "?1", ["Cookie": "session=SECRET-COOKIE"], .fit(width: 9, height: 7)),
      request(url + "?2", ["X-Token": "SECRET-FIELD"]),
      request(url + "?Signature=SECRET-QUERY"),
      request("http://me:SECRET-PASSWORD@a.test/a.png"),
      request("http://a.test/moved?to=SECRET-MOVED", ["Authorization": "SECRET-TOKEN"]),
      request("http://a.test/broken?sig=SECRET-BROKEN", ["X-Token": "SECRET-FIELD"]),
      request(url + "#SECRET-FRAGMENT"),
      posted,
    ]
  }

  @Test(arguments: [false, true])
  func noFileOfTheCacheHasASecret(includesCredentials: Bool) async throws {
    let pipeline = ImagePipeline.deterministic(transport: transport, folder: folder.path) {
      $0.keys.includesCredentials = includesCredentials
      $0.network.resumption.minimumBytes = 1
      $0.disk?.contents = .both
    }
    for request in requests() {
      // The broken one fails; all that counts here is what is written.
      _ = try? await pipeline.image(for: request)
      await pipeline.finishWriting()
    }
    _ = try? await pipeline.image(for: request("http://a.test/a.png?Signature=SECRET-QUERY"))
    await pipeline.finishWriting()
    // The pipeline is open still, so that the journal of the index is there, too.
    let files = try files(below: folder.path)
    #expect(files.keys.contains { $0.contains("/partial/") })
    #expect(files.keys.contains { $0.hasSuffix(".table") })
    #expect(files.keys.contains { $0.hasSuffix("/freshness") })
    #expect(files.keys.contains { $0.contains("/index") })
    for (path, bytes) in files {
      #expect(!path.contains("SECRET"), "\(path)")
      #expect(!contains(bytes, Array("SECRET".utf8)), "\(path)")
    }
    withExtendedLifetime(pipeline) {}
  }

  private func contains(_ bytes: [UInt8], _ word: [UInt8]) -> Bool {
    bytes.indices.contains { start in
      bytes[start] == word[0] && bytes[start...].starts(with: word)
    }
  }

  @Test(arguments: [("Authorization", false), ("Cookie", false), ("Authorization", true)])
  func aNewTokenIsAnotherSourceOnlyIfThatIsWanted(field: String, isWanted: Bool) async throws {
    let transport = FakeTransport(body: png)
    let pipeline = ImagePipeline.deterministic(transport: transport, folder: folder.path) {
      $0.keys.includesCredentials = isWanted
    }
    let url = "http://a.test/a.png"
    let first = try await pipeline.response(for: request(url, [field: "1"]))
    let second = try await pipeline.response(for: request(url, [field: "2"]))
    #expect((first.key == second.key) != isWanted)
    #expect(second.source == (isWanted ? .network : .memory))
    #expect(transport.urls.count == (isWanted ? 2 : 1))
    // The newer token is the one that is sent.
    var reload = request(url, [field: "3"])
    reload.caching.policy = .reload
    _ = try await pipeline.image(for: reload)
    #expect(transport.requests.last?.headers.contains { $0.value == "3" } == true)
  }
}
