import Foundation
import IkranStores
import Support
import Testing

/// The Swift snippets of the README and the articles compile unchanged.
@Suite("Snippets", .timeLimit(.minutes(10)))
struct SnippetTests {
  private static let isDebug: Bool = {
    #if DEBUG
    true
    #else
    false
    #endif
  }()

  private static let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

  /// A ```` ```swift ```` block.
  private struct Snippet {
    let name: String
    let lines: [Substring]

    /// Whether it shows pictures on widgets.
    var hasViews: Bool {
      lines.contains { $0.contains("ImageTarget(") || $0.contains("picture.setImage(") }
    }

    /// The snippet as a file: its imports, and a function around the rest.
    var file: String {
      let imports = lines.filter { $0.hasPrefix("import ") } + (hasViews ? ["import IkranGTK"] : [])
      let body = lines.filter { !$0.hasPrefix("import ") }
      return """
        import FoundationEssentials
        import Ikran
        \(imports.joined(separator: "\n"))
        \(hasViews ? "@MainActor " : "")private func snippet() async throws {
        \(body.joined(separator: "\n"))
        }

        """
    }
  }

  /// The blocks of a document, named by the document and their line.
  private static func snippets(in document: String) throws -> [Snippet] {
    let text = String(decoding: try Files.read(document, maximumBytes: 1 << 20), as: UTF8.self)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let title = document.split(separator: "/").last?.split(separator: ".").first ?? ""
    var snippets: [Snippet] = []
    var start: Int?
    for (number, line) in lines.enumerated() {
      if line == "```swift" {
        start = number + 1
      } else if line == "```", let first = start {
        let block = Array(lines[first..<number])
        snippets.append(Snippet(name: "\(title)-\(first + 1)", lines: block))
        start = nil
      }
    }
    return snippets
  }

  @Test(.enabled(if: isDebug, "one kind of build is enough to check types in"))
  func everySnippetOfTheReadmeAndTheArticlesCompiles() async throws {
    let articles = Self.root + "/Sources/Library/Ikran/Ikran.docc"
    // The snippets of these are compiled, and run, by tests of their own, or by Scripts/apple.
    let tested = [
      "APITour.md", "AnimatedImages.md", "GTKViews.md", "OnApplePlatforms.md", "TestingYourApp.md",
    ]
    let documents = try Files.list(articles).sorted().filter {
      $0.hasSuffix(".md") && !tested.contains($0)
    }
    let snippets = try (documents.map { articles + "/" + $0 } + [Self.root + "/README.md"])
      .flatMap { try Self.snippets(in: $0) }
    #expect(snippets.count >= 16)
    #expect(snippets.count { $0.hasViews } >= 4)

    let program = try Program()
    for snippet in snippets {
      try program.write(Array(snippet.file.utf8), to: snippet.name + ".swift")
    }
    try program.write(Array(context.utf8), to: "Context.swift")
    try program.write(Array(viewContext.utf8), to: "ViewContext.swift")
    let build = try Program.executable().split(separator: "/").dropLast().joined(separator: "/")
    // The search paths of the modules and of their C modules.
    let ending = try await program.runShell(
      """
      shopt -s nullglob
      maps=()
      for map in '\(Self.root)'/Sources/C/*/{,include/}module.modulemap \
        '/\(build)'/C*.build/module.modulemap
      do maps+=(-Xcc "-fmodule-map-file=$map"); done
      for flag in $(pkg-config --cflags-only-I pangocairo gtk4); do maps+=(-Xcc "$flag"); done
      swiftc -typecheck -parse-as-library -swift-version 6 -suppress-warnings \
        -module-cache-path '/\(build)/ModuleCache' -I '/\(build)/Modules' "${maps[@]}" *.swift
      """
    )
    #expect(ending.code == 0, "\(ending.errors)")
  }
}

/// Declarations that the snippets use.
private let context = """
  import FoundationEssentials
  import Ikran

  struct Member: ImageEntity {
    let id: String
    let avatarURL: URL?
    var entityID: TableID { TableID(id) }
    var sourceVersionID: TableID { TableID(id) }
    var sourceURL: URL? { avatarURL }
  }

  struct Database: Sendable {
    func avatar(_ id: String, _ style: String) async throws -> Bitmap? { nil }
  }

  struct Originals: Sendable {
    func original(_ id: String) async throws -> Data? { nil }
    func store(_ original: Data, _ styled: Bitmap, _ id: String, _ style: String) async throws {}
  }

  struct BundledImages: Transport {
    func fetch(
      _ request: TransportRequest,
      progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws(TransportError) -> TransportResponse { fatalError() }
  }

  struct FarbfeldCodec: Codec {
    let format = ImageFormat.png
    func recognizes(_ prefix: Span<UInt8>) -> Bool { false }
    func probe(_ bytes: Span<UInt8>) throws(DecodeError) -> ImageInfo { fatalError() }
    func decode(
      _ bytes: Span<UInt8>,
      fitting: Fitting,
      rules: DecodeRules,
      workspace: Workspace
    ) throws(DecodeError) -> DecodedPicture { fatalError() }
  }

  struct MemberAvatar: Avatar {
    let member: Member
    let style: Style
    var url: URL? { member.avatarURL }
    func localStyled() async throws -> Bitmap? { nil }
    func localOriginal() async throws -> Data? { nil }
    func save(original: Data, styled: Bitmap) async throws {}
  }

  struct Profile: Codable, Sendable {}
  struct Screen { func show(_ image: Bitmap) {} }
  let profile = Profile()
  let view = Screen()
  var animation: Animation { fatalError() }

  let pipeline = ImagePipeline.shared
  let folder = "/tmp/pictures"
  let database = Database()
  let files = Originals()
  let ana = Member(id: "ana", avatarURL: nil)
  let id = TableID("ana")
  let photoVersion = TableID("1")
  let small = TableFormat("small", size: PixelSize(width: 20, height: 20), family: "member")
  let large = TableFormat("large", size: PixelSize(width: 40, height: 30), family: "member")
  var url: URL { fatalError() }
  var request: ImageRequest { ImageRequest(url) }
  var photo: Bitmap { fatalError() }

  func show(_ image: Bitmap) {}
  func show(_ received: Int, of expected: Int?) {}
  func showInitials() {}
  func say(_ text: String) {}
  func inverted(_ image: Bitmap) throws -> Bitmap { image }

  """

/// Declarations that the snippets with widgets use.
private let viewContext = """
  import CGTK
  import Ikran

  @MainActor let picture: UnsafeMutablePointer<GtkWidget> = gtk_picture_new()
  let gray = Color(red: 128, green: 128, blue: 128)
  var broken: Bitmap { fatalError() }
  var keptHash: [UInt8] { fatalError() }

  """
