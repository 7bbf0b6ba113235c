import Ikran
import Support
import Testing

@testable import ikran_cli

@Suite("What ikran show draws", .serialized, .timeLimit(.minutes(10)))
struct ShowPictureTests {
  /// Of the picture, which fills whole cells only as characters.
  private static let size = PixelSize(width: 44, height: 28)
  /// The cells of the picture as characters.
  private static let cells = PixelSize(width: 44, height: 14)
  private static let modes: [ShowMode] = [.cells, .sixel, .kitty]

  private let program: Program

  init() throws {
    program = try Program()
    try program.write(Quarters.mixed.png(Self.size), to: "quarters.png")
  }

  /// What a mode draws of a file, in a pipe.
  private func drawn(_ mode: ShowMode, _ words: String...) async throws -> Drawing {
    let ending = try await program.run(["show", "--mode", mode.rawValue] + words)
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(ending.errors.isEmpty)
    return try Drawing(ending.text, mode)
  }

  /// The characters for a terminal of which variables tell.
  private func characters(_ variables: String, _ name: String) async throws -> String {
    let executable = try Program.executable()
    let ending = try await program.runShell("\(variables) '\(executable)' show \(name)")
    #expect(ending.code == 0, "\(ending.errors)")
    return ending.text
  }

  // MARK: - Characters

  @Test(arguments: [("COLORTERM=truecolor TERM=xterm-256color", 2), ("", 5)])
  func eachCharacterHasTheColourOfItsPlace(variables: String, kind: Int) async throws {
    let text = try await characters(variables, "quarters.png")
    #expect(text.contains("48;\(kind);"))
    let drawing = try Drawing(cells: text)
    #expect([drawing.width, drawing.height] == [Self.cells.width, Self.cells.height])
    let faults = Quarters.mixed.faults(in: drawing, size: Self.cells, margin: 2, tolerance: 8)
    #expect(faults == [])
  }

  @Test func aTerminalOfSixteenColoursGetsTheNearestOfThem() async throws {
    try program.write(Quarters.pure.png(Self.size), to: "pure.png")
    let text = try await characters("TERM=linux", "pure.png")
    #expect(!text.contains("8;2;") && !text.contains("8;5;"))
    // The bright ones, or the dark ones.
    let drawing = try Drawing(cells: text)
    let faults = Quarters.pure.faults(in: drawing, size: Self.cells, margin: 2, tolerance: 127)
    #expect(faults == [])
  }

  @Test func withNO_COLORLightIsDrawnAndDarkIsNot() async throws {
    try program.write(Quarters.plain.png(Self.size), to: "plain.png")
    let lines = try await characters("NO_COLOR=1", "plain.png").split(separator: "\n")
    try #require(lines.map(\.count) == Array(repeating: 44, count: 14))
    let (dark, light) = (String(repeating: " ", count: 20), String(repeating: "█", count: 20))
    for (row, line) in lines.enumerated() where !(5..<9).contains(row) {
      #expect(line.prefix(20) == (row < 7 ? dark : light))
      #expect(line.suffix(20) == (row < 7 ? light : dark))
    }
  }

  @Test func aTerminalGetsCharactersInTheirColours() async throws {
    let run = try TerminalProgram(["show", "quarters.png"], in: program.folder)
    #expect(try await run.ending().code == 0)
    let drawing = try Drawing(cells: run.text)
    #expect([drawing.width, drawing.height] == [Self.cells.width, Self.cells.height])
    let faults = Quarters.mixed.faults(in: drawing, size: Self.cells, margin: 2, tolerance: 8)
    #expect(faults == [])
  }

  // MARK: - Pixels

  @Test func kittyGetsThePictureInWholeCells() async throws {
    let drawing = try await drawn(.kitty, "quarters.png")
    #expect([drawing.width, drawing.height] == [48, 32])
    #expect(Quarters.mixed.faults(in: drawing, size: Self.size) == [])
  }

  @Test func sixelsAreThePictureInLinesOfSixRows() async throws {
    let drawing = try await drawn(.sixel, "quarters.png")
    #expect([drawing.width, drawing.height] == [44, 30])
    // Their channels are hundredths.
    #expect(Quarters.mixed.faults(in: drawing, size: Self.size, tolerance: 6) == [])
  }

  @Test(arguments: [ShowMode.sixel, .kitty])
  func aTerminalGetsTheSamePixels(mode: ShowMode) async throws {
    let words = ["show", "quarters.png", "--mode", mode.rawValue]
    let run = try TerminalProgram(words, in: program.folder)
    #expect(try await run.ending().code == 0)
    let wanted = try await drawn(mode, "quarters.png")
    #expect(try drawings(of: run, mode).map(\.colors) == [wanted.colors])
  }

