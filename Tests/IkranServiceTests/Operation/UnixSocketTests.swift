import IkranHTTP
import IkranSystem
import TestBasics
import Testing

@testable import IkranService

/// A service that listens at a path.
@Suite("A Unix socket", .timeLimit(.minutes(5)))
struct UnixSocketTests {
  private let folder: TemporaryDirectory
  private let path: String

  init() throws {
    folder = try TemporaryDirectory()
    path = folder.path + "/socket"
  }

  private func service() async throws -> TestService {
    try await TestService(["NETWORK": "unix", "BIND": path])
  }

  private func get(_ target: String) async throws -> Reply {
    let path = path
    return try await onThread { try RawClient(path: path).get(target) }
  }

  @Test func picturesComeThroughIt() async throws {
    let test = try await service()
    #expect(test.service.baseURL == "unix:" + path && test.service.port == 0)
    #expect(try await get(test.path("/red.png", "w:30/")).summary == "png 30x20")
  }

  @Test func itIsGoneOnceTheServiceHasEnded() async throws {
    let test = try await service()
    await test.service.drain()
    #expect(!Files.exists(path))
  }

  @Test func oneThatAProgramHasLeftIsReplaced() async throws {
    // A socket that nothing listens on, as after a crash.
    do {
      let first = try await service()
      try Files.rename(path, to: path + "-kept")
      first.service.stop()
      try Files.rename(path + "-kept", to: path)
    }
    let test = try await service()
    #expect(try await get(test.path("/red.png")).status == 200)
  }

  @Test func oneThatIsListenedOnStays() async throws {
    let first = try await service()
    await #expect(throws: ListenError.pathInUse(path)) { try await service() }
    #expect(try await get(first.path("/red.png")).status == 200)
  }

  @Test func anotherFileStays() async throws {
    try Files.create(path, [1])
    await #expect(throws: ListenError.pathInUse(path)) { try await service() }
    #expect(try Files.read(path, maximumBytes: 9) == [1])
  }

  @Test(arguments: ["/missing/socket", "/" + String(repeating: "a", count: 200)])
  func aPathWithoutAFolderOrTooLongIsNamed(_ end: String) async throws {
    let path = folder.path + end
    let error = await #expect(throws: ListenError.self) {
      try await TestService(["NETWORK": "unix", "BIND": path])
    }
    #expect("\(error, default: "")".contains(path))
  }

  @Test func aPathFromTheRootIsWanted() throws {
    let error = #expect(throws: SettingsError.self) {
      try ServiceSettings(environment: ["IKRAN_NETWORK": "unix", "IKRAN_BIND": "a.sock"])
    }
    #expect(error?.variable == "IKRAN_BIND")
  }
}
