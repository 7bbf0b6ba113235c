import Glibc
import Ikran
import IkranPixels
import IkranStores
import Support
import Testing

@Suite("ikran filters and --filter", .serialized, .timeLimit(.minutes(10)))
struct FilterTests {
  private let program: Program

  init() throws {
    program = try Program()
    try program.write(Fixture.png.bytes(), to: "in.png")
  }

  private func pixels(_ words: [String]) async throws -> [UInt8] {
    let ending = try await program.run(words)
    #expect(ending.code == 0, "\(ending.errors)")
    return ending.output
  }

  private func picture() throws -> Bitmap { try decoded("in.png") }

  private func decoded(_ name: String) throws -> Bitmap {
    let bytes = try program.read(name)
    return try CodecList.standard.decode(bytes.span).bitmap
  }

  @Test func filtersRunInTheirOrder() async throws {
    let words = ["decode", "in.png", "--format", "rgba", "--style", "rect:16x16"]
    let first = try await pixels(words + ["--filter", "gamma:0.5", "--filter", "contrast:1.5"])
    let second = try await pixels(words + ["--filter", "contrast:1.5", "--filter", "gamma:0.5"])
    #expect(first != second)
    let picture = try picture()
    let expected = try picture.styled(.rectangle(width: 16, height: 16))
      .filtered([.gamma(0.5), .contrast(1.5)])
    #expect(try first == expected.straightRGBA())
  }

  @Test func getAndDecodeGiveTheSamePixels() async throws {
    let words = ["in.png", "--style", "circle:16", "--filter", "sepia", "--format", "rgba"]
    #expect(try await pixels(["get"] + words + ["--no-cache"]) == pixels(["decode"] + words))
  }

  @Test func theCacheTellsFiltersApart() async throws {
    let words = ["get", "in.png", "--style", "circle:16", "--format", "rgba", "--cache", "c"]
    let plain = try await pixels(words)
    let gray = try await pixels(words + ["--filter", "grayed"])
    #expect(plain != gray)
    #expect(try await pixels(words) == plain)
    #expect(try await pixels(words + ["--filter", "grayed:method=luminosity"]) == gray)
  }

  @Test func aPictureIsBlendedFromItsPath() async throws {
    let words = ["decode", "in.png", "--format", "rgba"]
    let doubled = try await pixels(words + ["--filter", "blend:multiply,image=in.png"])
    let picture = try picture()
    #expect(try doubled == picture.filtered([.blend(.multiply, with: picture)]).straightRGBA())
  }

