import IkranServer
import IkranTransport
import Support
import Testing

@testable import IkranService

@Suite(.enabled(if: S3Server.program != nil, S3Server.reason), .timeLimit(.minutes(5)))
struct S3TierTests {
  private func tier(_ server: S3Server, secret: String = "SECRET") throws -> S3Tier {
    var environment = server.environment
    environment["AWS_SECRET_ACCESS_KEY"] = secret
    let settings = try #require(try ServiceSettings(environment: environment).sources.s3)
    return S3Tier(bucket: "results", transport: S3Transport(settings, CurlOptions()))
  }

  @Test func bytesAreStoredUnderAKey() async throws {
    let server = try S3Server(["results/other": [1]])
    defer { server.stop() }
    let tier = try self.tier(server)
    #expect(try await tier.value(for: "ikran/1/a", within: .seconds(60)) == nil)
    let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    try await tier.store(bytes, for: "ikran/1/a", within: .seconds(60))
    #expect(try await tier.value(for: "ikran/1/a", within: .seconds(60)) == bytes)
    for _ in 1...2 { try await tier.remove("ikran/1/a", within: .seconds(60)) }
    #expect(try await tier.value(for: "ikran/1/a", within: .seconds(60)) == nil)
  }

  @Test func aWrongSecretIsAFailureThatSaysSo() async throws {
    let server = try S3Server(["results/other": [1]])
    defer { server.stop() }
    let tier = try self.tier(server, secret: "WRONG")
    let error = TierError.failed("the status is 403 (SignatureDoesNotMatch)")
    await #expect(throws: error) { try await tier.store([1], for: "a", within: .seconds(60)) }
    await #expect(throws: error) { try await tier.value(for: "a", within: .seconds(60)) }
  }

  @Test func aServiceSendsWhatAnotherHasMade() async throws {
    let server = try S3Server(["results/other": [1]])
    defer { server.stop() }
    let origin = try Origin(.portraits(count: 1), faults: Faults(maxAge: 3600))
    var environment = server.environment
    environment["IKRAN_BIND"] = "127.0.0.1:0"
    environment["IKRAN_TIER_S3_BUCKET"] = "results"
    environment["IKRAN_TIER_TIMEOUT"] = "60"
    environment["IKRAN_ALLOW_LOOPBACK_SOURCE_ADDRESSES"] = "1"
    let source = "http://127.0.0.1:\(origin.port)\(origin.paths[0])"
    let path = "/_/rs:fit:8:8/plain/\(source)@png"
    let first = try await ask(path, environment)
    #expect(first.status == 200)
    origin.stop()
    // What the first has made is stored soon; the folder has a name before the file is whole.
    try await until { !server.list("results/ikran/1").isEmpty }
    var second = try await ask(path, environment)
    while second.status == 404 { second = try await ask(path, environment) }
    #expect(second.status == 200 && second.body == first.body)
  }

  /// What a new service sends.
  private func ask(
    _ path: String,
    _ environment: [String: String]
  ) async throws -> TransportResponse {
    let folder = try TemporaryDirectory()
    let service = try await ImageService(
      environment: environment,
      cache: CacheSettings(folder: folder.path),
      version: "1"
    )
    defer { service.stop() }
    return try await CurlTransport().fetch(TransportRequest(url: service.baseURL + path))
  }

  @Test(arguments: ["a/b", "", ".a", "a?b"])
  func aBucketIsANameAlone(name: String) {
    let fault = settingsFault(["IKRAN_TIER_S3_BUCKET": name])
    #expect((fault?.variable == "IKRAN_TIER_S3_BUCKET") == !name.isEmpty)
  }
}
