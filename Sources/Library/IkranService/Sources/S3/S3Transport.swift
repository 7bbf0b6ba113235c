import IkranTransport

// Decision 87: libcurl signs.

/// Reads and writes what `s3://` URLs name: objects in buckets of S3, or of another program with
/// its protocol.
///
/// Requests are signed where there are credentials: those of the settings, else the machine's own.
struct S3Transport: Transport {
  private let settings: S3Settings
  private let instance: InstanceCredentials?
  private let network: any Transport

  /// Takes the settings, and the transports that go to the endpoint and to the metadata service.
  init(_ settings: S3Settings, network: any Transport, metadata: any Transport) {
    (self.settings, self.network) = (settings, network)
    let endpoint = settings.credentials == nil ? settings.metadata : nil
    instance = endpoint.map { InstanceCredentials(endpoint: $0, transport: metadata) }
  }

  /// Takes the settings, and how other sources are fetched.
  init(_ settings: S3Settings, _ options: CurlOptions) {
    var options = options
    // The endpoint is the operator's own, wherever it is: no URL of a stranger's leads elsewhere.
    options.destinations.addresses = .any
    options.limits.maximumRedirects = 0
    options.connections = ConnectionLimits(perHost: 64, total: 256)
    var own = CurlOptions()
    own.limits.maximumRedirects = 0
    own.proxy = .none
    self.init(settings, network: CurlTransport(options), metadata: CurlTransport(own))
  }

  func fetch(
    _ request: TransportRequest,
    progress: @escaping @Sendable (TransferProgress) -> Void
  ) async throws(TransportError) -> TransportResponse {
    let url = request.url
    var signed = request
    signed.url = try S3Object(url).url(in: settings)
    if let report = request.onInterruption {
      signed.onInterruption = { report(Self.named($0, url)) }
    }
    guard let hash = SignatureHandle.hash(request.body ?? []) else {
      throw .unsupported("libcrypto has no SHA-256")
    }
    signed.sign(as: await credentials(), region: settings.region, hash: hash.hexadecimal)
    do throws(TransportError) {
      return Self.named(try await network.fetch(signed, progress: progress), url)
    } catch {
      guard case .tooManyRedirects = error else { throw error }
      throw .unsupported(
        "the bucket is not in the region “\(settings.region)”; set S3_REGION to the bucket's"
      )
    }
  }

  private func credentials() async -> S3Credentials? {
    if let own = settings.credentials { return own }
    return await instance?.current()
  }

  /// A response under the URL that was asked for, with what its body says of an error in fields.
  private static func named(_ response: TransportResponse, _ url: String) -> TransportResponse {
    var fields = response.headers
    if response.status >= 300, let fault = S3Fault(response.body) { fields += fault.fields }
    return TransportResponse(
      status: response.status,
      headers: fields,
      body: response.body,
      url: url,
      isComplete: response.isComplete,
      metrics: response.metrics
    )
  }
}

extension TransportRequest {
  /// Adds what S3 wants to know of the sender; without credentials nothing.
  ///
  /// - Parameters:
  ///   - credentials: Whose request it is.
  ///   - region: Where the bucket is.
  ///   - hash: SHA-256 of the body, or of none, in hexadecimal digits.
  mutating func sign(as credentials: S3Credentials?, region: String, hash: String) {
    guard let credentials else { return }
    headers.append(HeaderField("x-amz-content-sha256", hash))
    if let session = credentials.session {
      headers.append(HeaderField("x-amz-security-token", session))
    }
    signature = AWSSignature(id: credentials.id, secret: credentials.secret, region: region)
  }
}

extension [UInt8] {
  /// Two hexadecimal digits in lower case for each byte.
  var hexadecimal: String {
    map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}

/// Why S3 refuses a request, as the XML of its response says.
struct S3Fault: Sendable, Hashable {
  private static let names = (code: "x-amz-error-code", message: "x-amz-error-message")

  let code: String
  let message: String

  /// Reads a body; nil for one without a code.
  init?(_ body: [UInt8]) {
    let text = String(decoding: body.prefix(4096), as: UTF8.self)
    guard let code = Self.element("Code", in: text) else { return nil }
    self.code = code
    message = Self.element("Message", in: text) ?? ""
  }

  /// Reads the fields of a response; nil for one without a code.
  init?(_ head: ResponseHead) {
    guard let code = head.header(Self.names.code) else { return nil }
    self.code = code
    message = head.header(Self.names.message) ?? ""
  }

  /// The fields in which S3's web sites have both.
  var fields: [HeaderField] {
    [HeaderField(Self.names.code, code), HeaderField(Self.names.message, message)]
  }

  private static func element(_ name: String, in text: String) -> String? {
    guard let start = text.firstRange(of: "<\(name)>") else { return nil }
    let rest = text[start.upperBound...]
    guard let end = rest.firstRange(of: "</\(name)>") else { return nil }
    return String(rest[..<end.lowerBound].prefix(500).filter { !$0.isNewline })
  }
}
