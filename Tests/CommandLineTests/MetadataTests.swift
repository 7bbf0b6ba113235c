import Ikran
import IkranServer
import Support
import Testing

/// `ikran inspect` prints metadata, and `--metadata` keeps it.
@Suite("Metadata", .serialized, .timeLimit(.minutes(10)))
struct MetadataTests {
  private let program: Program

  init() throws { program = try Program() }

  /// An EXIF block of texts in one directory, and an orientation.
  private static func exif(_ texts: [(tag: UInt8, text: String)]) -> [UInt8] {
    var entries: [UInt8] = []
    var values: [UInt8] = []
    let end = 8 + 2 + (texts.count + 2) * 12 + 4
    for (tag, text) in texts {
      let value = Array(text.utf8) + [0]
      entries += [1, tag, 0, 2, 0, 0, 0, UInt8(value.count)]
      entries += [0, 0, 0, UInt8(end + values.count)]
      values += value
    }
    let orientation: [UInt8] = [1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0]
    let right = Array("Ana 2026\0".utf8)
    let copyright = [0x82, 0x98, 0, 2, 0, 0, 0, 9, 0, 0, 0, UInt8(end + values.count)]
    let count = UInt8(texts.count + 2)
    return [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, count] + entries + orientation + copyright
      + [0, 0, 0, 0] + values + right
  }

  private static let camera = exif([(0x0F, "ACME"), (0x10, "Model\u{1B}[31m\u{9B}2J\u{202E}1")])

  /// A JPEG whose EXIF block says that it lies on its side.
  private static func photo() throws -> [UInt8] {
    let plain = try Fixture.jpeg.bytes()
    let body = Array("Exif\0\0".utf8) + camera
    return plain[..<2] + [0xFF, 0xE1, 0, UInt8(body.count + 2)] + body + plain[2...]
  }

  @Test func factsArePrintedAsJSON() async throws {
    try program.write(Self.photo(), to: "photo.jpg")
    let ending = try await program.run("inspect", "photo.jpg", "--json")
    let exif = try #require(try ending.json()["exif"] as? [String: Any])
    #expect(exif["make"] as? String == "ACME")
    #expect(exif["model"] as? String == "Model\u{1B}[31m\u{9B}2J\u{202E}1")
    #expect(exif["orientation"] as? Int == 6)
    #expect(exif["copyright"] as? String == "Ana 2026")
    #expect(exif["location"] as? Bool == false)
  }

  @Test(arguments: [[], ["--json"]])
  func textOfAFileDoesNotControlTheTerminal(words: [String]) async throws {
    try program.write(Self.photo(), to: "photo.jpg")
    let ending = try await program.run(["inspect", "photo.jpg"] + words)
    #expect(ending.code == 0, "\(ending.errors)")
    let scalars = ending.text.unicodeScalars
    #expect(!scalars.contains { $0 != "\n" && $0.properties.generalCategory == .control })
    #expect(!scalars.contains("\u{202E}"))
    #expect(ending.text.contains("Ana 2026"))
  }

  @Test func aFilmIsNamed() async throws {
    let film = [0, 0, 0, 20] + Array("ftypqt  \0\0\0\0qt  ".utf8)
    let ending = try await program.run(["inspect", "-"], input: film)
    expectRefusal(ending, code: 1, says: "it looks like a QuickTime video")
  }

  @Test func metadataOfADownloadIsPrinted() async throws {
    let photo = try Self.photo()
    let origin = try Origin { _ in Response(200, body: photo) }
    defer { origin.stop() }
    let facts = try await program.run("inspect", origin.baseURL + "/photo", "--json").json()
    #expect((facts["exif"] as? [String: Any])?["make"] as? String == "ACME")
  }

  @Test(arguments: ["png", "jpg", "webp"], ["get", "decode"])
  func metadataIsKeptOnDemand(format: String, command: String) async throws {
    try program.write(Self.photo(), to: "photo.jpg")
    for (choice, make, right) in [
      ("keep", "ACME", "Ana 2026"), ("copyright", nil, "Ana 2026"), ("none", nil, nil),
    ] as [(String, String?, String?)] {
      let name = "\(choice).\(format)"
      let words = [command, "photo.jpg", "-o", name, "--metadata", choice, "--style", "fit:20x20"]
      let ending = try await program.run(words)
      #expect(ending.code == 0, "\(ending.errors)")
      let file = try program.read(name)
      let facts = ImageMetadata(of: file).exifFacts
      #expect(facts?.make == make)
      #expect(facts?.copyright == right)
      #expect(try header(of: file).orientation == .up)
    }
    let plain = try await program.run(command, "photo.jpg", "--format", "png")
    let read = ImageMetadata(of: plain.output)
    #expect(read.isEmpty)
  }

  @Test(arguments: [["--strip"], ["--strip", "--metadata=none"]])
  func strippedPicturesHaveNoMetadata(words: [String]) async throws {
    try program.write(Self.photo(), to: "photo.jpg")
    let ending = try await program.run(["get", "photo.jpg", "-o", "a.png"] + words)
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(ImageMetadata(of: try program.read("a.png")).isEmpty)
  }

  @Test func metadataOfADownloadIsKept() async throws {
    let photo = try Self.photo()
    let origin = try Origin { _ in Response(200, body: photo) }
    defer { origin.stop() }
    let url = origin.baseURL + "/photo"
    for words in [[], ["--refresh"], ["--no-cache"], ["--offline"]] {
      let ending = try await program.run(["get", url, "-o", "a.png", "--metadata=keep"] + words)
      #expect(ending.code == 0, "\(ending.errors)")
      let metadata = ImageMetadata(of: try program.read("a.png"))
      #expect(metadata.exifFacts?.make == "ACME")
    }
  }
}
