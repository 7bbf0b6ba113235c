import Support
import Testing

@testable import IkranService

#if Memcached && Redis
@Suite(
  .enabled(if: StoreServer.Program.allCases.allSatisfy(\.isInstalled), StoreServer.reason),
  .timeLimit(.minutes(2))
)
struct StoreTierTests {
  private let time = Duration.seconds(60)

  /// A store of a server, once that listens.
  private func tier(
    _ server: StoreServer,
    _ program: StoreServer.Program
  ) async throws -> PooledTier {
    var environment = ["IKRAN_TIER_TIMEOUT": "60"]
    switch program {
    case .memcached: environment["IKRAN_TIER_MEMCACHED"] = "127.0.0.1:\(server.port)"
    case .redis: environment["IKRAN_TIER_REDIS"] = "redis://127.0.0.1:\(server.port)/1"
    }
    let settings = try ServiceSettings(environment: environment).caching.tiers
    let tier = try #require(settings.stores().first?.tier as? PooledTier)
    return tier
  }

  @Test(arguments: StoreServer.Program.allCases)
  func bytesAreStoredUnderAKey(program: StoreServer.Program) async throws {
    let server = try await StoreServer(program)
    defer { server.stop() }
    let tier = try await self.tier(server, program)
    let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    try await tier.store(bytes, for: "ikran/1/a", within: time)
    #expect(try await tier.value(for: "ikran/1/a", within: time) == bytes)
    try await tier.store([], for: "ikran/1/a", within: time)
    #expect(try await tier.value(for: "ikran/1/a", within: time) == [])
    #expect(try await tier.value(for: "ikran/1/b", within: time) == nil)
    for _ in 1...2 { try await tier.remove("ikran/1/a", within: time) }
    #expect(try await tier.value(for: "ikran/1/a", within: time) == nil)
  }

  @Test(arguments: StoreServer.Program.allCases)
  func oneOfManyIsTheFirstWhoClaims(program: StoreServer.Program) async throws {
    let server = try await StoreServer(program)
    defer { server.stop() }
    let tier = try await self.tier(server, program)
    let time = time
    let firsts = try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<16 {
        group.addTask { try await tier.claim("a/claim", within: time, for: .seconds(60)) }
      }
      return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(firsts == 1)
    try await tier.release("a/claim", within: time)
    #expect(try await tier.claim("a/claim", within: time, for: .seconds(60)))
  }

  @Test(arguments: StoreServer.Program.allCases)
  func aServerThatIsGoneIsAFailure(program: StoreServer.Program) async throws {
    let server = try await StoreServer(program)
    let tier = try await self.tier(server, program)
    server.stop()
    await #expect(throws: TierError.self) { try await tier.value(for: "none", within: time) }
  }

  @Test func memcachedRefusesWhatIsTooLarge() async throws {
    let server = try await StoreServer(.memcached)
    defer { server.stop() }
    let tier = try await self.tier(server, .memcached)
    let bytes = [UInt8](repeating: 1, count: 2 << 20)
    await #expect {
      try await tier.store(bytes, for: "a", within: time)
    } throws: { error in
      if case .refused = error as? TierError { true } else { false }
    }
    #expect(try await tier.value(for: "a", within: time) == nil)
  }

  @Test func redisIsToldThePassword() async throws {
    let server = try await StoreServer(.redis, arguments: ["--requirepass", "p@ss"])
    defer { server.stop() }
    let place = try #require(RedisPlace("redis://:p%40ss@127.0.0.1:\(server.port)"))
    let tier = PooledTier(name: "redis") { RedisHandle(place, timeout: .seconds(60)) }
    try await tier.store([1], for: "a", within: time)
    #expect(try await tier.value(for: "a", within: time) == [1])
  }
}
#endif

struct StorePlaceTests {
  @Test func aURLSaysWhereRedisIs() throws {
    let place = try #require(RedisPlace("redis://me:a%3Ab@[::1]:7000/3"))
    #expect(place.host == "::1" && place.port == 7000 && place.database == 3)
    #expect(place.user == "me" && place.password == "a:b")
    let short = try #require(RedisPlace("redis://host"))
    #expect(short.host == "host" && short.port == 6379 && short.password == nil)
  }

  @Test(arguments: ["host:6379", "http://host", "redis://", "redis://host:x", "redis://h/a"])
  func otherURLsAreRefused(url: String) {
    #expect(settingsFault(["IKRAN_TIER_REDIS": url])?.variable == "IKRAN_TIER_REDIS")
  }

  @Test(arguments: ["host:0", "host:99999", ":1", "a,b/c"])
  func serversOfMemcachedAreHostsAndPorts(servers: String) {
    #expect(settingsFault(["IKRAN_TIER_MEMCACHED": servers])?.variable == "IKRAN_TIER_MEMCACHED")
  }
}
