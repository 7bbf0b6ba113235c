import IkranHTTP
import IkranServer
import IkranSystem
import Support
import Testing

@testable import IkranService

/// An origin of one picture, whose responses a test changes.
private final class Site: Sendable {
  struct Behaviour {
    var status = 200
    var cacheControl = "max-age=3600"
  }

  let behaviour = Guarded(Behaviour())
  /// The tags that clients have asked with, empty for none.
  let tags = Recorder<String>()
  let origin: Origin

  init() throws {
    let (behaviour, tags) = (behaviour, tags)
    origin = try Origin { head in
      let now = behaviour.withLock { $0 }
      tags.add(head.header("If-None-Match") ?? "")
      let fields = [Field("Cache-Control", now.cacheControl), Field("ETag", "\"one\"")]
      guard now.status == 200 else { return Response(now.status, headers: fields) }
      if head.header("If-None-Match") == "\"one\"" { return Response(304, headers: fields) }
      return Response(200, headers: fields, body: Sources.picture)
    }
  }

  var requests: Int { tags.items.count }
}

private let redisIsInstalled = StoreServer.Program.redis.isInstalled

/// Services with folders of their own before one origin, and one store.
@Suite("Services that share sources", .timeLimit(.minutes(5)))
struct SharedSourceServiceTests {
  /// A service of its own with an empty folder.
  private func service(
    _ site: Site,
    _ store: [String: String],
    timeout: String = "60"
  ) async throws -> TestService {
    let settings = [
      "TIER_SOURCES": "1", "TIER_TIMEOUT": timeout, "PROMETHEUS_BIND": ":0",
      "GRACEFUL_STOP_TIMEOUT": "200", "DOWNLOAD_TIMEOUT": "200",
    ]
    return try await TestService(settings, origin: site.origin, variables: store)
  }

  /// What a service of its own sends for a path, once all that it shares is stored.
  ///
  /// Another width is another result: none of them is shared.
  private func ask(
    _ site: Site,
    _ store: [String: String],
    width: Int,
    _ options: String = ""
  ) async throws -> Reply {
    let test = try await service(site, store)
    let reply = try await test.get(test.path("/a.png", "w:\(width)/\(options)"))
    await test.service.drain()
    return reply
  }

  private func check(_ store: [String: String]) async throws {
    let site = try Site()
    #expect(try await ask(site, store, width: 9).status == 200)
    let second = try await service(site, store)
    #expect(try await second.get(second.path("/a.png", "w:8/")).summary == "png 8x5")
    #expect(site.requests == 1)
    #expect(try await second.statistic("shared_sources_total{outcome=\"hit\"}") == 1)
  }

  #if Redis
  /// A server of Redis that listens, and the variables of a service that uses it.
  private func redis() async throws -> (server: StoreServer, store: [String: String]) {
    let server = try await StoreServer(.redis)
    let store = ["IKRAN_TIER_REDIS": "redis://127.0.0.1:\(server.port)"]
    return (server, store)
  }

  @Test(.enabled(if: redisIsInstalled, StoreServer.reason))
  func anEmptyServiceHasTheSourceFromRedis() async throws {
    let (server, store) = try await redis()
    defer { server.stop() }
    try await check(store)
  }

  @Test(.enabled(if: redisIsInstalled, StoreServer.reason))
  func withoutTheSettingResultsAloneAreShared() async throws {
    let (server, store) = try await redis()
    defer { server.stop() }
    let site = try Site()
    for width in [9, 8] {
      let test = try await TestService(origin: site.origin, variables: store)
      #expect(try await test.get(test.path("/a.png", "w:\(width)/")).status == 200)
      await test.service.drain()
    }
    #expect(site.requests == 2)
  }

