import Foundation
import Ikran
import IkranServer
import IkranStores
import Support
import Testing

@Suite("ikran inspect and decode", .serialized, .timeLimit(.minutes(10)))
struct InspectTests {
  private let program: Program

  init() throws { program = try Program() }

  @Test(arguments: Fixture.allCases)
  func aHeaderIsReported(fixture: Fixture) async throws {
    let ending = try await program.run(["inspect", "-", "--json"], input: try fixture.bytes())
    #expect(ending.code == 0, "\(ending.errors)")
    let alpha = "\(try header(of: fixture.bytes()).hasAlpha)"
    #expect(
      ending.text == """
        {"format":"\(fixture.rawValue)","width":40,"height":30,"frames":1,"durations":[],\
        "loops":null,"orientation":1,"alpha":\(alpha),"bits":8,"icc":false,"animated":false,\
        "exif":null,"xmp":null,"profile":null}

        """
    )
  }

  @Test func aHeaderIsPrintedAsText() async throws {
    try program.write(Fixture.png.bytes(), to: "picture.png")
    let ending = try await program.run("inspect", "picture.png")
    #expect(ending.text.hasPrefix("format:      png\nwidth:       40\n"))
  }

  @Test func aURLIsDownloaded() async throws {
    let origin = try Origin(.portraits(count: 1))
    defer { origin.stop() }
    let facts = try await program.run("inspect", origin.urls[0], "--json").json()
    #expect(facts["format"] as? String == "jpeg")
    expectRefusal(
      try await program.run("inspect", origin.baseURL + "/status/404"),
      code: 1,
      says: "404"
    )
  }

  @Test func aCachedImageIsInspectedWithoutTheNetwork() async throws {
    let origin = try Origin(.portraits(count: 1))
    let got = try await program.run("get", origin.urls[0], "-o", "face.png")
    #expect(got.code == 0, "\(got.errors)")
    origin.stop()
    let facts = try await program.run("inspect", origin.urls[0], "--json").json()
    #expect(facts["format"] as? String == "jpeg")
    expectRefusal(
      try await program.run("inspect", origin.urls[0], "--no-cache"),
      code: 1,
      says: "127.0.0.1"
    )
  }

  @Test func aStaleImageThatMayBeShownIsRevalidated() async throws {
    let (older, newer) = (try Fixture.png.bytes(), try Noise.png(side: 10))
    let requests = Guarded(0)
    let origin = try Origin { _ in
      let number = requests.withLock { count in
        count += 1
        return count
      }
      let fields = [Field("Cache-Control", "max-age=0, stale-while-revalidate=600")]
      return Response(200, headers: fields, body: number == 1 ? older : newer)
    }
    defer { origin.stop() }
    let url = origin.baseURL + "/picture"
    #expect(try await program.run("get", url, "-o", "picture.png").code == 0)
    for width in [40, 10] {
      let facts = try await program.run("inspect", url, "--json").json()
      #expect(facts["width"] as? Int == width)
    }
  }

  @Test(arguments: [4, 14])
  func allFramesOfADownloadAreCounted(number: Int) async throws {
    let origin = try Origin(.portraits(count: 20))
    origin.prepare()
    defer { origin.stop() }
    let url = try #require(origin.urls.first { $0.contains("/\(number).") })
    let facts = try await program.run("inspect", url, "--json").json()
    #expect(facts["frames"] as? Int == 4)
    #expect((facts["durations"] as? [Int])?.count == 4)
    #expect(facts["loops"] as? Int == 0)
  }

  @Test func aDownloadForTheHeaderIsRetried() async throws {
    let png = try Fixture.png.bytes()
    let requests = Guarded(0)
    let origin = try Origin { _ in
      let isFirst = requests.withLock { count in
        count += 1
        return count == 1
      }
      return isFirst
        ? Response(503, headers: [Field("Retry-After", "0")]) : Response(200, body: png)
    }
    defer { origin.stop() }
    let ending = try await program.run("inspect", origin.baseURL + "/picture", "--json")
    #expect(try ending.json()["width"] as? Int == 40)
    #expect(requests.withLock { $0 } == 2)
  }

  @Test func aDownloadEndsWithTheHeader() async throws {
    try program.write(Noise.png(side: 300), to: "noise.png")
    let origin = try Origin(.folder(path: program.folder.path))
    defer { origin.stop() }
    // The whole file would take minutes.
    let url = origin.baseURL + "/chaos/noise.png?drip=1000"
    let facts = try await program.run("inspect", url, "--timeout", "60", "--json").json()
    #expect(facts["width"] as? Int == 300)
  }

  @Test func aHeaderFieldIsSent() async throws {
    let png = try Fixture.png.bytes()
    let origin = try Origin { head in
      head.header("X-Who") == "ana" ? Response(200, body: png) : Response(403)
    }
    defer { origin.stop() }
    let url = origin.baseURL + "/picture"
    expectRefusal(try await program.run("inspect", url), code: 1, says: "403")
    let ending = try await program.run("inspect", url, "--header", "X-Who: ana", "--json")
    #expect(try ending.json()["format"] as? String == "png")
  }

  @Test(arguments: [("--timeout", "0.2"), ("--deadline", "0.2")])
  func aSilentServerEndsWithATimeout(option: String, seconds: String) async throws {
    let silent = try SilentServer()
    let ending = try await program.run("inspect", silent.url, option, seconds)
    expectRefusal(ending, code: 1, says: silent.url)
  }

  @Test func progressIsShownOnATerminal() async throws {
    try program.write(Noise.png(side: 300), to: "noise.png")
    let origin = try Origin(.folder(path: program.folder.path))
    defer { origin.stop() }
    let command = try "'\(Program.executable())' inspect \(origin.baseURL)/noise.png --json"
    let script = "TERM=xterm script -qec \"\(command) >/dev/null\" /dev/null </dev/null"
    let shown = try await program.runShell(script)
    #expect(shown.code == 0)
    #expect(shown.text.contains(" %  "), "\(shown.text)")
  }

  @Test func pixelsAreDecodedWithoutAHeader() async throws {
    try program.write(Fixture.png.bytes(), to: "picture.png")
    let ending = try await program.run("decode", "picture.png", "--frame", "0", "-o", "p.rgba")
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(ending.output.isEmpty)
    let expected = try decoded(Fixture.png.bytes()).straightRGBA()
    #expect(try program.read("p.rgba") == expected)
    #expect(!program.exists("xdg"))
  }

  @Test func aDecodedImageMayBeStyled() async throws {
    let ending = try await program.run(
      ["decode", "-", "--style", "circle:10", "--max-pixels", "1200"],
      input: try Fixture.jpeg.bytes()
    )
    #expect(ending.code == 0, "\(ending.errors)")
    let info = try header(of: ending.output)
    #expect(info.format == .png)
    #expect(info.hasAlpha)
    #expect(info.size == PixelSize(width: 10, height: 10))
  }

  @Test func aRegionIsDecodedAlone() async throws {
    try program.write(Fixture.png.bytes(), to: "picture.png")
    let whole = try decoded(Fixture.png.bytes())
    let ending = try await program.run(
      "decode",
      "picture.png",
      "--region",
      "3,5,12,9",
      "--format",
      "rgba"
    )
    #expect(ending.code == 0, "\(ending.errors)")
    let expected = try whole.cropped(columns: 3..<15, rows: 5..<14).straightRGBA()
    #expect(ending.output == expected)
    let small = try await program.run(
      "decode",
      "picture.png",
      "--region=3,5,12,9",
      "--size",
      "4x3",
      "--filter",
      "grayed"
    )
    #expect(small.code == 0, "\(small.errors)")
    #expect(try header(of: small.output).size == PixelSize(width: 4, height: 3))
  }

  @Test(arguments: [
    (["--region", "3,5,12"], 2, "“3,5,12” is not a rectangle"),
    (["--region", "1,1,4,4", "--style", "circle:9"], 2, "exclude each other"),
    (["--size", "4x4"], 2, "--size needs --region"),
    (["--region", "30,0,20,4"], 1, "the region 30,0 20×4 is not inside the picture"),
  ])
  func aRegionThatMakesNoSenseIsRefused(
    _ words: [String],
    _ code: Int32,
    _ sentence: String
  ) async throws {
    let ending = try await program.run(["decode", "-"] + words, input: try Fixture.png.bytes())
    #expect(ending.code == code)
    #expect(ending.errors.contains(sentence), "\(ending.errors)")
  }
}

