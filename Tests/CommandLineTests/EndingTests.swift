import Glibc
import IkranServer
import IkranStores
import Support
import Testing

/// The cache after a command that fails or is interrupted.
@Suite("Endings of ikran", .serialized, .timeLimit(.minutes(10)))
struct EndingTests {
  private let program: Program

  init() throws { program = try Program() }

  @Test(arguments: ["get", "inspect"])
  func aGoneImageIsNotShownByTheNextRun(command: String) async throws {
    let png = try Fixture.png.bytes()
    let isGone = Guarded(false)
    let origin = try Origin { _ in
      isGone.withLock { $0 }
        ? Response(410) : Response(200, headers: [Field("Cache-Control", "max-age=0")], body: png)
    }
    defer { origin.stop() }
    // The removal raced with the end of the process: each round is another chance to find that.
    for round in 0..<8 {
      let url = "\(origin.baseURL)/\(round).png"
      isGone.withLock { $0 = false }
      #expect(try await program.run("get", url, "-o", "out.png").code == 0)
      isGone.withLock { $0 = true }
      let outputs = command == "get" ? ["-o", "out.png"] : []
      expectRefusal(try await program.run([command, url] + outputs), code: 1, says: "410")
      let offline = try await program.run("get", url, "-o", "out.png", "--offline")
      #expect(offline.code == 1)
    }
  }

  @Test(arguments: ["get", "warm"])
  func bytesOfAnInterruptedDownloadAreStored(command: String) async throws {
    // More than both sockets' buffers hold: when all is sent, most of it has been received.
    let server = try SilentServer(sending: Self.halfABody(bytes: 16 << 20))
    let words = command == "get" ? ["get", server.url, "-o", "out.png"] : ["warm", "-"]
    let run = try program.start(words, input: Array(server.url.utf8))
    await server.connection()
    run.send(SIGINT)
    let ending = try await run.ending()
    #expect(ending.code == 130)
    let done = command == "get" ? "" : "ikran: 0 of 1 images are loaded\n"
    #expect(ending.errors == done + "ikran: interrupted\n")
    let stat = try await program.run("cache", "stat", "--json").json()
    let partial = try #require(stat["partial"] as? [String: Int])
    #expect(partial["entries"] == 1)
    #expect(try #require(partial["bytes"]) > 1 << 20)
  }

  @Test func aCacheWarningIsPrintedWithAFailureToo() async throws {
    try program.write(Noise.png(side: 300), to: "noise.png")
    let origin = try Origin(.folder(path: program.folder.path))
    defer { origin.stop() }
    // A file at the path of the folder of partial bodies.
    try Files.createDirectories(program.path("xdg/ikran"))
    try program.write([], to: "xdg/ikran/partial")
    let url = origin.baseURL + "/chaos/noise.png?fault=truncate"
    let ending = try await program.run("get", url, "-o", "out.png")
    #expect(ending.code == 1)
    #expect(ending.errorLines.count == 2, "\(ending.errors)")
    #expect(ending.errors.hasPrefix("ikran: the cache was skipped: "))
  }

  /// A response whose Content-Length is twice the bytes that are sent.
  private static func halfABody(bytes: Int) -> [UInt8] {
    let head = """
      HTTP/1.1 200 OK\r
      ETag: "1"\r
      Content-Type: image/png\r
      Content-Length: \(2 * bytes)\r
      \r\n
      """
    return Array(head.utf8) + [UInt8](repeating: 7, count: bytes)
  }
}
