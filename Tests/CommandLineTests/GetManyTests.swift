import Foundation
import Ikran
import IkranServer
import IkranStores
import Support
import Testing

/// `ikran get` with more than one image.
@Suite("ikran get, many", .serialized, .timeLimit(.minutes(10)))
struct GetManyTests {
  private let program: Program

  init() throws { program = try Program() }

  private func write(_ names: String...) throws {
    for name in names { try program.write(Fixture.png.bytes(), to: name) }
  }

  private func get(_ words: String..., input: String = "") async throws -> Program.Ending {
    try await program.run(["get", "--no-cache"] + words, input: Array(input.utf8))
  }

  @Test func eachImageHasItsName() async throws {
    try write("a.png", "b.c.png")
    let ending = try await get(
      "a.png",
      "b.c.png",
      "--style",
      "fit:10x10",
      "-o",
      "small/{name}-{index}.{format}",
      "--format",
      "jpeg"
    )
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(ending.output.isEmpty)
    #expect(try program.names(below: "small").sorted() == ["small/a-1.jpg", "small/b.c-2.jpg"])
    let info = try header(of: program.read("small/b.c-2.jpg"))
    #expect(info.format == .jpeg)
    #expect(info.size.width == 10)
  }

  @Test func foldersAreMadeAsTheMaskOfPermissionsSays() async throws {
    try write("a.png")
    let command = try "umask 022; exec '\(Program.executable())'"
    let words = "get --no-cache a.png -o x/y/{name}.png --style circle:8"
    let ending = try await program.runShell("\(command) \(words)")
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(Files.permissions(program.path("x/y")) == 0o755)
    #expect(program.exists("x/y/a.png"))
  }

  @Test func optionsMayStandBetweenTheNames() async throws {
    try write("a.png", "b.png")
    let ending = try await get("a.png", "-o", "{name}.webp", "b.png", "--style", "circle:8")
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(program.exists("a.webp") && program.exists("b.webp"))
  }

  @Test func ofAFolderThePicturesAreTaken() async throws {
    try Files.createDirectories(program.path("photos/inner"))
    try write("photos/2.png", "photos/10.jpg", "photos/none", "photos/.hidden.png")
    try write("photos/inner/deep.png")
    try program.write(Array("text".utf8), to: "photos/notes.txt")
    let ending = try await get("photos", "-o", "out/{name}.png", "--style", "fit:8x8")
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(
      try program.names(below: "out").sorted() == ["out/10.png", "out/2.png", "out/none.png"]
    )
  }

  @Test func ofAFolderTheBrokenPicturesAreLines() async throws {
    try Files.createDirectories(program.path("photos"))
    try write("photos/a.png")
    try program.write(Array("no picture".utf8), to: "photos/bad.jpg")
    try program.write([], to: "photos/e.png")
    try program.write(Array("text".utf8), to: "photos/notes.txt")
    let ending = try await get("photos", "-o", "out/{name}.webp", "--style", "fit:8x8")
    #expect(ending.code == 1)
    #expect(ending.errorLines.count == 2, "\(ending.errors)")
    #expect(ending.errors.contains("photos/bad.jpg") && ending.errors.contains("photos/e.png"))
    #expect(try program.names(below: "out") == ["out/a.webp"])
  }

  @Test(arguments: [[], ["--style", "fit:8x8"]])
  func whatCannotBeWrittenIsOneSentence(style: [String]) async throws {
    try write("a.png", "b.png")
    try Files.createDirectories(program.path("o/a.webp"))
    let words = ["get", "--no-cache", "a.png", "b.png", "-o", "o/{name}.webp"]
    let ending = try await program.run(words + style)
    #expect(ending.code == 1)
    let line = "ikran: a.png: could not write o/a.webp: it is a folder; name a file"
    #expect(ending.errorLines == [line[...]])
    #expect(program.exists("o/b.webp"))
  }

  @Test func aFolderWithoutPicturesIsNoErrorButSaid() async throws {
    try Files.createDirectories(program.path("none"))
    let ending = try await get("none", "-o", "{name}.png")
    #expect(ending.code == 0)
    #expect(ending.errorLines == ["ikran: there is no picture to load"])
  }