  @Test(.enabled(if: redisIsInstalled, StoreServer.reason))
  func aStaleSourceIsCheckedWithItsTag() async throws {
    let (server, store) = try await redis()
    defer { server.stop() }
    let site = try Site()
    site.behaviour.withLock { $0.cacheControl = "no-cache" }
    for width in [9, 8, 7] { #expect(try await ask(site, store, width: width).status == 200) }
    #expect(site.tags.items == ["", "\"one\"", "\"one\""])
  }

  @Test(
    .enabled(if: redisIsInstalled, StoreServer.reason),
    arguments: [(200, "private"), (200, "no-store"), (404, "max-age=3600"), (410, "no-cache")]
  )
  func aSourceThatIsNotSharedAnyMoreLeavesTheStore(
    status: Int,
    cacheControl: String
  ) async throws {
    let (server, store) = try await redis()
    defer { server.stop() }
    let site = try Site()
    _ = try await ask(site, store, width: 9)
    site.behaviour.withLock { ($0.status, $0.cacheControl) = (status, cacheControl) }
    // A URL with this asks the origin again.
    _ = try await ask(site, store, width: 8, "cb:1/")
    site.behaviour.withLock { ($0.status, $0.cacheControl) = (200, "max-age=3600") }
    _ = try await ask(site, store, width: 7)
    #expect(site.tags.items == ["", "", ""])
  }

  @Test(.enabled(if: redisIsInstalled, StoreServer.reason))
  func aFileThatIsCutInTheStoreIsFetchedAgain() async throws {
    let (server, store) = try await redis()
    defer { server.stop() }
    let site = try Site()
    let first = try await service(site, store)
    _ = try await first.get(first.path("/a.png", "w:9/"))
    await first.service.drain()
    let url = site.origin.baseURL + "/a.png"
    let name = try #require(first.service.responses.pictures.shared?.sharedName(of: url)) + ".body"
    let tier = try #require(try ServiceSettings(environment: store).caching.tiers.stores().first)
    let body = try #require(await tier.value(for: name))
    #expect(body == Sources.picture)
    #expect(await tier.store(Array(body.dropLast(9)), for: name))
    #expect(try await ask(site, store, width: 8).summary == "png 8x5")
    #expect(site.requests == 2)
    #expect(await tier.value(for: name) == Sources.picture)
  }

  @Test(.enabled(if: redisIsInstalled, StoreServer.reason))
  func aDeadStoreFailsNoRequest() async throws {
    let (server, store) = try await redis()
    server.stop()
    let test = try await service(try Site(), store, timeout: "1")
    for width in 6...9 {
      #expect(try await test.get(test.path("/\(width).png", "w:\(width)/")).status == 200)
    }
    let failed = try await test.statistic("tier_calls_total{tier=\"redis\",outcome=\"failed\"}")
    #expect(failed ?? 0 >= 5)
  }
  #endif

  #if Memcached
  @Test(.enabled(if: StoreServer.Program.memcached.isInstalled, StoreServer.reason))
  func anEmptyServiceHasTheSourceFromMemcached() async throws {
    let server = try await StoreServer(.memcached)
    defer { server.stop() }
    let store = ["IKRAN_TIER_MEMCACHED": "127.0.0.1:\(server.port)"]
    try await check(store)
  }
  #endif

  @Test(.enabled(if: S3Server.program != nil, S3Server.reason))
  func anEmptyServiceHasTheSourceFromS3() async throws {
    let server = try S3Server(["results/other": [1]])
    defer { server.stop() }
    try await check(server.environment.merging(["IKRAN_TIER_S3_BUCKET": "results"]) { $1 })
  }

  @Test(.enabled(if: S3Server.program != nil, S3Server.reason))
  func aSourceInS3IsNotStoredTwice() async throws {
    let server = try S3Server(["results/other": [1], "pictures/a.png": Sources.picture])
    defer { server.stop() }
    let store = server.environment.merging(["IKRAN_TIER_S3_BUCKET": "results"]) { $1 }
    let test = try await service(try Site(), store)
    #expect(try await test.get(TestService.path(to: "s3://pictures/a.png", "w:9/")).status == 200)
    await test.service.drain()
    #expect(!server.list("results/ikran/1").isEmpty && server.list("results/ikran/1/src").isEmpty)
  }
}
