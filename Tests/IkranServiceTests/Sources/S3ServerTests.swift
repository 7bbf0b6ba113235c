import Ikran
import IkranTransport
import Support
import Testing

@testable import IkranService

@Suite(.enabled(if: S3Server.program != nil, S3Server.reason), .timeLimit(.minutes(5)))
struct S3ServerTests {
  private let file: [UInt8] = Array("a picture".utf8)

  /// What the sources of a service with some variables have at a place.
  private func fetch(
    _ source: String,
    _ environment: [String: String],
    fields: [HeaderField] = []
  ) async throws -> TransportResponse {
    let sources = try ServiceSettings(environment: environment).sources
    let request = TransportRequest(url: sources.location(of: source), headers: fields)
    return try await SchemeTransport(sources, version: "1").fetch(request)
  }

  @Test func aSignedRequestBringsTheObject() async throws {
    let server = try S3Server(["photos/a.png": file])
    defer { server.stop() }
    let response = try await fetch("s3://photos/a.png", server.environment)
    #expect(response.status == 200 && response.body == file)
    #expect(response.url == "s3://photos/a.png" && response.mediaType == "image/png")
  }

  @Test func anEndpointOnThisMachineIsAllowedWhereStrangersURLsAreNot() async throws {
    let server = try S3Server(["photos/a.png": file])
    defer { server.stop() }
    let address = "http://127.0.0.1:\(server.port)/photos/a.png"
    await #expect(throws: TransportError.forbiddenAddress("127.0.0.1")) {
      try await fetch(address, server.environment)
    }
  }

  @Test(arguments: [
    "a b.png", "a+b.png", "100%.png", "100%25.png", "ünïcode €.png", "d/e f/g.png", "h#x.png",
    "=&;'()!*~@:,$.png", "[x]^`{|}<>.png",
  ])
  func keysHaveAnyCharacters(key: String) async throws {
    let server = try S3Server(["photos/\(key)": file])
    defer { server.stop() }
    let response = try await fetch("s3://photos/\(key)", server.environment)
    #expect(response.status == 200 && response.body == file)
  }

  @Test func aKeyHasAQuestionMarkWhereQueriesHaveNoSeparator() async throws {
    let server = try S3Server(["photos/a?b.png": file])
    defer { server.stop() }
    var environment = server.environment
    environment["IKRAN_SOURCE_URL_QUERY_SEPARATOR"] = ""
    #expect(try await fetch("s3://photos/a?b.png", environment).body == file)
  }

  @Test func aBucketIsPartOfTheHostWherePathsHaveNone() async throws {
    let server = try S3Server(["photos/a.png": file], arguments: ["--force-path-style=false"])
    defer { server.stop() }
    var environment = server.environment
    environment["IKRAN_S3_ENDPOINT"] = "http://localhost:\(server.port)"
    environment["IKRAN_S3_ENDPOINT_USE_PATH_STYLE"] = "0"
    #expect(try await fetch("s3://photos/a.png", environment).body == file)
  }

  @Test func theTokenOfASessionIsSigned() async throws {
    let server = try S3Server(["photos/a.png": file])
    defer { server.stop() }
    var environment = server.environment
    // The server refuses fields of Amazon's that are not signed.
    environment["AWS_SESSION_TOKEN"] = "token/with+signs=="
    #expect(try await fetch("s3://photos/a.png", environment).body == file)
  }

  @Test func withoutCredentialsNothingIsSigned() async throws {
    let server = try S3Server(["photos/a.png": file], key: nil)
    defer { server.stop() }
    var environment = server.environment
    environment["AWS_ACCESS_KEY_ID"] = nil
    #expect(try await fetch("s3://photos/a.png", environment).body == file)
  }

  @Test func anObjectThatIsKnownIsNotSentAgain() async throws {
    let server = try S3Server(["photos/a.png": file])
    defer { server.stop() }
    let tag = try #require(try await fetch("s3://photos/a.png", server.environment).header("etag"))
    let condition = HeaderField("If-None-Match", tag)
    let response = try await fetch("s3://photos/a.png", server.environment, fields: [condition])
    #expect(response.status == 304 && response.body.isEmpty)
  }

  @Test func aHandleThatHasSignedDoesNotSignTheNextRequest() async throws {
    let server = try S3Server(["photos/a.png": file])
    defer { server.stop() }
    let transport = CurlTransport(CurlOptions(connections: ConnectionLimits(total: 1)))
    let url = "http://127.0.0.1:\(server.port)/photos/a.png"
    for isSigned in [true, false, true] {
      var request = TransportRequest(url: url)
      let credentials = S3Credentials(id: "READER", secret: "SECRET")
      let hash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
      if isSigned { request.sign(as: credentials, region: "eu-1", hash: hash) }
      let response = try await transport.fetch(request)
      #expect(response.status == (isSigned ? 200 : 400))
    }
  }

  @Test(arguments: [
    ("AWS_SECRET_ACCESS_KEY", "SignatureDoesNotMatch"),
    ("AWS_ACCESS_KEY_ID", "InvalidAccessKeyId"),
  ])
  func wrongCredentialsFailWithTheServersReason(name: String, reason: String) async throws {
    let server = try S3Server(["photos/a.png": file])
    defer { server.stop() }
    var environment = server.environment
    environment[name] = "WRONG"
    let settings = try ServiceSettings(environment: environment)
    let transport = try SchemeTransport(settings.sources, version: "1")
    let pipeline = ImagePipeline(settings, cache: CacheSettings(), transport: transport)
    let request = ImageRequest(location: "s3://photos/a.png", style: .original)
    let error = await #expect(throws: ImageError.self) {
      try await pipeline.sourceFile(for: request)
    }
    let service = ServiceError(try #require(error))
    #expect(service.status == 403 && service.details.contains(reason))
  }

  @Test func aServiceMakesPicturesOfObjects() async throws {
    let picture = try Fixtures.bytes("areas-444.jpg")
    let server = try S3Server(["photos/a b.png": picture, "secret/a.png": picture])
    defer { server.stop() }
    var environment = server.environment
    environment["IKRAN_BIND"] = "127.0.0.1:0"
    environment["IKRAN_S3_DENIED_BUCKETS"] = "secret"
    let service = try await ImageService(
      environment: environment,
      cache: CacheSettings(),
      version: "1"
    )
    defer { service.stop() }
    let client = CurlTransport()
    let plain = service.baseURL + "/_/rs:fit:8:8/plain/s3://"
    let found = try await client.fetch(TransportRequest(url: plain + "photos/a%20b.png@png"))
    #expect(found.status == 200 && found.mediaType == "image/png")
    let denied = try await client.fetch(TransportRequest(url: plain + "secret/a.png@png"))
    #expect(denied.status == 404)
  }
}
