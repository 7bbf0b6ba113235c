import Foundation
import Ikran
import IkranServer
import IkranStores
import IkranTransport
import Support
import Testing

@Suite("ikran table", .serialized, .timeLimit(.minutes(10)))
struct TableTests {
  private let program: Program

  init() throws {
    program = try Program()
    try program.write(Fixture.png.bytes(), to: "picture.png")
  }

  private func run(_ words: String...) async throws -> Program.Ending {
    try await program.run(["table"] + words)
  }

  private func create(_ more: String...) async throws -> [String: Any] {
    let ending = try await program.run(
      ["table", "create", "my.table", "--size", "20x16", "--json"] + more
    )
    #expect(ending.code == 0, "\(ending.errors)")
    return try ending.json()
  }

  @Test func aNewTableReportsItsFormat() async throws {
    let words = ["--pixels", "bgr", "--count", "7", "--limit", "100000", "--family", "member"]
    let ending = try await program.run(
      ["table", "create", "my.table", "--size=20x16", "--json"] + words
    )
    let facts = try ending.json()
    #expect(facts["name"] as? String == "my")
    #expect(facts["family"] as? String == "member")
    #expect(facts["width"] as? Int == 20)
    #expect(facts["height"] as? Int == 16)
    #expect(facts["pixels"] as? String == "bgr")
    #expect(facts["maximumCount"] as? Int == 7)
    #expect(facts["byteLimit"] as? Int == 100_000)
    #expect(facts["bytesPerRow"] as? Int == 64)
    #expect(facts["slotBytes"] as? Int == 4096)
    #expect(facts["entries"] as? Int == 0)
    #expect(facts["table"] as? String == program.path("my.table"))
    let stat = try await run("stat", "my.table", "--json").json()
    #expect(Set(stat.keys) == Set(facts.keys))
    #expect(stat["family"] as? String == "member")
  }

  /// The Python reader is written from docs/table-format.md alone.
  @Test(
    .enabled(if: Files.exists("/usr/bin/python3"), "python3 is not installed"),
    arguments: PixelFormat.allCases
  )
  func aReaderInAnotherLanguageSeesTheSamePictures(pixels: PixelFormat) async throws {
    let size = PixelSize(width: 21, height: 5)
    let format = TableFormat("other", size: size, pixels: pixels, maximumCount: 100)
    let table = try ImageTable(at: program.folder.path, format: format)
    for number in 0..<80 {
      try table.put(TableID("\(number)"), version: TableID("1")) { canvas in
        canvas.withMutableBytes { bytes in
          for index in 0..<bytes.count { bytes[index] = UInt8(truncatingIfNeeded: index * number) }
          // Colours above their alpha, and a fourth byte that is not 255, are invalid pixels.
          if pixels == .bgra || pixels == .bgrx {
            for index in stride(from: 3, to: bytes.count, by: 4) { bytes[index] = 255 }
          }
        }
      }
    }
    let package = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let ending = try await program.runShell("/\(package)/Scripts/dump-table other.table dumped")
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(try program.names(below: "dumped").count == 80)
    for number in [0, 1, 79] {
      let id = TableID("\(number)")
      let png = try program.read("dumped/\(id).png")
      let dumped = try CodecList.standard.decode(png.span).bitmap
      let picture = try #require(table.get(id))
      #expect(try dumped.straightRGBA() == picture.straightRGBA())
    }
  }

  @Test func aFileThatExistsIsNotReplaced() async throws {
    _ = try await create()
    let before = try program.read("my.table")
    let again = try await run("create", "my.table", "--size", "9x9")
    expectRefusal(again, code: 1, says: "my.table exists")
    #expect(try program.read("my.table") == before)
  }

  @Test(arguments: ["bgra", "bgrx", "bgr"])
  func aStoredImageIsRetrieved(pixels: String) async throws {
    _ = try await create("--pixels", pixels)
    let put = try await run("put", "my.table", "ana", "picture.png", "--json")
    #expect(put.code == 0, "\(put.errors)")
    let get = try await run("get", "my.table", "ana", "--format", "rgba")
    let expected = try await program.run(
      "decode",
      "picture.png",
      "--style",
      "fill:20x16",
      "--format=rgba"
    )
    #expect(get.output == expected.output)
    #expect(get.errors.isEmpty)
    let facts = try await run("get", "my.table", "ana", "--json", "-o", "out.png").json()
    #expect(facts["pixels"] as? String == pixels)
    #expect(facts["id"] as? String == (try put.json()["id"] as? String))
    #expect(try header(of: program.read("out.png")).size == PixelSize(width: 20, height: 16))
  }