  @Test func aURLWithoutItsSchemeIsPointedOut() async throws {
    let ending = try await get("example.invalid/a.jpg")
    #expect(ending.code == 1)
    let hint =
      "ikran: there is no file “example.invalid/a.jpg”; if it is a URL, begin it with https://"
    #expect(ending.errors == hint + "\n")
    let many = try await get("none.invalid/a.png", "-o", "{name}.png", "--json")
    #expect(many.code == 1)
    #expect(many.text.contains("begin it with https"))
    try Files.createDirectories(program.path("v1.2"))
    try program.write(Fixture.png.bytes(), to: "v1.2/a.png")
    #expect(try await get("v1.2/a.png", "-o", "b.png").code == 0)
    for path in ["./a.jpg", "../a.jpg", ".cache/a.jpg", "folder/a.jpg"] {
      #expect(try await get(path).errors.contains("it does not exist"), "\(path)")
    }
  }

  @Test func aListOnStandardInputIsRead() async throws {
    try write("a.png", "b.png")
    let ending = try await get("-", "-o", "{name}.jpg", input: "a.png\n# no name\n\nb.png\n")
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(program.exists("a.jpg") && program.exists("b.jpg"))
  }

  @Test func namesApartByNULMayHaveLineFeeds() async throws {
    try write("a\nb.png", "# c.png")
    let ending = try await get("-", "-0", "-o", "{index}.jpg", input: "a\nb.png\0# c.png\0")
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(program.exists("1.jpg") && program.exists("2.jpg"))
  }

  @Test func whatFailsIsALineAndTheOthersAreWritten() async throws {
    try write("a.png", "b.png")
    try program.write(Array("text".utf8), to: "text.png")
    let ending = try await get("a.png", "text.png", "missing.png", "b.png", "-o", "o/{name}.png")
    #expect(ending.code == 1)
    #expect(ending.errorLines.count == 2)
    #expect(ending.errors.contains("text.png") && ending.errors.contains("missing.png"))
    #expect(try program.names(below: "o").sorted() == ["o/a.png", "o/b.png"])
  }

  @Test func factsAreALineForEachImage() async throws {
    try write("a.png")
    let ending = try await get("a.png", "no.png", "-o", "{name}.jpg", "--json")
    #expect(ending.code == 1)
    let lines = try ending.text.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    #expect(lines.count == 2)
    #expect(lines.contains { $0["output"] as? String == "a.jpg" && $0["width"] as? Int == 40 })
    #expect(lines.contains { ($0["error"] as? String)?.contains("no.png") == true })
  }

  @Test func twoImagesOfOneNameAreRefused() async throws {
    try Files.createDirectories(program.path("x"))
    try write("a.png", "x/a.png")
    let ending = try await get("a.png", "x/a.png", "-o", "o/{name}.png")
    #expect(ending.code == 1)
    #expect(ending.errors.contains("would both be o/a.png; use {index}"))
    #expect(!program.exists("o"))
  }

  @Test func noImageTakesThePlaceOfItsSource() async throws {
    try write("a.png")
    let before = try program.read("a.png")
    _ = try await program.runShell("ln -s . link")
    for source in ["a.png", ".", "./a.png", "file://" + program.path("a.png")] {
      for pattern in ["{name}.png", "./{name}.png", "link/{name}.png"] {
        let ending = try await get(source, "-o", pattern, "--style", "circle:8")
        #expect(ending.code == 1)
        #expect(ending.errors.contains("a.png is one of the pictures"), "\(source) \(pattern)")
        #expect(try program.read("a.png") == before)
      }
    }
  }

  @Test func manyImagesWithoutNamesAreRefused() async throws {
    try write("a.png", "b.png")
    for words in [["a.png", "b.png"], ["a.png", "b.png", "-o", "c.png"], ["-", "-0"]] {
      let ending = try await program.run(["get", "--no-cache"] + words)
      #expect(ending.code == 2)
      #expect(ending.errors.contains("many images need names: -o 'small/{name}.{format}'"))
    }
  }

  @Test func aNameOfAURLIsItsLastPartWithoutEscapes() async throws {
    try write("my photo.png")
    let origin = try Origin(.folder(path: program.folder.path))
    defer { origin.stop() }
    let ending = try await get(origin.baseURL + "/my%20photo.png?size=3", "-o", "o/{name}.webp")
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(try program.names(below: "o") == ["o/my photo.webp"])
  }

  @Test func aHundredImagesAreWrittenByAllProcessors() async throws {
    let names = (0..<100).map { "in/\($0).png" }
    try Files.createDirectories(program.path("in"))
    for name in names { try write(name) }
    let ending = try await get("in", "-o", "out/{name}.png", "--style", "fit:8x8")
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(try program.names(below: "out").count == 100)
  }
}
