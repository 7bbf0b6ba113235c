import Glibc
import Ikran
import IkranServer
import IkranStores
import Support
import Testing

@testable import ikran_cli

@Suite("ikran show", .serialized, .timeLimit(.minutes(10)))
struct ShowTests {
  /// The sequence after each frame in a terminal.
  private static let frameEnd = "\u{1B}8"
  private static let cursorShown = "\u{1B}[?25h"

  private let program: Program

  init() throws {
    program = try Program()
    try program.write(Fixture.png.bytes(), to: "picture.png")
    try program.write(FramesTests.gif([(0, 2), (2, 3)]), to: "animation.gif")
  }

  // MARK: - In a pipe

  @Test func ofAFileThatIsCutOffItDrawsWhatIsThereAndSaysSo() async throws {
    let whole = try TestImages.gradient(width: 40, height: 30).encoded(as: .jpeg())
    let scan = try #require(whole.firstRange(of: [0xFF, 0xDA])).lowerBound
    try program.write(Array(whole.dropLast((whole.count - scan) / 3)), to: "cut.jpg")
    let ending = try await program.run("show", "cut.jpg")
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(ending.errors.contains("cut.jpg: the file is cut off"), "\(ending.errors)")
    #expect(lines(ending.text).count == 15)
    #expect(try await program.run("get", "cut.jpg", "--no-cache", "-o", "x.png").code == 1)
  }

  @Test func eachPixelHasAColumnAndTwoHaveALine() async throws {
    let ending = try await program.run("show", "picture.png")
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(ending.errors.isEmpty)
    let lines = lines(ending.text)
    #expect(lines.map(\.count) == Array(repeating: 40, count: 15))
    #expect(ending.text.contains("\u{1B}[38;5;"))
  }

  @Test func thereAreNoSequencesButThoseOfColours() async throws {
    let text = try await program.run("show", "picture.png").text
    #expect(!lines(text).joined().contains("\u{1B}"))
  }

  @Test func aWidePictureHas80Columns() async throws {
    try program.write(
      TestImages.gradient(width: 400, height: 100).encoded(as: .png),
      to: "wide.png"
    )
    let lines = lines(try await program.run("show", "wide.png").text)
    #expect(lines.map(\.count) == Array(repeating: 80, count: 10))
  }

  @Test func withNO_COLORThereAreCharactersOnly() async throws {
    let executable = try Program.executable()
    let ending = try await program.runShell("NO_COLOR=1 '\(executable)' show picture.png")
    #expect(!ending.text.contains("\u{1B}"))
    #expect(lines(ending.text).map(\.count) == Array(repeating: 40, count: 15))
  }

  @Test func ofAnAnimatedImageTheFirstFrameIsDrawn() async throws {
    #expect(try await program.run("frames", "animation.gif", "-o", "frames").code == 0)
    let first = try await program.run("show", "frames/0000.png")
    let ending = try await program.run("show", "animation.gif")
    #expect(ending.output == first.output)
    #expect(try await program.run("show", "frames/0001.png").output != first.output)
  }

  @Test func theStyleIsApplied() async throws {
    let input = try Fixture.png.bytes()
    let styled = try await program.run(["show", "-", "--style", "rect:20x20"], input: input)
    #expect(lines(styled.text).map(\.count) == Array(repeating: 20, count: 10))
  }

  @Test(arguments: [
    ("sixel", "\u{1B}P0;1;0q\"1;1;40;30#"), ("kitty", "\u{1B}_Ga=T,f=32,s=40,v=32,c=5,r=2,m=1"),
  ])
  func pixelsBeginWithTheirSequence(mode: String, start: String) async throws {
    let ending = try await program.run("show", "picture.png", "--mode", mode)
    #expect(ending.code == 0)
    #expect(ending.text.hasPrefix(start), "\(ending.text.prefix(60).debugDescription)")
    #expect(ending.text.hasSuffix("\u{1B}\\\n"))
  }

