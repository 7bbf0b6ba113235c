import IkranTransport

/// Sources in buckets of S3, or of another program with its protocol.
struct S3Settings: Sendable, Hashable {
  var region: String
  /// A URL without a slash at its end; nil is Amazon's.
  var endpoint: String?
  /// Whether a bucket is in an endpoint's path, not in its host.
  var usesPathStyle: Bool
  /// None allows all.
  var allowedBuckets: [String]
  var deniedBuckets: [String]
  /// Those of the environment, else of a file; nil where neither has any.
  var credentials: S3Credentials?
  /// Where machines of Amazon's have credentials for their programs; nil is not asked.
  var metadata: String?

  /// Reads the settings, and where they are used, the file of credentials.
  init(_ reader: inout SettingsReader, isUsed: Bool) throws(SettingsError) {
    region = try Self.region(&reader)
    endpoint = try Self.url(reader.variable("S3_ENDPOINT"))
    usesPathStyle = try reader.flag("S3_ENDPOINT_USE_PATH_STYLE", true)
    allowedBuckets = try reader.names("S3_ALLOWED_BUCKETS")
    deniedBuckets = try reader.names("S3_DENIED_BUCKETS")
    guard isUsed else { return }
    credentials = S3Credentials(environment: reader)
    if credentials == nil { credentials = try S3Credentials(fileOf: reader) }
    if reader.system("AWS_EC2_METADATA_DISABLED")?.text.lowercased() != "true" {
      let own = try Self.url(reader.system("AWS_EC2_METADATA_SERVICE_ENDPOINT"))
      metadata = own ?? "http://169.254.169.254"
    }
  }

  private static func region(_ reader: inout SettingsReader) throws(SettingsError) -> String {
    let own = reader.variable("S3_REGION")
    guard let found = own ?? reader.system("AWS_REGION") else { return "us-west-1" }
    let isName = found.text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
    guard isName else { throw found.fault("letters, digits and hyphens, such as eu-central-1") }
    return found.text
  }

  private static func url(
    _ variable: SettingsReader.Variable?
  ) throws(SettingsError) -> String? {
    guard let variable else { return nil }
    let text = variable.text.hasSuffix("/") ? String(variable.text.dropLast()) : variable.text
    guard let address = try? HTTPAddress(text), !address.hasUserInfo,
      !text.contains(where: { $0 == "?" || $0 == "#" })
    else { throw variable.fault("a URL without a query, such as https://s3.example.com") }
    return text
  }

  /// Whether objects of a bucket may be fetched.
  func allows(_ bucket: String) -> Bool {
    (allowedBuckets.isEmpty || allowedBuckets.contains(bucket)) && !deniedBuckets.contains(bucket)
  }

  /// The URL of a bucket.
  func url(ofBucket bucket: String) -> String {
    guard let endpoint else {
      let host = "s3.\(region).amazonaws.com" + (region.hasPrefix("cn-") ? ".cn" : "")
      // Amazon's certificates are for names without further dots.
      return bucket.contains(".") ? "https://\(host)/\(bucket)" : "https://\(bucket).\(host)"
    }
    if usesPathStyle { return "\(endpoint)/\(bucket)" }
    let scheme = endpoint.lowercased().hasPrefix("https://") ? "https://" : "http://"
    return "\(scheme)\(bucket).\(endpoint.dropFirst(scheme.count))"
  }
}
