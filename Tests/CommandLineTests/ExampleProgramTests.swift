import Ikran
import IkranServer
import IkranStores
import IkranTesting
import Support
import Testing

/// The example programs without a window: a server, a store and a codec.
@Suite(.timeLimit(.minutes(2)))
struct ExampleProgramTests {
  private func run(_ name: String, _ program: Program, _ words: String...) async throws -> String {
    let words = words.map { "'\($0)'" }.joined(separator: " ")
    let ending = try await program.runShell("\(try Program.executable(name)) \(words)")
    #expect(ending.code == 0, "\(ending.errors)")
    return ending.text
  }

  @Test func theCodecReadsItsFormatWithinThePipeline() async throws {
    let program = try Program()
    var file = Array("farbfeld".utf8) + [0, 0, 0, 4, 0, 0, 0, 2]
    // Half-transparent red.
    for _ in 0..<8 { file += [255, 255, 0, 0, 0, 0, 128, 128] }
    try program.write(file, to: "red.ff")
    #expect(try await run("Farbfeld", program, "file://" + program.path("red.ff"), "red.png") == "")
    let image = try decoded(program.read("red.png"))
    #expect(image.size == PixelSize(width: 256, height: 128))
    #expect(image.withBytes { [$0[0], $0[1], $0[2], $0[3]] } == [0, 0, 128, 128])
  }

  @Test(arguments: [0, 7, 15, 40])
  func aFileThatIsCutOffIsAnErrorThatSaysSo(count: Int) async throws {
    let program = try Program()
    let file = Array("farbfeld".utf8) + [0, 0, 0, 4, 0, 0, 0, 2] + Array(repeating: 9, count: 64)
    try program.write(Array(file.prefix(count)), to: "cut.ff")
    let text = try await run("Farbfeld", program, "file://" + program.path("cut.ff"), "cut.png")
    #expect(text.hasPrefix("file://"))
    #expect(!program.exists("cut.png"))
  }

  @Test func theStoreHasTheFileInTheNextProcess() async throws {
    let program = try Program()
    let origin = try Origin(.portraits(count: 1))
    let url = try #require(origin.urls.first)
    #expect(try await run("FolderStore", program, "store", url).hasSuffix(": network\n"))
    #expect(try await run("FolderStore", program, "store", url).hasSuffix(": disk\n"))
    #expect(try program.names(below: "store").count == 2)
  }

  @Test func theServerRespondsWithACircleOrSaysWhyNot() async throws {
    let program = try Program()
    let pictures = try TemporaryDirectory()
    try Files.create(pictures.path + "/ana.png", TestImages.png(width: 64, height: 64))
    let origin = try Origin(.folder(path: pictures.path))
    let script = """
      exec 3< <(exec stdbuf -oL \(try Program.executable("AvatarServer")) \(origin.baseURL))
      server=$!
      read -r url <&3
      for target in '/ana.png?size=96' '/bob.png?size=96' '/ana.png?size=97' '/a/ana.png'; do
        \(try Program.executable()) get "$url$target" --no-cache -o $((++number)).png
      done
      kill -KILL $server
      """
    let ending = try await program.runShell(script)
    #expect(ending.errorLines.count == 3)
    #expect(ending.errorLines.allSatisfy { $0.contains("404") }, "\(ending.errors)")
    let image = try decoded(program.read("1.png"))
    #expect(image.size == PixelSize(width: 96, height: 96))
  }

  private func keep(_ upload: [UInt8], _ program: Program) async throws -> String {
    try program.write(upload, to: "upload")
    return try await run("Uploads", program, program.path("kept"), program.path("upload"))
  }

  @Test func anUploadIsKeptUprightWithoutItsMetadata() async throws {
    let program = try Program()
    let upload = try Fixtures.bytes("areas-orientation-6.jpg")
    #expect(!ImageMetadata(of: upload).isEmpty)
    #expect(try await keep(upload, program).hasPrefix("201 "))
    let names = try program.names(below: "kept")
    let page = try #require(names.first { $0.hasSuffix(".jpg") })
    let avatar = try #require(names.first { $0.hasSuffix("-avatar.png") })
    #expect(names.count == 2)
    for name in names { #expect(ImageMetadata(of: try program.read(name)).isEmpty) }
    #expect(try decoded(program.read(page)).size == decoded(upload).size)
    #expect(try decoded(program.read(avatar)).size == PixelSize(width: 96, height: 96))
  }

  @Test func anUploadWithAlphaKeepsIt() async throws {
    let program = try Program()
    let shadow = try Bitmap(
      Color(red: 0, green: 0, blue: 0, alpha: 128),
      size: PixelSize(width: 8, height: 8)
    )
    #expect(try await keep(shadow.encoded(as: .png), program).contains(".webp"))
  }

  @Test(arguments: [("no picture", "415 "), ("", "415 "), ("\u{7F}ELF", "415 ")])
  func anUploadThatIsNoPictureIsRefused(text: String, status: String) async throws {
    let program = try Program()
    #expect(try await keep(Array(text.utf8), program).hasPrefix(status))
    #expect(try program.names(below: "kept").isEmpty)
  }

  @Test func anUploadThatIsTooLargeOrBrokenHasAStatusOfItsOwn() async throws {
    let program = try Program()
    let picture = try Fixtures.bytes("areas-orientation-6.jpg")
    let large = picture + Array(repeating: 0, count: 21 << 20)
    #expect(try await keep(large, program).hasPrefix("413 "))
    #expect(try await keep(Array(picture.prefix(200)), program).hasPrefix("422 "))
    #expect(try program.names(below: "kept").isEmpty)
  }
}