  @Test func aPictureMayBeStyledAndComeFromStandardInput() async throws {
    _ = try await create()
    let put = try await program.run(
      ["table", "put", "my.table", "ana", "-", "--style", "rounded:20x16,r=4"],
      input: try Fixture.jpeg.bytes()
    )
    #expect(put.code == 0, "\(put.errors)")
    let get = try await run("get", "my.table", "ana", "--format", "rgba")
    #expect(Array(get.output.prefix(4)) == [0, 0, 0, 0])
    let wrong = try await run("put", "my.table", "ana", "picture.png", "--style", "circle:9")
    expectRefusal(wrong, code: 1, says: "20×16")
  }

  @Test func anotherVersionIsNotFound() async throws {
    _ = try await create()
    _ = try await run("put", "my.table", "ana", "picture.png", "--version", "1")
    let asked = try await run("get", "my.table", "ana", "--version", "2", "-o", "out.png")
    expectRefusal(asked, code: 1, says: "no image")
    #expect(try await run("get", "my.table", "ana", "--version", "1", "-o", "out.png").code == 0)
    #expect(try await run("get", "my.table", "ana", "-o", "out.png").code == 0)
    expectRefusal(try await run("get", "my.table", "ben", "-o", "x.png"), code: 1, says: "no image")
    #expect(!program.exists("x.png"))
  }

  @Test func anIDMayBeAUUIDOrAnyText() async throws {
    _ = try await create()
    let uuid = "6BA7B810-9DAD-11D1-80B4-00C04FD430C8"
    let put = try await run("put", "my.table", uuid, "picture.png", "--json").json()
    #expect(put["id"] as? String == uuid.lowercased().replacing("-", with: ""))
    let get = try await run("get", "my.table", uuid.lowercased(), "-o", "out.png")
    #expect(get.code == 0)
  }

  @Test func entriesAreListedLastUsedFirst() async throws {
    _ = try await create("--count", "100")
    for name in ["ana", "ben"] { _ = try await run("put", "my.table", name, "picture.png") }
    _ = try await run("get", "my.table", "ana", "-o", "out.png")
    let list = try await run("list", "my.table")
    let expected = ["ana", "ben"].map { "\(TableID($0))" }
    let ids = list.text.split(separator: "\n").map { $0.split(separator: " ")[0] }
    #expect(ids.map(String.init) == expected)
    let json = try await run("list", "my.table", "--json").text.split(separator: "\n")
    let rows = try json.map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
    #expect(rows.map { $0["id"] as? String } == expected)
    #expect(Set(rows[0].keys) == ["id", "version", "lastUse", "held"])
  }

  @Test func damageIsFoundAndDropped() async throws {
    _ = try await create()
    for name in ["ana", "ben"] { _ = try await run("put", "my.table", name, "picture.png") }
    let clean = try await run("verify", "my.table", "--json")
    #expect(clean.code == 0, "\(clean.errors)")
    #expect(try clean.json()["checked"] as? Int == 2)
    var bytes = try program.read("my.table")
    let last = try #require(bytes.lastIndex { $0 != 0 })
    bytes[last] ^= 0xFF
    try program.write(bytes, to: "my.table")
    let verify = try await run("verify", "my.table", "--json")
    #expect(verify.code == 1)
    #expect(verify.errorLines.count == 1)
    #expect(try verify.json()["dropped"] as? Int == 1)
    #expect(try verify.json()["entries"] as? Int == 1)
    #expect(try await run("verify", "my.table").code == 0)
  }

  @Test func compactingKeepsTheEntries() async throws {
    _ = try await create("--count", "300")
    for number in 0..<3 { _ = try await run("put", "my.table", "\(number)", "picture.png") }
    let compact = try await run("compact", "my.table", "--json")
    #expect(compact.code == 0, "\(compact.errors)")
    #expect(try compact.json()["entries"] as? Int == 3)
    #expect(try #require(try compact.json()["freed"] as? Int) >= 0)
    #expect(try await run("get", "my.table", "2", "-o", "out.png").code == 0)
  }

  @Test func theCachesTablesAreTables() async throws {
    let origin = try Origin(.portraits(count: 1))
    defer { origin.stop() }
    let words = ["get", origin.urls[0], "--style", "circle:16", "--format", "rgba"]
    let image = try await program.run(words).output
    let facts = try await program.run(words + ["--json"]).json()
    let key = try #require(facts["key"] as? String)
    let table = "xdg/ikran/tables/16x16-bgra.table"
    let get = try await run("get", table, key, "--format", "rgba")
    #expect(get.code == 0, "\(get.errors)")
    #expect(get.output == image)
  }
}
