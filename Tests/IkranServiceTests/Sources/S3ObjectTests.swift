import IkranTransport
import Support
import Testing

@testable import IkranService

/// Keeps the requests that it gets, and says that there is nothing.
private final class KeepingTransport: Transport {
  let requests = Recorder<TransportRequest>()

  func fetch(
    _ request: TransportRequest,
    progress: @escaping @Sendable (TransferProgress) -> Void
  ) async throws(TransportError) -> TransportResponse {
    requests.add(request)
    return TransportResponse(status: 404, body: [], url: request.url)
  }
}

struct S3ObjectTests {
  private func sources(_ environment: [String: String]) throws -> SourceSettings {
    var environment = environment
    environment["IKRAN_USE_S3"] = "1"
    return try ServiceSettings(environment: environment).sources
  }

  @Test(arguments: [
    (["IKRAN_S3_REGION": "eu-1"], "https://photos.s3.eu-1.amazonaws.com/"),
    (["IKRAN_S3_REGION": "cn-north-1"], "https://photos.s3.cn-north-1.amazonaws.com.cn/"),
    (["IKRAN_S3_ENDPOINT": "http://host:9000/"], "http://host:9000/photos/"),
    (["IKRAN_S3_ENDPOINT": "https://host/base"], "https://host/base/photos/"),
    (
      ["IKRAN_S3_ENDPOINT": "https://host:1", "IKRAN_S3_ENDPOINT_USE_PATH_STYLE": "0"],
      "https://photos.host:1/"
    ),
  ])
  func anEndpointHasTheBucketInItsHostOrPath(
    environment: [String: String],
    base: String
  ) throws {
    let settings = try #require(try sources(environment).s3)
    #expect(try S3Object("s3://photos/a.png").url(in: settings) == base + "a.png")
  }

  @Test func bucketsWithDotsAreInAmazonsPaths() throws {
    let settings = try #require(try sources(["AWS_REGION": "eu-1"]).s3)
    let url = try S3Object("s3://my.photos/a").url(in: settings)
    #expect(url == "https://s3.eu-1.amazonaws.com/my.photos/a")
  }

  @Test(arguments: [
    ("s3://b/k", "s3://b/k"), ("S3://b/a b", "S3://b/a%20b"), ("s3://b/50%", "s3://b/50%25"),
    ("s3://b/a#b", "s3://b/a%23b"), ("s3://b/k?v#1", "s3://b/k?v%231"),
    ("http://a/%20", "http://a/%20"),
  ])
  func aKeyIsNoURLUntilItIsEncoded(source: String, location: String) throws {
    #expect(try sources([:]).location(of: source) == location)
  }

  @Test(arguments: ["s3://b/k?v/1", "s3://b/k?versionId=v/1", "s3://b//k?v%2F1"])
  func aVersionIsTheQuery(url: String) throws {
    let settings = try #require(try sources(["IKRAN_S3_ENDPOINT": "http://host"]).s3)
    #expect(try S3Object(url).url(in: settings) == "http://host/b/k?versionId=v%2F1")
  }

  @Test(arguments: [
    "s3://", "s3:///k", "s3://b", "s3://b/", "s3:b/k", "s3://u@host/k", "s3://b:1/k", "s3://../k",
    "s3://b/../k", "s3://b/a/./k", "s3://b/%2E%2E/k", "s3://b/%4",
  ])
  func whatNamesNoObjectIsRefused(url: String) {
    #expect(throws: TransportError.self) { try S3Object(url) }
  }

  @Test func fieldsSayWhatIsSigned() async throws {
    let environment = [
      "AWS_ACCESS_KEY_ID": "ID", "AWS_SECRET_ACCESS_KEY": "SECRET", "AWS_SESSION_TOKEN": "TOKEN",
      "AWS_REGION": "eu-1",
    ]
    let network = KeepingTransport()
    let settings = try #require(try sources(environment).s3)
    let transport = S3Transport(settings, network: network, metadata: network)
    _ = try await transport.fetch(TransportRequest(url: "s3://photos/a"))
    let request = try #require(network.requests.items.first)
    #expect(request.signature == AWSSignature(id: "ID", secret: "SECRET", region: "eu-1"))
    #expect(request.headers.contains(HeaderField("x-amz-security-token", "TOKEN")))
    #expect(network.requests.items.count == 1)
  }

  @Test(arguments: [
    ("s3://a/k", true), ("s3://b/k", false), ("S3://b/k", false), ("s3://c/k", false),
    ("http://b/k", true),
  ])
  func bucketsAreAllowedAndDenied(url: String, isAllowed: Bool) throws {
    let variables = ["IKRAN_S3_ALLOWED_BUCKETS": "a,b", "IKRAN_S3_DENIED_BUCKETS": "b"]
    #expect(try sources(variables).allows(url) == isAllowed)
  }

  @Test(arguments: [
    ("S3_ENDPOINT", "host:9000"), ("S3_ENDPOINT", "http://u:p@host"),
    ("S3_ENDPOINT", "http://h/?a"), ("S3_REGION", "a:b"),
  ])
  func anEndpointIsAURLAndARegionAName(name: String, value: String) {
    #expect(settingsFault(["IMGPROXY_" + name: value])?.variable == "IMGPROXY_" + name)
  }
}
