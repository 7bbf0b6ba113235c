import IkranServer
import IkranSystem
import IkranTransport
import Support
import Testing

@testable import IkranService

/// A process of a service: its port and its caches.
private struct Process {
  let service: ImageService
  let folder: TemporaryDirectory

  init(_ environment: [String: String]) async throws {
    folder = try TemporaryDirectory()
    service = try await ImageService(
      environment: environment,
      cache: CacheSettings(folder: folder.path),
      version: "1"
    )
  }
}

@Suite(
  .enabled(if: StoreServer.Program.redis.isInstalled, StoreServer.reason),
  .timeLimit(.minutes(2))
)
struct SharedServiceTests {
  #if Redis
  @Test func ofProcessesThatMissAtOnceOneAsksTheOrigin() async throws {
    let server = try await StoreServer(.redis)
    defer { server.stop() }
    let origin = try Origin(.portraits(count: 1), faults: Faults(maxAge: 3600))
    defer { origin.stop() }
    let environment = [
      "IKRAN_BIND": "127.0.0.1:0", "IKRAN_TIER_REDIS": "redis://127.0.0.1:\(server.port)",
      "IKRAN_TIER_TIMEOUT": "60", "IKRAN_ALLOW_LOOPBACK_SOURCE_ADDRESSES": "1",
      "IKRAN_TIMEOUT": "200", "IKRAN_DOWNLOAD_TIMEOUT": "100",
    ]
    var processes: [Process] = []
    for _ in 0..<4 { processes.append(try await Process(environment)) }
    defer { for process in processes { process.service.stop() } }
    let path = "/_/rs:fit:8:8/plain/\(origin.urls[0])@png"
    let client = CurlTransport()
    try await withThrowingTaskGroup(of: Int.self) { group in
      for process in processes {
        let url = process.service.baseURL + path
        group.addTask { try await client.fetch(TransportRequest(url: url)).status }
      }
      for try await status in group { #expect(status == 200) }
    }
    #expect(origin.stats[origin.paths[0]] == 1)
  }
  #endif
}
