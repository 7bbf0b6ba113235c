import Foundation
import Ikran
import IkranStores
import Support
import Testing

/// Files whose names are not UTF-8.
@Suite("names that are not UTF-8", .serialized, .timeLimit(.minutes(10)))
struct ByteNameTests {
  private let program: Program
  private let command: String

  init() throws {
    program = try Program()
    command = "f=$'caf\\xe9'; '\(try Program.executable())'"
    try program.write(Fixture.png.bytes(), to: String(path: Self.name + Array(".png".utf8)))
  }

  private static let name: [UInt8] = [0x63, 0x61, 0x66, 0xE9]

  private func run(_ words: String) async throws -> Program.Ending {
    try await program.runShell("\(command) \(words)")
  }

  /// The bytes of the names of all files.
  private func names() throws -> [[UInt8]] { try program.names().map(\.pathBytes) }

  @Test func aFileIsReadAndWrittenUnderItsBytes() async throws {
    let ending = try await run("get --no-cache \"$f.png\" --style circle:8 -o \"$f.webp\"")
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(try names().contains(Self.name + Array(".webp".utf8)))
    #expect(try names().count == 2)
  }

  @Test func manyFilesKeepTheirNames() async throws {
    let ending = try await run("get --no-cache . --style circle:8 -o 'small/{name}.{format}'")
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(try names().contains(Array("small/".utf8) + Self.name + Array(".png".utf8)))
  }

  @Test func aListOfNamesIsBytes() async throws {
    let ending = try await program.runShell(
      "printf 'caf\\xe9.png\\0' | '\(Program.executable())' get --no-cache - -0 "
        + "--style circle:8 -o '{name}-{index}.png'"
    )
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(try names().contains(Self.name + Array("-1.png".utf8)))
  }

  @Test func aFileURLHasTheBytes() async throws {
    let folder = program.folder.path
    let words = "get --no-cache 'file://\(folder)/caf%E9.png' --style circle:8 -o '{name}.webp'"
    let ending = try await run(words)
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(try names().contains(Self.name + Array(".webp".utf8)))
  }

  @Test func factsAreJSONAllTheSame() async throws {
    let ending = try await run(
      "get --no-cache \"$f.png\" --style circle:8 -o a.png --json"
    )
    #expect(ending.code == 0, "\(ending.errors)")
    let json = try ending.json()
    #expect((json["url"] as? String)?.hasSuffix("/caf%E9.png") == true, "\(json)")
  }

  @Test func anotherProgramGetsTheBytes() async throws {
    let get = try "'\(Program.executable())' get --no-cache \"$f.png\""
    let ending = try await run("cache record a.trace -- \(get) --style circle:8 -o a.webp")
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(program.exists("a.webp"))
  }

  @Test func theOriginServesTheFile() async throws {
    let origin = try program.start(["origin", "--root", "."])
    let base = try await origin.firstLine()
    let ending = try await run("get --no-cache \(base)/caf%E9.png --style circle:8 -o a.webp")
    #expect(ending.code == 0, "\(ending.errors)")
    origin.send(SIGINT)
    #expect(try await origin.ending().code == 0)
  }

  @Test func aMessageNamesTheFileWithoutTheByte() async throws {
    let ending = try await run("get --no-cache \"$f.jpg\" --style circle:8 -o a.png")
    expectRefusal(ending, code: 1, says: "/caf\u{FFFD}.jpg”: it does not exist; check the path")
  }

  @Test func aCacheMayHaveSuchAName() async throws {
    let words = "get --cache \"$f\" \"$f.png\" --style circle:8 -o a.png --json"
    #expect(try await run(words).code == 0)
    let again = try await run(words)
    #expect(again.code == 0, "\(again.errors)")
    #expect(Files.isDirectory(program.path(String(path: Self.name))))
    #expect(try names().allSatisfy { $0.starts(with: Self.name) || $0 == Array("a.png".utf8) })
  }
}
