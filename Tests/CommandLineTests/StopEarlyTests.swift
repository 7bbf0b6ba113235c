import IkranServer
import Support
import Testing

/// `--stop-early` of `ikran get`, `warm` and `sheet`.
@Suite("ikran --stop-early", .serialized, .timeLimit(.minutes(10)))
struct StopEarlyTests {
  private let program: Program
  private let origin: Origin
  private let photo: [UInt8]

  init() throws {
    program = try Program()
    var sample = JPEGSample(width: 800, height: 600, sampling: .quarter, quality: 92)
    sample.isProgressive = true
    photo = sample.bytes()
    try program.write(photo, to: "photo.jpg")
    origin = try Origin(.folder(path: program.folder.path))
  }

  private var url: String { origin.baseURL + "/chaos/photo.jpg?header=Cache-Control:max-age=60" }

  private func get(_ words: String..., stopsEarly: Bool = true) async throws -> [String: Any] {
    let option = stopsEarly ? ["--stop-early"] : []
    let ending = try await program.run(["get", url, "--json"] + words + option)
    #expect(ending.code == 0, "\(ending.errors)")
    return try ending.json()
  }

  @Test func getSaysWhatAThumbnailHasSavedAndALargerStyleDownloadsTheRest() async throws {
    defer { origin.stop() }
    let small = try await get("--style", "circle:48", "-o", "small.rgba")
    #expect(try #require(small["savedBytes"] as? Int) > photo.count / 5)
    #expect(small["bytes"] as? Int == photo.count)
    let stat = try await program.run("cache", "stat", "--json").json()
    let partial = try #require(stat["partial"] as? [String: Int])
    #expect(partial["entries"] == 1)
    let whole = try await get("-o", "large.rgba")
    #expect(whole["savedBytes"] as? Int == 0 && whole["source"] as? String == "network")
    // The same pixels as without a cache and without the option.
    _ = try await get("--style", "circle:48", "--no-cache", "-o", "a.rgba", stopsEarly: false)
    _ = try await get("--no-cache", "-o", "b.rgba", stopsEarly: false)
    #expect(try program.read("small.rgba") == program.read("a.rgba"))
    #expect(try program.read("large.rgba") == program.read("b.rgba"))
  }

  @Test func withoutItEverythingIsDownloaded() async throws {
    defer { origin.stop() }
    let facts = try await get("--style", "circle:48", "-o", "a.png", stopsEarly: false)
    #expect(facts["savedBytes"] as? Int == 0)
  }

  @Test(arguments: ["warm", "sheet"]) func aListSavesBytes(_ command: String) async throws {
    defer { origin.stop() }
    try program.write(Array("\(url)\n".utf8), to: "list.txt")
    let output = command == "sheet" ? ["-o", "sheet.png"] : []
    let words = [command, "list.txt", "--style", "circle:48", "--json", "--stop-early"] + output
    let ending = try await program.run(words)
    #expect(ending.code == 0, "\(ending.errors)")
    let report = try ending.json()
    let saved = try #require(report["savedBytes"] as? Int)
    #expect(saved > photo.count / 5)
    #expect(report["bytes"] as? Int == photo.count - saved)
  }
}
