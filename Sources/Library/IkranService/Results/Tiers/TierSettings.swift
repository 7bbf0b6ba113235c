import IkranTransport

/// Stores that several processes share.
struct TierSettings: Sendable, Hashable {
  /// Nil has no results in S3.
  var bucket: String?
  var s3: S3Settings
  /// The servers of memcached, as `HOST:PORT`; none has no results there.
  var memcached: [String]
  /// Nil has no results in Redis.
  var redis: RedisPlace?
  /// The time that each call of a store may take.
  var timeout: Duration
  /// Whether the stores have the files of sources, too, which are larger than results.
  var haveSources: Bool

  init(_ reader: inout SettingsReader) throws(SettingsError) {
    let found = reader.variable("TIER_S3_BUCKET")
    if let found, (try? S3Object("s3://\(found.text)/key"))?.bucket != found.text {
      throw found.fault("the name of a bucket")
    }
    bucket = found?.text
    s3 = try S3Settings(&reader, isUsed: bucket != nil)
    memcached = try Self.memcached(&reader)
    redis = try Self.redis(&reader)
    let seconds = try reader.number("TIER_TIMEOUT", 1, in: 0.001...3600)
    timeout = .milliseconds(Int64(seconds * 1000))
    haveSources = try reader.flag("TIER_SOURCES", false)
  }

  private static func memcached(_ reader: inout SettingsReader) throws(SettingsError) -> [String] {
    let names = try reader.names("TIER_MEMCACHED")
    guard let found = reader.variable("TIER_MEMCACHED") else { return [] }
    guard names.allSatisfy({ hostAndPort($0, port: 11_211) != nil }) else {
      throw found.fault("servers with commas between them, such as 10.0.0.1:11211")
    }
    #if Memcached
    return names
    #else
    throw found.fault("nothing: this build has no libmemcached (the trait Memcached is off)")
    #endif
  }

  private static func redis(_ reader: inout SettingsReader) throws(SettingsError) -> RedisPlace? {
    guard let found = reader.variable("TIER_REDIS") else { return nil }
    guard let place = RedisPlace(found.text) else {
      throw found.fault("a URL such as redis://USER:PASSWORD@HOST:6379/0")
    }
    #if Redis
    return place
    #else
    _ = place
    throw found.fault("nothing: this build has no hiredis (the trait Redis is off)")
    #endif
  }
}

extension TierSettings {
  /// The stores, in the order in which they are asked; none where the settings name none.
  func stores() -> [GuardedTier] {
    var tiers: [any RemoteTier] = []
    #if Memcached
    if !memcached.isEmpty {
      let servers = memcached.compactMap { hostAndPort($0, port: 11_211) }
      tiers.append(
        PooledTier(name: "memcached") { [timeout] in MemcachedHandle(servers, timeout: timeout) }
      )
    }
    #endif
    #if Redis
    if let place = redis {
      tiers.append(
        PooledTier(name: "redis") { [timeout] in RedisHandle(place, timeout: timeout) }
      )
    }
    #endif
    if let bucket {
      tiers.append(S3Tier(bucket: bucket, transport: S3Transport(s3, CurlOptions())))
    }
    return tiers.map { GuardedTier($0, timeout: timeout, breaker: TierBreaker()) }
  }
}

extension SharedResults {
  /// Takes the stores of a service.
  ///
  /// Another process is waited for a fifth of the time that a request has.
  convenience init(_ tiers: [GuardedTier], _ settings: ServiceSettings, fingerprint: String) {
    let time = settings.server.timeouts.request
    self.init(tiers, fingerprint: fingerprint, patience: time / 5, lifetime: time)
  }
}
