import IkranSystem
import IkranTransport
import Support
import Testing

@testable import IkranService

/// A metadata service with the credentials of one role.
private final class MetadataService: Transport {
  let requests = Recorder<TransportRequest>()
  let isRunning = Guarded(true)
  private let end: String

  init(end: String) { self.end = end }

  func fetch(
    _ request: TransportRequest,
    progress: @escaping @Sendable (TransferProgress) -> Void
  ) async throws(TransportError) -> TransportResponse {
    requests.add(request)
    guard isRunning.withLock({ $0 }) else { throw .cannotConnect("host") }
    let folder = "http://host/latest/meta-data/iam/security-credentials/"
    let pass = HeaderField("X-aws-ec2-metadata-token", "PASS")
    let text: String? =
      switch request.url {
      case "http://host/latest/api/token" where request.method == "PUT": "PASS"
      case folder where request.headers == [pass]: "role\nother"
      case folder + "role" where request.headers == [pass]:
        """
        {"Code": "Success", "LastUpdated": "2026-01-01T00:00:00Z", "Type": "AWS-HMAC",
        "AccessKeyId": "ID", "SecretAccessKey": "SECRET", "Token": "TOKEN", "Expiration": "\(end)"}
        """
      default: nil
      }
    let status = text == nil ? 401 : 200
    return TransportResponse(status: status, body: Array((text ?? "").utf8), url: request.url)
  }
}

struct S3CredentialTests {
  private let found = S3Credentials(id: "ID", secret: "SECRET", session: "TOKEN")
  private let hour: Int64 = 3_600_000_000

  private func s3(
    _ environment: [String: String],
    files: [String: String] = [:]
  ) throws -> S3Settings {
    let environment = environment.merging(["IKRAN_USE_S3": "1"]) { $1 }
    let settings = try ServiceSettings(environment: environment) { path in
      files[path].map { Array($0.utf8) }
    }
    return try #require(settings.sources.s3)
  }

  @Test func thoseOfTheEnvironmentComeBeforeThoseOfAFile() throws {
    let file = "[default]\naws_access_key_id = F\naws_secret_access_key = G\n"
    var environment = ["HOME": "/home/me", "AWS_ACCESS_KEY_ID": "E", "AWS_SECRET_ACCESS_KEY": "S"]
    let files = ["/home/me/.aws/credentials": file]
    #expect(try s3(environment, files: files).credentials?.id == "E")
    environment["AWS_SECRET_ACCESS_KEY"] = nil
    #expect(try s3(environment, files: files).credentials == S3Credentials(id: "F", secret: "G"))
  }

  @Test func aProfileOfAFileIsChosen() throws {
    let file = """
      # Keys\r
      [default]
      aws_access_key_id=A
      aws_secret_access_key=B
      [ other ]
        AWS_ACCESS_KEY_ID = C
        #aws_access_key_id = D
      aws_secret_access_key = e=f/g
      aws_session_token = T
      """
    let environment = ["AWS_SHARED_CREDENTIALS_FILE": "/keys", "AWS_PROFILE": "other"]
    let credentials = try s3(environment, files: ["/keys": file]).credentials
    #expect(credentials == S3Credentials(id: "C", secret: "e=f/g", session: "T"))
  }

  @Test func aFileOrAProfileThatIsNamedHasToExist() throws {
    let variables = ["AWS_SHARED_CREDENTIALS_FILE": "/keys", "AWS_PROFILE": "other"]
    let file = "[default]\naws_access_key_id = A\naws_secret_access_key = B"
    let missing = #expect(throws: SettingsError.self) { try s3(variables) }
    #expect(missing?.variable == "AWS_SHARED_CREDENTIALS_FILE")
    let other = #expect(throws: SettingsError.self) { try s3(variables, files: ["/keys": file]) }
    #expect(other?.variable == "AWS_PROFILE")
    #expect(try s3(["HOME": "/"]).credentials == nil)
  }

  @Test func aMachineIsAskedOnceForAllWhoWait() async {
    let service = MetadataService(end: "2026-01-01T06:00:00Z")
    let start: Int64 = 1_767_225_600_000_000
    let instance = InstanceCredentials(endpoint: "http://host", transport: service) { start }
    let found = found
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 { group.addTask { #expect(await instance.current() == found) } }
    }
    #expect(service.requests.items.count == 3)
  }

  @Test func aMachinesCredentialsAreRenewedBeforeTheyExpire() async {
    let service = MetadataService(end: "2026-01-01T06:00:00Z")
    let time = Guarded<Int64>(1_767_225_600_000_000)
    let instance = InstanceCredentials(endpoint: "http://host", transport: service) {
      time.withLock { $0 }
    }
    #expect(await instance.current() == found)
    time.withLock { $0 += 5 * hour }
    #expect(await instance.current() == found)
    #expect(service.requests.items.count == 3)
    time.withLock { $0 += hour - hour / 20 }
    #expect(await instance.current() == found)
    #expect(service.requests.items.count == 6)
  }

  @Test func aServiceThatFailsLeavesTheLastOnesUntilTheyExpire() async {
    let service = MetadataService(end: "2026-01-01T06:00:00Z")
    let time = Guarded<Int64>(1_767_225_600_000_000)
    let instance = InstanceCredentials(endpoint: "http://host", transport: service) {
      time.withLock { $0 }
    }
    #expect(await instance.current() == found)
    service.isRunning.withLock { $0 = false }
    time.withLock { $0 += 6 * hour - 60_000_000 }
    #expect(await instance.current() == found)
    time.withLock { $0 += 60_000_000 }
    #expect(await instance.current() == nil)
    #expect(await instance.current() == nil)
    // The last look-up is not repeated at once.
    #expect(service.requests.items.count == 5)
  }

  @Test func aMachineIsNotAskedWhereItIsSwitchedOff() throws {
    #expect(try s3([:]).metadata == "http://169.254.169.254")
    #expect(try s3(["AWS_EC2_METADATA_DISABLED": "True"]).metadata == nil)
    let own = ["AWS_EC2_METADATA_SERVICE_ENDPOINT": "http://[::1]:1338/"]
    #expect(try s3(own).metadata == "http://[::1]:1338")
  }
}
