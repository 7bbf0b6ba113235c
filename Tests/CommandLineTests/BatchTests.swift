import Foundation
import Ikran
import IkranServer
import Support
import Testing

@Suite("ikran warm, sheet and cache", .serialized, .timeLimit(.minutes(10)))
struct BatchTests {
  private let program: Program

  init() throws { program = try Program() }

  private func list(_ urls: [String]) throws {
    try program.write(Array(("# a list\n\n" + urls.joined(separator: "\n")).utf8), to: "list.txt")
  }

  @Test func aWarmCacheNeedsNoDownload() async throws {
    let origin = try Origin(.portraits(count: 6))
    origin.prepare()
    defer { origin.stop() }
    try list(origin.urls + [origin.urls[0]])
    let words = ["warm", "list.txt", "--style", "circle:8", "--style=fit:9x9", "--json"]
    let cold = try await program.run(words)
    #expect(cold.code == 0, "\(cold.errors)")
    #expect(cold.errors.isEmpty)
    let first = try cold.json()
    #expect(
      Set(first.keys) == [
        "requested", "downloaded", "cached", "failed", "bytes", "savedBytes", "milliseconds",
        "decoded",
        "styled", "sources", "peakMemoryBytes",
      ]
    )
    #expect(first["requested"] as? Int == 6)
    #expect(first["downloaded"] as? Int == 6)
    #expect(first["cached"] as? Int == 0)
    #expect(first["failed"] as? Int == 0)
    #expect(first["styled"] as? Int == 12)
    #expect(try #require(first["bytes"] as? Int) > 600)
    #expect(try #require(first["peakMemoryBytes"] as? Int) > 1_000_000)

