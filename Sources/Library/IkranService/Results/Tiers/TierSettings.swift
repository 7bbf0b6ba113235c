import IkranTransport

/// Stores of results that several processes share.
struct TierSettings: Sendable, Hashable {
  /// Nil has no results in S3.
  var bucket: String?
  var s3: S3Settings
  /// The time that each call of a store may take.
  var timeout: Duration

  init(_ reader: inout SettingsReader) throws(SettingsError) {
    let found = reader.variable("TIER_S3_BUCKET")
    if let found, (try? S3Object("s3://\(found.text)/key"))?.bucket != found.text {
      throw found.fault("the name of a bucket")
    }
    bucket = found?.text
    s3 = try S3Settings(&reader, isUsed: bucket != nil)
    let seconds = try reader.number("TIER_TIMEOUT", 1, in: 0.001...3600)
    timeout = .milliseconds(Int64(seconds * 1000))
  }
}

extension SharedResults {
  /// The stores of a service; none where the settings name none.
  convenience init(_ settings: TierSettings, fingerprint: String) {
    var tiers: [any RemoteTier] = []
    if let bucket = settings.bucket {
      let transport = S3Transport(settings.s3, CurlOptions())
      tiers.append(S3Tier(bucket: bucket, transport: transport))
    }
    self.init(
      tiers.map { GuardedTier($0, timeout: settings.timeout, breaker: TierBreaker()) },
      fingerprint: fingerprint
    )
  }
}
