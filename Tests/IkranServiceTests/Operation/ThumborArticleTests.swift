import IkranServer
import IkranSystem
import TestBasics
import Testing

@testable import IkranService

/// What the article for users of thumbor says, asked of a service.
@Suite("Coming from thumbor", .timeLimit(.minutes(5)))
struct ThumborArticleTests {
  private static let articles =
    "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    + "/Sources/Library/Ikran/Ikran.docc/"

  private static func text(_ article: String) throws -> String {
    let bytes = try Files.read("\(articles)\(article).md", maximumBytes: 1 << 20)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// What is between backticks in the second column of the tables.
  private static func options() throws -> [String] {
    try text("ComingFromThumbor").split(separator: "\n").prefix { $0 != "### Settings" }
      .filter { $0.hasPrefix("|") }
      .flatMap { row -> [String] in
        let columns = row.split(separator: "|")
        guard columns.count > 1 else { return [] }
        let pieces = columns[1].split(separator: "`", omittingEmptySubsequences: false)
        return pieces.indices.filter { $0 % 2 == 1 }.map { String(pieces[$0]) }
      }
      .filter { option in
        let name = option.prefix { $0 != ":" }
        return name.count < option.count && name.allSatisfy { $0.isLowercase }
      }
  }

  private func service() async throws -> TestService {
    try await TestService([
      "WATERMARK_DATA": Base64.standard.encoded(Sources.picture), "ALLOW_SECURITY_OPTIONS": "1",
    ])
  }

  @Test func eachOptionIsTaken() async throws {
    let options = try Self.options()
    #expect(options.count > 30)
    let test = try await service()
    for option in options {
      let reply = try await test.get(test.path("/red.png", option + "/"))
      #expect(reply.status == 200 && reply.picture != nil, "\(option): \(reply.text)")
    }
  }

  @Test func eachURLIsServed() async throws {
    let lines = try Self.text("ComingFromThumbor").split(separator: "\n")
      .filter { $0.hasPrefix("/_/") }.map(String.init)
    #expect(lines.count == 4)
    let test = try await service()
    let encoded = Base64.url.encoded(Array("https://example.org/photo.jpg".utf8))
    let own = "\(test.origin.baseURL)/photo.jpg"
    for line in lines {
      let path = line.replacing("https://example.org/photo.jpg", with: own)
        .replacing(encoded, with: Base64.url.encoded(Array(own.utf8)))
      #expect(path != line)
      let reply = try await test.get(path)
      #expect(reply.status == 200 && reply.picture != nil, "\(line): \(reply.text)")
    }
  }

  @Test(arguments: [
    ("rs:fill:300:200:1", "png 300x200"), ("rs:fill:30:30", "png 30x30"),
    ("rs:fit:300:0:1", "png 300x200"), ("rs:fit:300:200", "png 60x40"),
    ("rs:fit:300:200:1", "png 300x200"), ("rs:fit:30:30", "png 30x20"),
    ("c:40:20:nowe:10:20", "png 40x20"), ("rs:force:300:200:1", "png 300x200"),
    ("rot:270", "png 40x60"), ("z:0.5", "png 30x20"), ("f:webp", "webp 60x40"),
    ("rs:fit:50:50/ex:1/bg:0000ff", "png 50x50"),
  ])
  func sizesAreThoseOfTheArticle(options: String, summary: String) async throws {
    let test = try await service()
    #expect(try await test.get(test.path("/red.png", options + "/")).summary == summary)
  }

  @Test(arguments: ["ComingFromThumbor", "ComingFromImgproxy", "ServingImages"])
  func eachSettingExists(article: String) throws {
    let text = try Self.text(article)
    let names = text.split { !$0.isUppercase && !$0.isNumber && $0 != "_" }
      .filter { $0.hasPrefix("IKRAN_") && !$0.hasSuffix("_") }.map { (String($0), "") }
    var reader = SettingsReader(Dictionary(names) { first, _ in first })
    _ = try ServiceSettings(&reader)
    #expect(reader.unknownNames == [])
  }
}