  @Test(
    arguments: EveryFormatTests.samples.map(\.file) + [
      "areas-orientation-6.jpg", "areas-lossless.webp", "gradient-8b-rgb.png",
    ]
  )
  func everyPixelIsThatOfTheUprightPicture(name: String) async throws {
    let file = try Fixtures.bytes(name)
    try program.write(file, to: "file")
    let drawing = try await drawn(.kitty, "file")
    let picture = try decoded(file)
    try #require(picture.width <= drawing.width && picture.height <= drawing.height)
    let pixels = try picture.straightRGBA()
    let wrong = (0..<picture.width * picture.height).count { index in
      let (y, x) = index.quotientAndRemainder(dividingBy: picture.width)
      let channels = pixels[(index * 4)...].prefix(4).map { Int($0) }
      let color = Drawing.Color(channels.prefix(3))
      guard channels[3] >= 128 else { return !drawing[x, y].isEmpty }
      guard channels[3] < 255, let seen = drawing[x, y].first else {
        return drawing[x, y] != [color]
      }
      // libchafa 1.12 writes the colours of translucent pixels darkened by their alpha.
      let dark = (color &* channels[3]) / 255
      return seen != color && seen.distance(to: dark) > 1
    }
    #expect(wrong == 0)
  }

  @Test func aWidePictureIsMadeSmallerAsAWhole() async throws {
    try program.write(Quarters.mixed.png(PixelSize(width: 1280, height: 64)), to: "wide.png")
    let drawing = try await drawn(.kitty, "wide.png")
    let half = PixelSize(width: 640, height: 32)
    #expect([drawing.width, drawing.height] == [half.width, half.height])
    #expect(Quarters.mixed.faults(in: drawing, size: half, margin: 4, tolerance: 2) == [])
  }

  // MARK: - Styles, filters and frames

  @Test(arguments: modes)
  func whatIsClearIsLeftToTheTerminal(mode: ShowMode) async throws {
    let drawing = try await drawn(mode, "quarters.png", "--style", "circle:32")
    let size = PixelSize(width: 32, height: mode == .cells ? 16 : 32)
    try #require(drawing.width == size.width && drawing.height >= size.height)
    for y in [0, size.height - 1] {
      for x in [0, size.width - 1] { #expect(drawing[x, y].isEmpty, "\(x), \(y)") }
    }
    for y in [size.height / 4, size.height * 3 / 4] {
      for x in [size.width / 4, size.width * 3 / 4] {
        let wanted = Quarters.mixed.color(x: x, y: y, in: size)
        let seen = drawing[x, y]
        #expect(!seen.isEmpty)
        #expect(seen.allSatisfy { $0.distance(to: wanted) <= 12 }, "\(x), \(y): \(seen)")
      }
    }
  }

  @Test func aFilteredPictureIsDrawn() async throws {
    let drawing = try await drawn(.kitty, "quarters.png", "--filter", "channels:invert")
    #expect(Quarters.mixed.inverted.faults(in: drawing, size: Self.size, tolerance: 1) == [])
  }

  @Test(arguments: modes)
  func eachFrameOfAnAnimationIsDrawnInItsColour(mode: ShowMode) async throws {
    try program.write(FramesTests.gif([(0, 2), (2, 3)]), to: "animation.gif")
    let words = ["show", "animation.gif", "--loops", "0", "--mode", mode.rawValue]
    let run = try TerminalProgram(words, in: program.folder)
    let colors: Set<Drawing.Color> = [[255, 0, 0], [0, 0, 255]]
    var shown: Set<Drawing.Color> = []
    for times in 1..<1000 where shown.count < 2 {
      try await run.waits(for: "\u{1B}8", times: times)
      shown.formUnion(try drawings(of: run, mode).flatMap { $0.colors.joined() })
    }
    run.type("q")
    #expect(try await run.ending().code == 0)
    #expect(shown == colors)
    for frame in try drawings(of: run, mode) {
      #expect(Set(frame.colors.joined()).count == 1)
    }
  }

  /// The pictures that are drawn between a place and the return to it.
  private func drawings(of run: TerminalProgram, _ mode: ShowMode) throws -> [Drawing] {
    try run.text.split(separator: "\u{1B}7").dropFirst().compactMap { part -> Drawing? in
      guard let end = part.firstRange(of: "\u{1B}8") else { return nil }
      return try Drawing(String(part[..<end.lowerBound]), mode)
    }
  }
}

extension Drawing {
  /// What a mode has written.
  fileprivate init(_ text: String, _ mode: ShowMode) throws {
    switch mode {
    case .kitty: try self.init(kitty: text)
    case .sixel: try self.init(sixels: text)
    case .auto, .cells: try self.init(cells: text)
    }
  }
}