  @Test func aCubeIsReadFromItsPath() async throws {
    let corners = ["1 1 1", "0 1 1", "1 0 1", "0 0 1", "1 1 0", "0 1 0", "1 0 0", "0 0 0"]
    let text = "LUT_3D_SIZE 2\n" + corners.joined(separator: "\n") + "\n"
    try program.write(Array(text.utf8), to: "invert.cube")
    let words = ["decode", "in.png", "--format", "rgba", "--filter"]
    #expect(
      try await pixels(words + ["cube:invert.cube"]) == pixels(words + ["channels:invert"])
    )
  }

  @Test func aPathWithACommaIsInQuotes() async throws {
    try program.write(Fixture.png.bytes(), to: "a,b=c.png")
    let words = ["decode", "in.png", "--format", "rgba", "--filter"]
    let quoted = try await pixels(words + ["blend:multiply,image=\"a,b=c.png\",intensity=0.5"])
    #expect(
      try await quoted == pixels(words + ["blend:multiply,image=in.png,intensity=0.5"])
    )
  }

  @Test(arguments: [["decode", "in.png", "--format", "rgba"], ["show", "in.png"]])
  func anInterruptedFilterEndsAtOnce(words: [String]) async throws {
    // Minutes of work.
    let slow = ["--filter", "resize:width=3000,height=3000", "--filter", "bilateralBlur:radius=32"]
    let run = try program.start(words + slow)
    try await run.isBusy()
    run.send(SIGINT)
    expectRefusal(try await run.ending(), code: 130, says: "interrupted")
  }

  @Test(arguments: [
    ("sparkle", "sparkle"), ("blur:radius=wide", "radius=wide"), ("blur:4,5", "5"),
    ("blend:multiply", "image= is missing"), ("lookup:nowhere.png", "nowhere.png"),
    ("cube:in.png", "line"), ("lookup:in.png", "512 × 512"),
  ])
  func aWrongFilterIsWrongUsage(text: String, part: String) async throws {
    let ending = try await program.run("decode", "in.png", "--filter", text, "--format", "rgba")
    #expect(ending.code == 2)
    #expect(ending.errors.contains(part), "\(ending.errors)")
    #expect(ending.output.isEmpty)
  }

  /// Lists of *Filters*: a row for each filter, with its parameters, their ranges and defaults.
  @Test func theArticleHasEveryFilterAsItIs() throws {
    let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let article = try Files.read(
      "\(root)/Sources/Library/Ikran/Ikran.docc/Filters.md",
      maximumBytes: 1 << 20
    )
    let rows = String(decoding: article, as: UTF8.self).split(separator: "\n")
      .filter { $0.hasPrefix("| ") }
    for filter in FilterDescription.all {
      let row = try #require(
        rows.first {
          $0.hasPrefix("| ``Filter/\(filter.name)(") || $0.hasPrefix("| `\(filter.name)` |")
        },
        "\(filter.name)"
      )
      for parameter in filter.parameters {
        #expect(Self.describes(parameter, in: row), "\(filter.name), \(parameter.name)")
      }
      // Words in code are its parameters and their values.
      let known = filter.parameters.flatMap { [$0.name, $0.defaultValue ?? ""] + $0.choices }
      let column = row.replacing("``", with: "").split(separator: "|").last ?? ""
      for word in column.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      where word.offset % 2 == 1 && !word.element.contains("/") {
        #expect(known.contains(String(word.element)), "\(filter.name), \(word.element)")
      }
    }
    #expect(
      rows.count { $0.contains("ilter/") || $0.contains("`lookup512`") || $0.contains("`cube`") }
        == 75
    )
  }

  /// Whether a row has a parameter with its range and its default.
  private static func describes(_ parameter: FilterDescription.Parameter, in row: Substring) -> Bool
  {
    guard row.contains("`\(parameter.name)`") else { return false }
    let value = parameter.defaultValue.map(written) ?? "required"
    switch parameter.kind {
    case .number:
      guard let range = parameter.range, parameter.name != "corners" else { return true }
      return row.contains("\(written(range.lowerBound)) … \(written(range.upperBound)) (\(value))")
    case .color, .choice: return row.contains("(`\(parameter.defaultValue ?? "")`)")
    case .list:
      guard let range = parameter.range else { return false }
      return row.contains(
        "\(written(range.lowerBound)) … \(written(range.upperBound)) (the identity)"
      )
    case .picture, .table: return row.contains("required)")
    }
  }

  private static func written(_ number: Double) -> String {
    written(number == number.rounded() ? "\(Int(number))" : "\(number)")
  }

  /// A number as articles write it.
  private static func written(_ number: String) -> String {
    let digits = number.replacing("-", with: "−")
    guard let whole = Int(number), whole.magnitude > 999 else { return digits }
    let (thousands, rest) = whole.magnitude.quotientAndRemainder(dividingBy: 1000)
    return "\(whole < 0 ? "−" : "")\(thousands),\(String(rest + 1000).dropFirst())"
  }

  @Test func everyFilterIsListed() async throws {
    let text = try await program.run("filters").text
    let json = try await program.run("filters", "--json").text
    for filter in FilterDescription.all {
      #expect(text.hasPrefix(filter.name) || text.contains("\n\(filter.name) "))
      #expect(json.contains("\"name\":\"\(filter.name)\""))
    }
    #expect(FilterDescription.all.count == 75)
  }

  @Test func theSheetHasACellForEachFilter() async throws {
    let ending = try await program.run("filters", "--sheet", "in.png", "-o", "sheet.png")
    #expect(ending.code == 0, "\(ending.errors)")
    let sheet = try decoded("sheet.png")
    #expect(sheet.size == PixelSize(width: 1452, height: 1732))
  }

  @Test func everyExampleShowsWhatItsFilterDoes() throws {
    let picture = try TestImages.gradient(width: 168, height: 126)
    for example in FilterDescription.all.compactMap(\.example) {
      // The gradient has none of the green that one takes out by default, and is its own median.
      if ["chromaKey", "median"].contains(example) { continue }
      let filtered = try picture.filtered([Filter(parsing: example)])
      #expect(try filtered.straightRGBA() != picture.straightRGBA(), "\(example)")
    }
  }

  @Test(arguments: [
    ["filters", "-o", "x.png"], ["filters", "--sheet", "in.png"],
    ["filters", "--json", "--sheet", "in.png", "-o", "x.png"],
  ])
  func optionsThatMakeNoSenseAreRefused(words: [String]) async throws {
    #expect(try await program.run(words).code == 2)
  }
}
