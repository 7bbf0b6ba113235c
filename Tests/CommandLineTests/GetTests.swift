import Foundation
import Ikran
import IkranServer
import IkranStores
import Support
import Testing

@Suite("ikran get", .serialized, .timeLimit(.minutes(10)))
struct GetTests {
  private let program: Program

  init() throws { program = try Program() }

  @Test(arguments: Fixture.allCases)
  func everyFormatIsDecodedInEveryStyle(fixture: Fixture) async throws {
    try program.write(fixture.bytes(), to: fixture.name)
    let sizes = [
      ("original", 40, 30), ("rect:16x8", 16, 8), ("rounded:16x8,r=3,b=1,bc=#FF0000", 16, 8),
      ("circle:12,b=1", 12, 12), ("fit:20x20", 20, 15), ("fill:9x9", 9, 9),
    ]
    for (style, width, height) in sizes {
      let ending = try await program.run(
        "get",
        fixture.name,
        "--style",
        style,
        "--format",
        "rgba",
        "--no-cache"
      )
      #expect(ending.code == 0, "\(ending.errors)")
      #expect(ending.errors.isEmpty)
      #expect(ending.output.count == width * height * 4, "\(style)")
    }
  }

  @Test(arguments: [
    ("out.png", ImageFormat.png), ("out.jpg", .jpeg), ("out.JPEG", .jpeg), ("out.webp", .webp),
    ("out", .png), ("a.b/out", .png),
  ])
  func theExtensionDecidesTheFormat(name: String, format: ImageFormat) async throws {
    try program.write(Fixture.png.bytes(), to: "in.png")
    try Files.createDirectories(program.path("a.b"))
    let ending = try await program.run("get", "in.png", "-o", name, "--no-cache")
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(ending.output.isEmpty)
    let info = try header(of: program.read(name))
    #expect(info.format == format)
    #expect(info.size == Fixture.size)
  }

  @Test(arguments: ["png", "jpeg", "webp"])
  func theFormatMayBeChosen(name: String) async throws {
    let ending = try await program.run(
      ["get", "-", "--format", name, "--style=fit:10x10", "--scale=2", "--no-cache"],
      input: try Fixture.webp.bytes()
    )
    #expect(ending.code == 0, "\(ending.errors)")
    let info = try header(of: ending.output)
    #expect(info.format.rawValue == name)
    #expect(info.size == PixelSize(width: 20, height: 15))
  }

  @Test func whatIsWrongWithAFileThatIsShownAllTheSameIsSaid() async throws {
    let file = try Fixtures.bytes("animation-3-frames.gif")
    for (length, count) in [(190, 1), (296, 2)] {
      try program.write(Array(file.prefix(length)), to: "cut.gif")
      let words = ["get", "cut.gif", "-o", "out.gif", "--style", "circle:8", "--no-cache"]
      let ending = try await program.run(words + ["--json"])
      #expect(ending.code == 0)
      let phrase = "the file is cut off after \(count) of its frames"
      #expect(try ending.json()["notes"] as? [String] == [phrase])
      #expect(ending.errorLines.count == 1)
      #expect(ending.errors.contains(count == 1 ? phrase : "the frames before that are written"))
    }
  }

  @Test func aRegionIsLoadedAlone() async throws {
    let whole = try decoded(Fixture.png.bytes())
    try program.write(Fixture.png.bytes(), to: "picture.png")
    let origin = try Origin(.folder(path: program.folder.path))
    defer { origin.stop() }
    let path = "/chaos/picture.png?header=Cache-Control:max-age=60"
    let get = ["get", origin.baseURL + path, "--region", "3,5,12,9"]
    let expected = try whole.cropped(columns: 3..<15, rows: 5..<14).straightRGBA()
    // Without a size its own pixels, at any scale; the second time from the cache.
    for scale in ["1", "3"] {
      let ending = try await program.run(get + ["--format", "rgba", "--scale", scale])
      #expect(ending.code == 0, "\(ending.errors)")
      #expect(ending.output == expected)
    }
    let words = get + ["--size", "4x3", "--scale", "2", "--filter", "grayed", "--json"]
    let facts = try await program.run(words).json()
    #expect(facts["width"] as? Int == 8 && facts["height"] as? Int == 6)
    #expect(facts["source"] as? String == "disk")
    #expect(origin.statistics.requests == 1)
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
    try program.write(Fixture.png.bytes(), to: "picture.png")
    let ending = try await program.run(["get", "picture.png", "--no-cache"] + words)
    #expect(ending.code == code)
    #expect(ending.errors.contains(sentence), "\(ending.errors)")
  }

