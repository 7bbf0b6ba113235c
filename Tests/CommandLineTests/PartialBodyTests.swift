import Glibc
import IkranServer
import IkranStores
import Support
import Testing

/// `ikran cache` and the partial bodies of interrupted transfers.
@Suite("ikran cache and partial bodies", .serialized, .timeLimit(.minutes(10)))
struct PartialBodyTests {
  private let program: Program
  private let body = PartialBody(
    validator: "\"1\"",
    total: 9000,
    bytes: [UInt8](repeating: 7, count: 4000)
  )

  init() throws { program = try Program() }

  private var folder: String { program.path("xdg/ikran/partial") }

  private func cache(_ words: String...) async throws -> (code: Int32, partial: [String: Int]) {
    let ending = try await program.run(["cache"] + words + ["--json"])
    return (ending.code, try #require(try ending.json()["partial"] as? [String: Int]))
  }

  @Test func partialBodiesAreCounted() async throws {
    try PartialBodies(directory: folder).keep(body, for: "a")
    try PartialBodies(directory: folder).keep(body, for: "b")
    let found = try await cache("stat").partial
    #expect(found["entries"] == 2)
    #expect(try #require(found["bytes"]) >= 8000)
  }

  @Test func anInterruptedTransferIsCounted() async throws {
    try program.write(Noise.png(side: 300), to: "noise.png")
    let origin = try Origin(.folder(path: program.folder.path))
    defer { origin.stop() }
    let url = origin.baseURL + "/chaos/noise.png?fault=truncate"
    #expect(try await program.run("get", url, "--json").code == 1)
    #expect(try await cache("stat").partial["entries"] == 1)
    #expect(try await cache("clear").partial == ["entries": 0, "bytes": 0, "removed": 1])
  }

  @Test func aCacheThatWasSetAsideIsReportedUntilItIsCleared() async throws {
    _ = try await cache("stat")
    try Files.createDirectories(program.path("xdg/ikran/aside"))
    let stat = try await program.run("cache", "stat")
    #expect(stat.code == 0)
    #expect(stat.errors.contains("/aside; 'ikran cache clear' removes it"))
    let clear = try await program.run("cache", "clear")
    #expect(clear.errors.isEmpty)
    #expect(!Files.exists(program.path("xdg/ikran/aside")))
  }

  @Test func partialBodiesAreTrimmedFirst() async throws {
    let origin = try Origin(.portraits(count: 1))
    defer { origin.stop() }
    _ = try await program.run("get", origin.urls[0], "-o", "face.png")
    let stat = try await program.run("cache", "stat", "--json").json()
    let bytes = try #require(stat["bytes"] as? Int)
    for key in ["a", "b"] { try PartialBodies(directory: folder).keep(body, for: key) }
    let trim = try await program.run("cache", "trim", "--limit=\(bytes + 5000)", "--json").json()
    #expect(trim["entries"] as? Int == 1)
    let partial = try #require(trim["partial"] as? [String: Int])
    #expect(partial["entries"] == 1)
    #expect(partial["removed"] == 1)
  }

  @Test func damagedPartialBodiesAreDropped() async throws {
    let bodies = PartialBodies(directory: folder)
    try bodies.keep(body, for: "a")
    try bodies.keep(body, for: "b")
    #expect(try await cache("verify").partial["checked"] == 2)
    let path = "\(folder)/\(try Files.list(folder)[0])"
    var bytes = try Files.read(path)
    bytes[bytes.count - 1] ^= 1
    try Files.remove(path)
    try Files.create(path, bytes)
    let ending = try await program.run("cache", "verify", "--json")
    #expect(ending.code == 1)
    #expect(ending.errors.contains("damaged: 1 entries"))
    let partial = try #require(try ending.json()["partial"] as? [String: Int])
    #expect(partial["dropped"] == 1)
    #expect(partial["entries"] == 1)
    #expect(!Files.exists(path))
    #expect(try await cache("verify").code == 0)
  }

  @Test func theFileOfAnotherSourceIsDamaged() async throws {
    let bodies = PartialBodies(directory: folder)
    try bodies.keep(body, for: "a")
    let path = "\(folder)/\(try Files.list(folder)[0])"
    try bodies.keep(body, for: "b")
    let other = try #require(try Files.list(folder).first { !path.hasSuffix($0) })
    try Files.rename(path, to: "\(folder)/\(other)")
    let found = try await cache("verify")
    #expect(found.code == 1)
    #expect(found.partial["dropped"] == 1)
  }
}