  @Test func aURLIsTakenFromTheCacheTheSecondTime() async throws {
    let bytes = try Fixture.png.bytes()
    let requests = Guarded(0)
    let origin = try Origin { _ in
      requests.withLock { $0 += 1 }
      return Response(200, headers: [Field("Cache-Control", "max-age=60")], body: bytes)
    }
    defer { origin.stop() }
    let file = try await program.run("show", "picture.png")
    for _ in 0..<2 {
      let ending = try await program.run("show", "\(origin.baseURL)/a.png")
      #expect(ending.output == file.output, "\(ending.errors)")
    }
    #expect(requests.withLock { $0 } == 1)
  }

  @Test(arguments: [
    (["show", "missing.png"], Int32(1), "missing.png"),
    (["show", "http://127.0.0.1:1/x.jpg"], 1, "127.0.0.1"),
    (["show"], 2, "URL|FILE|- is missing"),
    (["show", "picture.png", "--mode", "braille"], 2, "auto, kitty, sixel, cells"),
    (["show", "picture.png", "--loops", "-1"], 2, "--loops"),
  ])
  func mistakesAreOneSentence(words: [String], code: Int32, says: String) async throws {
    expectRefusal(try await program.run(words), code: code, says: says)
  }

  // MARK: - In a terminal

  @Test func aPictureIsAsWideAsTheTerminal() async throws {
    let words = ["show", "picture.png"]
    let run = try TerminalProgram(words, in: program.folder, columns: 20, rows: 20)
    #expect(try await run.ending().code == 0)
    let lines = lines(run.text.replacing("\r\n", with: "\n"))
    #expect(lines.map(\.count) == Array(repeating: 20, count: 8))
  }

  @Test func aPictureLeavesALineForThePrompt() async throws {
    let run = try TerminalProgram(
      ["show", "picture.png"],
      in: program.folder,
      columns: 80,
      rows: 6
    )
    #expect(try await run.ending().code == 0)
    #expect(run.text.occurrences(of: "\r\n") == 5)
  }

  @Test func anAnimationPlaysOnceAndLeavesTheTerminalAsItWas() async throws {
    let words = ["show", "animation.gif", "--loops", "1"]
    let run = try TerminalProgram(words, in: program.folder)
    let ending = try await run.ending()
    #expect(ending.code == 0)
    #expect(ending.isRestored)
    #expect((1...2).contains(run.text.occurrences(of: Self.frameEnd)))
    #expect(run.text.hasPrefix("\u{1B}[?25l"))
    #expect(run.text.hasSuffix(Self.cursorShown))
  }

  @Test(arguments: ["cells", "sixel", "kitty"])
  func aKeyEndsAnEndlessAnimation(mode: String) async throws {
    let words = ["show", "animation.gif", "--loops", "0", "--mode", mode]
    let run = try TerminalProgram(words, in: program.folder)
    try await run.waits(for: Self.frameEnd, times: 4)
    #expect(run.takesKeys)
    run.type("q")
    let ending = try await run.ending()
    #expect(ending.code == 0)
    #expect(ending.isRestored)
    #expect(run.text.hasSuffix(Self.cursorShown))
  }

  @Test func aKeyThatWouldStopTheProgramEndsIt() async throws {
    let run = try TerminalProgram(["show", "animation.gif"], in: program.folder)
    try await run.waits(for: Self.frameEnd)
    run.type("\u{1A}")
    let ending = try await run.ending()
    #expect(ending.code == 0)
    #expect(ending.isRestored)
  }

  @Test func anotherSizeIsFollowedAtTheNextFrame() async throws {
    let words = ["show", "animation.gif", "--style", "fill:40x40"]
    let run = try TerminalProgram(words, in: program.folder, columns: 60, rows: 30)
    try await run.waits(for: Self.frameEnd, times: 2)
    #expect(widths(of: run).first == Array(repeating: 40, count: 20))
    run.resize(columns: 10, rows: 30)
    let narrow = Array(repeating: 10, count: 5)
    for frames in 4..<1000 where !widths(of: run).contains(narrow) {
      try await run.waits(for: Self.frameEnd, times: frames)
    }
    #expect(widths(of: run).contains(narrow))
    run.type("q")
    #expect(try await run.ending().code == 0)
  }