  @Test(arguments: ["bmp", "tiff", "BMP", "dat"])
  func anExtensionThatCannotBeWrittenIsRefusedBeforeTheDownload(name: String) async throws {
    let origin = try Origin(.portraits(count: 1))
    origin.prepare()
    defer { origin.stop() }
    for words in [["-o", "x.\(name)"], ["-o", "x.\(name)", "--json"]] {
      let ending = try await program.run(["get", origin.urls[0]] + words)
      expectRefusal(ending, code: 2, says: ".png, .jpg, .jpeg, .webp, .gif, .avif, .jxl or .rgba")
      #expect(ending.errors.contains("x.\(name)"))
      #expect(ending.errors.contains("--format"))
    }
    #expect(origin.statistics.requests == 0)
    #expect(try program.names().isEmpty)
  }

  @Test(arguments: ["gif", "webp", "png"])
  func anAnimatedImageKeepsItsFramesInAnyStyle(format: String) async throws {
    try program.write(Fixtures.bytes("animation-3-frames.webp"), to: "in.webp")
    let words = ["get", "in.webp", "--style", "circle:20", "-o", "x.\(format)", "--no-cache"]
    let ending = try await program.run(words)
    #expect(ending.code == 0, "\(ending.errors)")
    let source = try #require(try CodecList.standard.frames(of: program.read("x.\(format)")))
    #expect(source.info.frames.map(\.duration) == [40, 80, 120])
    #expect(source.info.size == PixelSize(width: 20, height: 20))
  }

  @Test func ofAnAnimationThatBreaksOffTheFramesBeforeAreWritten() async throws {
    let whole = try Fixtures.bytes("animation-3-frames.webp")
    try program.write(whole.dropLast(1), to: "in.webp")
    let ending = try await program.run("get", "in.webp", "-o", "x.png", "--no-cache")
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(ending.errorLines.count == 1)
    #expect(ending.errors.contains("the frames before that are written"))
    #expect(try header(of: program.read("x.png")).size == header(of: whole).size)
    let source = try CodecList.standard.frames(of: program.read("x.png"))
    #expect(source?.info.frames.count == 2)
  }

  @Test func aChosenFormatOverridesTheExtension() async throws {
    try program.write(Fixture.png.bytes(), to: "in.png")
    for (name, format) in [("x.gif", "webp"), ("x.jpg", "png")] {
      let words = ["get", "in.png", "-o", name, "--format", format, "--no-cache"]
      let ending = try await program.run(words)
      #expect(ending.code == 0, "\(ending.errors)")
      #expect(try header(of: program.read(name)).format.rawValue == format)
    }
  }

  @Test func losslessPixelsArriveUnchanged() async throws {
    try program.write(Fixture.png.bytes(), to: "in.png")
    let ending = try await program.run("get", "in.png", "--format=rgba", "--no-cache")
    #expect(try TestImages.gradient(width: 40, height: 30).straightRGBA() == ending.output)
  }

  @Test func theFactsNameTheSource() async throws {
    let origin = try Origin(.portraits(count: 1))
    origin.prepare()
    defer { origin.stop() }
    let words = ["get", origin.urls[0], "--style", "circle:16", "--json", "-o", "face.png"]
    let first = try await program.run(words)
    let facts = try first.json()
    #expect(first.code == 0, "\(first.errors)")
    #expect(
      Set(facts.keys) == [
        "url", "source", "width", "height", "frames", "bytes", "receivedBytes", "savedBytes",
        "milliseconds", "key", "notes",
      ]
    )
    #expect(facts["url"] as? String == origin.urls[0])
    #expect(facts["source"] as? String == "network")
    #expect(facts["width"] as? Int == 16)
    #expect(facts["height"] as? Int == 16)
    #expect(facts["frames"] as? Int == 1)
    let bytes = try #require(facts["bytes"] as? Int)
    #expect(bytes > 100)
    #expect(try #require(facts["receivedBytes"] as? Int) > bytes)
    #expect(try #require(facts["milliseconds"] as? Double) > 0)
    let face = try program.read("face.png")

