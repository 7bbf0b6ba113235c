import IkranPixels
import Testing

@testable import ikran_gallery

struct ArgumentsTests {
  @Test func withoutWordsItShowsPortraitsFromTables() throws {
    let arguments = try #require(try Arguments(parsing: []))
    #expect(arguments.images == .portraits(2000))
    #expect(arguments.job == .show)
    #expect(
      arguments.settings == GridSettings(mode: .tables, outline: .circle, side: 96, effect: .none)
    )
  }

  @Test(arguments: Arguments.options.map(\.label))
  func everyOptionIsParsed(label: String) throws {
    let values = [
      "FILE": "a", "DIR": "a", "N": "128", "MODE": "pipeline", "STYLE": "rounded",
      "FILTER": "sepia", "WxH": "360x294",
      "NAME": "a", "F": "2", "MB": "64", "ORDER": "date", "POINTS": "512", "SECONDS": "2",
    ]
    let words = label.split(separator: " ").map { values[String($0)] ?? String($0) }
    let arguments = try #require(try Arguments(parsing: words))
    #expect(arguments != (try Arguments(parsing: [])))
  }

  @Test func otherWordsAreFilesAndFolders() throws {
    let arguments = try #require(try Arguments(parsing: ["a.png", "--dark", "folder"]))
    #expect(arguments.images == .paths(["a.png", "folder"]))
  }

  @Test func optionsAreParsedTogether() throws {
    let words =
      "--folder /tmp --cache=c --mode pipeline --style rounded --cell 128 --filter sepia --dark "
      + "--screenshot a.png --frames 7"
    let split = words.split(separator: " ").map(String.init)
    let arguments = try #require(try Arguments(parsing: split))
    #expect(arguments.images == .folder("/tmp"))
    #expect(arguments.cache == "c")
    #expect(
      arguments.settings
        == GridSettings(mode: .pipeline, outline: .rounded, side: 128, effect: .sepia)
    )
    #expect(arguments.theme == .dark)
    #expect(arguments.job == .screenshot("a.png"))
    #expect(arguments.frames == 7)
  }

  @Test(arguments: [1, 64, 256, 100_000])
  func allCachesTogetherStayWithinTheMemory(megabytes: Int) {
    let shares = MemoryShares(total: megabytes << 20)
    // Each of two pipelines keeps a quarter as many again.
    let sum = 2 * (shares.styled + shares.styled / 4) + 2 * shares.files
    #expect(sum <= megabytes << 20)
    #expect(sum > (megabytes << 20) * 99 / 100)
  }

  @Test func anOlderNameOfTheSizeOfCellsIsTaken() throws {
    #expect(try Arguments(parsing: ["--size", "48"]) == Arguments(parsing: ["--cell", "48"]))
  }

  @Test func cellsGrowAndShrinkByTheirSteps() {
    var settings = GridSettings(side: 96)
    settings.enlarge(1)
    #expect(settings.side == 128)
    settings.enlarge(-2)
    #expect(settings.side == 64)
  }

  @Test(arguments: [(100, 512), (-100, 48)])
  func cellsEndAtTheLargestAndTheSmallest(steps: Int, side: Int) {
    var settings = GridSettings()
    settings.enlarge(steps)
    #expect(settings.side == side)
  }

  @Test func memoryIs256MegabytesUnlessAnotherLimitIsNamed() throws {
    #expect(try Arguments(parsing: [])?.memory.total == 256 << 20)
    #expect(try Arguments(parsing: ["--memory", "64"])?.memory.total == 64 << 20)
  }

  @Test func theWindowHasTheChosenSize() throws {
    #expect(try Arguments(parsing: [])?.window == Gallery.usualSize)
    let small = try Arguments(parsing: ["--window", "360x294"])
    #expect(small?.window == PixelSize(width: 360, height: 294))
    let least = try Arguments(parsing: ["--window", "200x200"])
    #expect(least?.window == PixelSize(width: 200, height: 200))
  }

  @Test func helpNamesEveryOption() throws {
    #expect(try Arguments(parsing: ["--bench", "--help"]) == nil)
    for name in Arguments.options.map(\.name) + ["help"] {
      #expect(Arguments.help.contains("--\(name)"))
    }
  }

  @Test(arguments: [
    ["--count"], ["--count", "x"], ["--count", "-1"], ["--cell", "50"], ["--mode", "thumbnails"],
    ["--filter", "nothing"], ["--dark=1"], ["--nothing"], ["--urls", ""], ["--zoom", "0"],
    ["--zoom", "17"], ["--memory", "0"], ["--sort", "colour"], ["--slideshow", "0"],
    ["--window", "360"], ["--window", "0x294"], ["--window", "360x10001"],
    ["--window", "300x100"], ["--window", "199x294"],
  ])
  func whatIsWrongIsRefused(words: [String]) {
    #expect(throws: UsageError.self) { try Arguments(parsing: words) }
  }
}