@Suite("ikran origin", .serialized, .timeLimit(.minutes(10)))
struct OriginCommandTests {
  private let program: Program

  init() throws { program = try Program() }

  @Test(arguments: [SIGINT, SIGTERM])
  func theOriginServesUntilItIsInterrupted(signal: Int32) async throws {
    let run = try program.start(["origin", "--count", "2", "--etag", "--max-age", "60"])
    let base = try await run.firstLine()
    #expect(base.hasPrefix("http://127.0.0.1:"))
    let got = try await program.run("get", base + "/avatars/1.png", "--json")
    #expect(got.code == 0, "\(got.errors)")
    run.send(signal)
    let ending = try await run.ending()
    #expect(ending.code == 0)
    #expect(ending.text == base + "\n")
    #expect(ending.errors.isEmpty)
  }

  @Test func theOriginServesAFolder() async throws {
    try program.write(Fixture.gif.bytes(), to: "picture.gif")
    let run = try program.start(["origin", "--root", "."])
    let base = try await run.firstLine()
    let facts = try await program.run("inspect", base + "/picture.gif", "--json").json()
    #expect(facts["format"] as? String == "gif")
    run.send(SIGINT)
    #expect(try await run.ending().code == 0)
  }

  @Test func aPortInUseIsOneSentence() async throws {
    let origin = try Origin(.portraits(count: 1))
    defer { origin.stop() }
    let ending = try await program.run("origin", "--port", "\(origin.port)")
    expectRefusal(ending, code: 1, says: "in use")
  }

  @Test func theOriginsFaultsAreOptions() async throws {
    let run = try program.start(["origin", "--count=1", "--fail-rate=1"])
    let base = try await run.firstLine()
    expectRefusal(
      try await program.run("get", base + "/avatars/0.jpg", "--json"),
      code: 1,
      says: "503"
    )
    run.send(SIGINT)
    #expect(try await run.ending().code == 0)
  }
}