    let second = try await program.run(words).json()
    #expect(second["downloaded"] as? Int == 0)
    #expect(second["cached"] as? Int == 6)
    #expect(second["bytes"] as? Int == 0)
    let sources = try #require(second["sources"] as? [String: Int])
    #expect(sources["table"] == 6)
    #expect(sources["disk"] == 6)
    #expect(sources["network"] == 0)
    #expect(second["decoded"] as? Int == 6)
    #expect(origin.paths.allSatisfy { origin.stats[$0] == 1 })
  }

  @Test(arguments: [("gif", true), ("webp", true), ("png", false)])
  func aSheetMovesWhereItsFormatCan(format: String, moves: Bool) async throws {
    let origin = try Origin(.portraits(count: 5))
    origin.prepare()
    defer { origin.stop() }
    try list(origin.urls)
    let words = ["sheet", "list.txt", "--style", "circle:16", "-o", "sheet.\(format)"]
    let ending = try await program.run(words)
    #expect(ending.code == 0, "\(ending.errors)")
    let source = try CodecList.standard.frames(of: program.read("sheet.\(format)"))
    // The last of the portraits blinks twice.
    #expect(source?.info.frames.count == (moves ? 4 : nil))
    #expect(source?.info.plays == nil)
  }

  @Test func failuresAreReportedOneByOneUpToTen() async throws {
    let origin = try Origin(.portraits(count: 1))
    origin.prepare()
    defer { origin.stop() }
    try list(origin.urls + (0..<12).map { origin.baseURL + "/status/\(500 + $0)" })
    let ending = try await program.run("warm", "list.txt", "--json")
    #expect(ending.code == 1)
    #expect(ending.errorLines.count == 11)
    #expect(ending.errorLines.allSatisfy { $0.hasPrefix("ikran: ") })
    #expect(ending.errorLines[0].contains("/status/500"))
    #expect(ending.errorLines[10] == "ikran: and 2 more failed")
    let report = try ending.json()
    #expect(report["failed"] as? Int == 12)
    #expect(report["downloaded"] as? Int == 1)
  }

  @Test func aFileWithoutFieldsIsDownloadedOnceForThreeStyles() async throws {
    let (png, requests) = (try Fixture.png.bytes(), Guarded(0))
    let origin = try Origin { _ in
      requests.withLock { $0 += 1 }
      return Response(200, body: png)
    }
    defer { origin.stop() }
    try list([origin.baseURL + "/picture"])
    let styles = ["circle:8", "fit:9x9", "fill:20x30"].flatMap { ["--style", $0] }
    for _ in 0..<2 {
      let run = try await program.run(["warm", "list.txt"] + styles)
      #expect(run.code == 0, "\(run.errors)")
    }
    #expect(requests.withLock { $0 } == 1)
  }

  @Test func aListIsReadFromStandardInput() async throws {
    try program.write(Fixture.png.bytes(), to: "picture.png")
    let ending = try await program.run(["warm", "-"], input: Array("picture.png\n".utf8))
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(ending.text.contains("requested:"))
    #expect(ending.errors.isEmpty)
  }

  @Test func aSheetHasATileForEveryLine() async throws {
    let origin = try Origin(.portraits(count: 4))
    origin.prepare()
    defer { origin.stop() }
    let urls = origin.urls + [origin.baseURL + "/html.jpg", origin.urls[0]]
    try list(urls)
    let ending = try await program.run(
      "sheet",
      "list.txt",
      "--style",
      "circle:16",
      "--columns",
      "3",
      "-o",
      "sheet.png",
      "--json"
    )
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(ending.errorLines.count == 1)
    #expect(try ending.json()["failed"] as? Int == 1)
    #expect(origin.stats[origin.paths[0]] == 1)
    let sheet = try decoded(program.read("sheet.png"))
    #expect(sheet.size == PixelSize(width: 80, height: 56))
    // The first and the last tile are the same picture; the fifth is the failure image.
    let pixels = try sheet.straightRGBA()
    func pixel(_ x: Int, _ y: Int) -> [UInt8] {
      Array(pixels[(y * 80 + x) * 4..<(y * 80 + x) * 4 + 3])
    }
    #expect(pixel(16, 16) == pixel(64, 40))
    #expect(pixel(40, 40) == [0xC0, 0x2F, 0x2D])
    #expect(pixel(0, 0) == [0xE6, 0xE6, 0xE6])
  }

  @Test func aSheetOfFailuresFails() async throws {
    try list(["missing.png"])
    let ending = try await program.run("sheet", "list.txt", "-o", "sheet.png")
    #expect(ending.code == 1)
    #expect(ending.errorLines.count == 1)
    #expect(program.exists("sheet.png"))
  }

  @Test func aSheetThatIsTooLargeIsRefused() async throws {
    try list((0..<300).map { "missing-\($0).png" })
    let ending = try await program.run(
      "sheet",
      "list.txt",
      "--style",
      "rect:1000x1000",
      "-o",
      "sheet.png",
      "--no-cache"
    )
    expectRefusal(ending, code: 1, says: "too large")
  }

  @Test func theCacheIsReportedCheckedTrimmedAndEmptied() async throws {
    let origin = try Origin(.portraits(count: 5))
    origin.prepare()
    defer { origin.stop() }
    try list(origin.urls)
    _ = try await program.run("warm", "list.txt", "--style", "circle:32")
    let stat = try await program.run("cache", "stat", "--json").json()
    #expect(stat["entries"] as? Int == 5)
    #expect(stat["directory"] as? String == program.path("xdg/ikran"))
    let bytes = try #require(stat["bytes"] as? Int)
    let tables = try #require(stat["tables"] as? [String: Int])
    #expect(tables["files"] == 1)
    #expect(tables["entries"] == 5)
    #expect(tables["bytes"] == 5 * 4096)
    let verify = try await program.run("cache", "verify", "--json")
    #expect(verify.code == 0, "\(verify.errors)")
    #expect(try verify.json()["checked"] as? Int == 5)
    #expect(try (verify.json()["tables"] as? [String: Int])?["checked"] == 5)
    let trim = try await program.run(
      ["cache", "trim", "--limit=\(bytes / 2)", "--table-limit=8192", "--json"]
    ).json()
    #expect(try #require(trim["bytes"] as? Int) <= bytes / 2)
    #expect(try #require(trim["removed"] as? Int) > 0)
    let trimmed = try #require(trim["tables"] as? [String: Int])
    #expect(trimmed["removed"] == 3)
    #expect(trimmed["entries"] == 2)
    let clear = try await program.run("cache", "clear")
    #expect(clear.code == 0)
    #expect(clear.text.contains("\nentries:          0\n"))
    #expect(clear.text.contains("\ntables.entries:   0\n"))
  }

  @Test func oneImageIsRemovedInEveryStyle() async throws {
    let origin = try Origin(.portraits(count: 3))
    origin.prepare()
    defer { origin.stop() }
    try list(origin.urls)
    for style in ["circle:32", "rect:64x64"] {
      _ = try await program.run("warm", "list.txt", "--style", style)
    }
    let removed = try await program.run("cache", "remove", origin.urls[1])
    #expect(removed.code == 0, "\(removed.errors)")
    #expect(removed.text.contains("removed: 1\n"))
    func load(_ index: Int) async throws -> Int32 {
      let words = ["get", origin.urls[index], "--style", "circle:32", "--offline", "-o", "a.png"]
      return try await program.run(words).code
    }
    #expect(try await load(1) == 1)
    #expect(try await load(0) == 0)
    let again = try await program.run("cache", "remove", origin.urls[1], origin.urls[2])
    #expect(again.code == 1)
    #expect(again.errors.contains("is not in the cache"))
    #expect(try await load(2) == 1)
  }

  @Test(arguments: ["stat", "verify", "trim", "clear"])
  func aFolderThatIsMistypedIsNotMade(action: String) async throws {
    let ending = try await program.run("cache", action, "--cache", "chache")
    expectRefusal(ending, code: 1, says: "there is no cache in chache")
    #expect(!Files.exists(program.path("chache")))
  }

  @Test func aSheetFromTablesDecodesNothing() async throws {
    let origin = try Origin(.portraits(count: 4))
    origin.prepare()
    try list(origin.urls)
    let words = ["sheet", "list.txt", "--style", "rect:32x24", "-o", "sheet.png", "--json"]
    let first = try await program.run(words).json()
    #expect(first["decoded"] as? Int == 4)
    let sheet = try program.read("sheet.png")
    origin.stop()
    let second = try await program.run(words)
    #expect(second.code == 0, "\(second.errors)")
    #expect(try second.json()["decoded"] as? Int == 0)
    #expect(try second.json()["styled"] as? Int == 0)
    #expect(try (second.json()["sources"] as? [String: Int])?["table"] == 4)
    #expect(try program.read("sheet.png") == sheet)
  }

  @Test func aDamagedTableIsReportedAndItsImageIsLoadedAgain() async throws {
    let origin = try Origin(.portraits(count: 3))
    origin.prepare()
    defer { origin.stop() }
    try list(origin.urls)
    let warm = ["warm", "list.txt", "--style", "circle:32", "--json"]
    _ = try await program.run(warm)
    let path = "xdg/ikran/tables/32x32-bgra.table"
    var bytes = try program.read(path)
    // The last picture is in the last pages that are not empty.
    let last = try #require(bytes.lastIndex { $0 != 0 })
    bytes[last] ^= 0xFF
    try program.write(bytes, to: path)
    let verify = try await program.run("cache", "verify", "--json")
    #expect(verify.code == 1)
    #expect(verify.errors.contains("damaged"))
    #expect(try (verify.json()["tables"] as? [String: Int])?["dropped"] == 1)
    let again = try await program.run(warm).json()
    #expect(again["failed"] as? Int == 0)
    #expect((again["sources"] as? [String: Int])?["table"] == 2)
    #expect((again["sources"] as? [String: Int])?["disk"] == 1)
  }

  @Test func anInterruptedWarmLeavesCompleteFilesOnly() async throws {
    let origin = try Origin(.portraits(count: 3))
    origin.prepare()
    defer { origin.stop() }
    let silent = try SilentServer()
    try list(origin.urls + [silent.url])
    let run = try program.start(["warm", "list.txt", "--json"])
    await silent.connection()
    run.send(SIGINT)
    let ending = try await run.ending()
    #expect(ending.code == 130)
    #expect(ending.output.isEmpty)
    #expect(ending.errorLines.count == 2, "\(ending.errors)")
    #expect(ending.errorLines.first?.hasSuffix(" of 4 images are loaded") == true)
    #expect(ending.errorLines.last == "ikran: interrupted")
    #expect(try program.names().allSatisfy { !$0.hasSuffix(".tmp") })
    let verify = try await program.run("cache", "verify", "--json")
    #expect(verify.code == 0, "\(verify.errors)")
    try list(origin.urls)
    #expect(try await program.run("warm", "list.txt").code == 0)
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func anInterruptedSheetWritesNone(signal: Int32) async throws {
    let silent = try SilentServer()
    try list([silent.url])
    let run = try program.start(["sheet", "list.txt", "-o", "sheet.png", "--no-cache"])
    await silent.connection()
    run.send(signal)
    expectRefusal(try await run.ending(), code: 130, says: "interrupted")
    #expect(try program.names() == ["list.txt"])
  }

  @Test func theProgressBarIsForTerminalsOnly() async throws {
    try program.write(Fixture.png.bytes(), to: "picture.png")
    try list(["picture.png"])
    let command = try "'\(Program.executable())' warm list.txt --no-cache --json"
    let script = "TERM=xterm script -qec \"\(command) >/dev/null\" /dev/null </dev/null"
    let shown = try await program.runShell(script)
    #expect(shown.code == 0)
    #expect(shown.text.contains("100 %  1/1"))
    let piped = try await program.runShell(command)
    #expect(piped.errors.isEmpty)
  }
}
