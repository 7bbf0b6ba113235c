import FoundationEssentials
import IkranSystem
import IkranTransport

/// The credentials that a machine of Amazon's has for its programs, from its metadata service
/// (IMDSv2).
///
/// They are asked for when they are needed, and again five minutes before they expire. While the
/// service does not respond, the last ones are used as long as they are valid.
actor InstanceCredentials {
  private struct Known {
    var credentials: S3Credentials?
    /// When they are asked for again, and until when they are valid; microseconds since 1970.
    var renewal: Int64
    var end: Int64
  }

  /// What the service says of a role.
  private struct Document: Decodable {
    var code: String?
    var id: String
    var secret: String
    var token: String
    var expiration: Date

    enum CodingKeys: String, CodingKey {
      case code = "Code"
      case id = "AccessKeyId"
      case secret = "SecretAccessKey"
      case token = "Token"
      case expiration = "Expiration"
    }
  }

  private static let second: Int64 = 1_000_000

  private let endpoint: String
  private let transport: any Transport
  private let now: @Sendable () -> Int64
  private var known: Known?
  private var renewing: Task<S3Credentials?, Never>?

  /// Takes the service's URL, without a slash at its end.
  init(
    endpoint: String,
    transport: any Transport,
    now: @escaping @Sendable () -> Int64 = WallClock.microseconds
  ) {
    (self.endpoint, self.transport, self.now) = (endpoint, transport, now)
  }

  /// The credentials now; nil where the machine has none.
  func current() async -> S3Credentials? {
    if let known, now() < known.renewal { return known.credentials }
    let task = renewing ?? Task { await renewed() }
    renewing = task
    return await task.value
  }

  private func renewed() async -> S3Credentials? {
    defer { renewing = nil }
    let time = now()
    do {
      let found = try await document()
      // Of a year that has four digits.
      let seconds = min(max(0, found.expiration.timeIntervalSince1970), 253_402_300_799)
      let end = Int64(seconds) * Self.second
      known = Known(
        credentials: S3Credentials(id: found.id, secret: found.secret, session: found.token),
        renewal: max(time + 60 * Self.second, end - 300 * Self.second),
        end: end
      )
    } catch {
      // It is no such machine, or its service is busy.
      var kept = known ?? Known(renewal: 0, end: 0)
      if time >= kept.end { kept.credentials = nil }
      kept.renewal = time + 30 * Self.second
      known = kept
    }
    return known?.credentials
  }

  private func document() async throws -> Document {
    let lifetime = HeaderField("X-aws-ec2-metadata-token-ttl-seconds", "21600")
    let token = try await body("PUT", of: "/latest/api/token", with: lifetime)
    let pass = HeaderField("X-aws-ec2-metadata-token", String(decoding: token, as: UTF8.self))
    let folder = "/latest/meta-data/iam/security-credentials/"
    let roles = String(decoding: try await body("GET", of: folder, with: pass), as: UTF8.self)
    let role = roles.prefix { !$0.isNewline }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    let bytes = try await body("GET", of: folder + role, with: pass)
    let document = try decoder.decode(Document.self, from: Data(bytes))
    guard document.code ?? "Success" == "Success" else {
      throw TransportError.invalidResponse("the metadata service has no credentials")
    }
    return document
  }

  private func body(
    _ method: String,
    of path: String,
    with field: HeaderField
  ) async throws(TransportError) -> [UInt8] {
    var request = TransportRequest(
      url: endpoint + path,
      headers: [field],
      connectTimeout: .seconds(1),
      timeout: .seconds(2),
      maximumBodyBytes: 64 << 10
    )
    request.method = method
    if method == "PUT" { request.body = [] }
    let response = try await transport.fetch(request)
    guard response.status == 200 else {
      throw .invalidResponse("the metadata service has the status \(response.status)")
    }
    return response.body
  }
}