  /// The lengths of the lines of each frame so far.
  private func widths(of run: TerminalProgram) -> [[Int]] {
    let frames = run.text.replacing("\r\n", with: "\n").split(separator: Self.frameEnd)
    return frames.compactMap { frame in
      frame.split(separator: "\u{1B}7").last.map { lines(String($0)).map(\.count) }
    }
  }

  @Test func anAnimationThatBreaksOffIsShownAndReported() async throws {
    try program.write(
      Array(FramesTests.gif([(0, 2), (2, 3), (1, 2)]).dropLast(12)),
      to: "broken.gif"
    )
    let run = try TerminalProgram(["show", "broken.gif", "--loops", "1"], in: program.folder)
    let ending = try await run.ending()
    #expect(ending.code == 1)
    #expect(ending.isRestored)
    #expect(run.text.contains(Self.frameEnd))
    #expect(run.text.contains(Self.cursorShown + "ikran: "))
    #expect(run.text.contains("broken.gif"))
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func anInterruptionRestoresTheTerminal(signal: Int32) async throws {
    let run = try TerminalProgram(["show", "animation.gif", "--loops", "0"], in: program.folder)
    try await run.waits(for: Self.frameEnd)
    if signal == SIGINT { run.type("\u{3}") } else { run.send(signal) }
    let ending = try await run.ending()
    #expect(ending.code == 130)
    #expect(ending.isRestored)
    #expect(run.text.hasSuffix(Self.cursorShown + "ikran: interrupted\r\n"))
  }

  @Test func aTerminalThatShowsNothingIsRestoredByASecondSignal() async throws {
    let words = ["show", "animation.gif", "--style", "fill:400x400", "--mode", "kitty"]
    let run = try TerminalProgram(words, in: program.folder, isRead: false)
    // A frame is larger than what a terminal holds, so the program waits.
    try await until { run.hasUnread }
    run.send(SIGTERM)
    run.send(SIGINT)
    let ending = try await run.ending()
    #expect(ending.code == 130)
    #expect(ending.isRestored)
  }

  /// The lines without the colours.
  private func lines(_ text: String) -> [Substring] {
    text.replacing(/\u{1B}\[[0-9;]*m/, with: "").split(separator: "\n")
  }
}

/// The cells that a picture covers.
@Suite("Layout in a terminal")
struct CellLayoutTests {
  private let terminal = TerminalSize(
    columns: 100,
    rows: 40,
    cell: PixelSize(width: 10, height: 20)
  )

  @Test func inPixelsAPictureIsNeverLargerThanItIs() {
    let layout = CellLayout(
      PixelSize(width: 95, height: 41),
      in: terminal,
      linesBelow: 1,
      inPixels: true
    )
    #expect(layout.pixels == PixelSize(width: 95, height: 41))
    #expect([layout.columns, layout.rows] == [10, 3])
  }

  @Test func aLargePictureKeepsItsAspect() {
    let layout = CellLayout(
      PixelSize(width: 4000, height: 1000),
      in: terminal,
      linesBelow: 1,
      inPixels: true
    )
    #expect(layout.pixels == PixelSize(width: 1000, height: 250))
    #expect([layout.columns, layout.rows] == [100, 13])
  }

  @Test(arguments: [true, false])
  func everyPictureFitsEveryTerminal(inPixels: Bool) {
    for columns in [1, 2, 80, 65_535] {
      for (width, height) in [(1, 1), (1, 100_000), (100_000, 1), (640, 480)] {
        let layout = CellLayout(
          PixelSize(width: width, height: height),
          in: TerminalSize(columns: columns, rows: columns),
          linesBelow: 1,
          inPixels: inPixels
        )
        #expect((1...columns).contains(layout.columns))
        #expect((1...max(1, columns - 1)).contains(layout.rows))
        #expect((1...width).contains(layout.pixels.width))
        #expect((1...height).contains(layout.pixels.height))
      }
    }
  }
}