    let second = try await program.run(words).json()
    #expect(second["source"] as? String == "table")
    #expect(second["frames"] as? Int == 1)
    #expect(second["receivedBytes"] as? Int == 0)
    #expect(second["key"] as? String == facts["key"] as? String)
    #expect(try program.read("face.png") == face)
    let third = try await program.run(words + ["--offline"]).json()
    #expect(third["source"] as? String == "table")
    #expect(origin.stats[origin.paths[0]] == 1)
    let fourth = try await program.run(words + ["--refresh"]).json()
    // The origin was revalidated, and has the same file.
    #expect(fourth["source"] as? String == "table")
    #expect(origin.stats[origin.paths[0]] == 2)
    let fifth = try await program.run(words + ["--offline", "--style", "circle:17"]).json()
    #expect(fifth["source"] as? String == "disk")
  }

  @Test(arguments: [
    (["-"], "data"), (["picture.png"], "file"), (["./picture.png", "--no-cache"], "file"),
  ])
  func localInputNeedsNoCache(words: [String], source: String) async throws {
    let bytes = try Fixture.png.bytes()
    try program.write(bytes, to: "picture.png")
    let facts = try await program.run(["get", "--json"] + words, input: bytes).json()
    #expect(facts["source"] as? String == source)
    #expect(facts["bytes"] as? Int == bytes.count)
  }

  @Test func aFileMayHaveAnyName() async throws {
    let name = "a b%20?#ü;x.png"
    try program.write(Fixture.png.bytes(), to: name)
    let ending = try await program.run("get", name, "-o", "out.png", "--no-cache")
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(program.exists("out.png"))
  }

  @Test func withoutACacheNothingIsStored() async throws {
    let origin = try Origin(.portraits(count: 1))
    origin.prepare()
    defer { origin.stop() }
    let ending = try await program.run("get", origin.urls[0], "--no-cache", "-o", "out.png")
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(try program.names() == ["out.png"])
  }

  @Test func theCacheMayBeAnywhere() async throws {
    let origin = try Origin(.portraits(count: 1))
    origin.prepare()
    defer { origin.stop() }
    let words = ["get", origin.urls[0], "--cache", "here", "--json"]
    _ = try await program.run(words)
    #expect(try await program.run(words).json()["source"] as? String == "disk")
    #expect(!program.exists("xdg"))
  }

  @Test func aClosedPipeEndsTheProgramQuietly() async throws {
    try program.write(Fixture.png.bytes(), to: "in.png")
    let command = try
      "'\(Program.executable())' get in.png --style rect:2000x2000 --format rgba --no-cache"
    let shell = "\(command) | head -c 1 >/dev/null; echo ${PIPESTATUS[0]}"
    let ending = try await program.runShell(shell)
    #expect(ending.text == "141\n")
    #expect(ending.errors.isEmpty)
  }

  @Test(arguments: [">/dev/full", ">&-"])
  func anOutputThatCannotBeWrittenIsOneSentence(redirection: String) async throws {
    try program.write(Fixture.png.bytes(), to: "in.png")
    let command = try "'\(Program.executable())' get in.png --no-cache \(redirection)"
    let ending = try await program.runShell(command)
    expectRefusal(ending, code: 1, says: "standard output")
  }

  @Test func anInterruptedDownloadEndsAtOnce() async throws {
    let silent = try SilentServer()
    let run = try program.start(["get", silent.url, "-o", "out.png"])
    await silent.connection()
    run.send(SIGINT)
    expectRefusal(try await run.ending(), code: 130, says: "interrupted")
    #expect(!program.exists("out.png"))
  }

  @Test func theDeadlineEndsRetriesAndWaitsToo() async throws {
    let origin = try Origin(.portraits(count: 1))
    origin.prepare()
    defer { origin.stop() }
    // Without a deadline the second attempt would begin after 25 s.
    let url = "\(origin.baseURL)/chaos/avatars/0.jpg?fault=503&retry-after=25"
    let ending = try await program.run("get", url, "-o", "out.png", "--deadline", "0.5")
    expectRefusal(ending, code: 1, says: "within 0.5 seconds")
    #expect(origin.statistics.requests <= 1)
    #expect(!program.exists("out.png"))
  }

  @Test(arguments: ["fit:32x32", "circle:32"])
  func backgroundRevalidationIsStoredBeforeTheEnd(style: String) async throws {
    let origin = try Origin(.portraits(count: 1))
    origin.prepare()
    defer { origin.stop() }
    let field = "header=Cache-Control:max-age=0,%20stale-while-revalidate=600"
    let url = "\(origin.baseURL)/chaos/avatars/0.jpg?change=1&delay=300&\(field)"
    for name in ["first.png", "second.png"] {
      let ending = try await program.run("get", url, "--style", style, "-o", name)
      #expect(ending.code == 0, "\(ending.errors)")
    }
    #expect(try program.read("second.png") == program.read("first.png"))
    #expect(origin.statistics.requests == 2)
    let words = ["get", url, "--style", style, "--offline", "-o", "third.png"]
    #expect(try await program.run(words).code == 0)
    #expect(try program.read("third.png") != program.read("first.png"))
  }

  @Test func anOutputFileIsReplacedAtomically() async throws {
    try program.write(Fixture.png.bytes(), to: "in.png")
    try program.write([1, 2, 3], to: "target.png")
    let command = try "'\(Program.executable())' get in.png --no-cache -o"
    let shell = """
      umask 022 && chmod 600 target.png && ln -s target.png link.png && \(command) new.png \
        && \(command) link.png && \(command) /dev/null && stat -c '%F %a' new.png target.png \
        link.png /dev/null
      """
    let ending = try await program.runShell(shell)
    #expect(
      ending.text == """
        regular file 644
        regular file 600
        symbolic link 777
        character special file 666

        """
    )
    #expect(ending.errors.isEmpty)
    #expect(try header(of: program.read("target.png")).size == Fixture.size)
    #expect(try Set(program.names()) == ["in.png", "new.png", "target.png", "link.png"])
  }

  @Test(.disabled(if: Sanitizer.watchesThreads, "ThreadSanitizer needs larger files than allowed"))
  func aFailingCacheIsAWarning() async throws {
    try program.write(Noise.png(side: 300), to: "noise.png")
    let origin = try Origin(.folder(path: program.folder.path))
    defer { origin.stop() }
    // The index is intact, but files have the paths of the folders for large bodies.
    _ = try await program.run("cache", "stat")
    _ = try await program.runShell(
      "cd xdg/ikran/bodies && touch {0..9}{0..9} {0..9}{a..f} "
        + "{a..f}{0..9} {a..f}{a..f}"
    )
    let ending = try await program.run(
      "get",
      origin.baseURL + "/noise.png",
      "--style",
      "fit:4x4",
      "--format",
      "rgba"
    )
    #expect(ending.code == 0)
    #expect(ending.output.count == 64)
    #expect(ending.errorLines.count == 1, "\(ending.errors)")
    #expect(ending.errors.hasPrefix("ikran: the cache was skipped: "))
  }

  @Test func aTerminalGetsNoImageBytes() async throws {
    try program.write(Fixture.png.bytes(), to: "in.png")
    let command = try "'\(Program.executable())' get in.png --no-cache"
    let ending = try await program.runShell("script -qec \"\(command)\" /dev/null </dev/null")
    #expect(ending.code == 2)
    #expect(ending.text.contains("use -o PATH"))
  }

  @Test func factsHaveNoSecrets() async throws {
    let png = try Fixture.png.bytes()
    try program.write(png, to: "in.png")
    let origin = try Origin(.folder(path: program.folder.path))
    defer { origin.stop() }
    let base = origin.baseURL.replacing("http://", with: "http://me:SECRET@")
    let url = base + "/in.png?token=SECRET#SECRET"
    let data = "data:image/png;base64,\(Data(png).base64EncodedString())"
    for (location, name) in [
      (url, origin.baseURL + "/in.png"), (data, "data:image/png;base64,…"),
    ] {
      let ending = try await program.run("get", location, "--json", "--style", "fit:4x4")
      #expect(try ending.json()["url"] as? String == name)
      #expect(!ending.text.contains("SECRET") && !ending.errors.contains("SECRET"))
    }
  }
}
