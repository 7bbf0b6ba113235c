import Ikran
import Support
import Testing

/// A format that is written by a library which a build may do without.
enum NewFormat: String, CaseIterable, Sendable {
  case avif, jxl

  /// Those that this build reads and writes.
  static let here = allCases.filter(\.isHere)
  /// Those that it does not.
  static let missing = allCases.filter { !$0.isHere }

  var format: ImageFormat { self == .avif ? .avif : .jpegXL }
  var isHere: Bool { CodecList.standard.codecs.contains { $0.format == format } }

  /// Whether a file begins as files of the format do.
  func begins(_ file: [UInt8]) -> Bool {
    switch self {
    case .avif: Array(file.dropFirst(4).prefix(8)) == Array("ftypavif".utf8)
    case .jxl: Array(file.prefix(2)) == [0xFF, 0x0A]
    }
  }
}

@Suite("AVIF and JPEG XL written in a shell", .serialized, .timeLimit(.minutes(10)))
struct NewFormatOutputTests {
  private static let commands = ["decode", "get"]

  private let program: Program
  /// What `in.jpg` shows.
  private let picture: Bitmap

  init() throws {
    program = try Program()
    let file = try Fixtures.bytes("areas-420.jpg")
    try program.write(file, to: "in.jpg")
    picture = try decoded(file)
  }

  /// A command that reads a file, past the cache.
  private func reading(_ command: String, _ name: String = "in.jpg") -> [String] {
    [command, name] + (command == "decode" ? [] : ["--no-cache"])
  }

  /// The file that a command writes to `name`, saying nothing.
  private func written(_ words: [String], to name: String) async throws -> [UInt8] {
    let ending = try await program.run(words + ["-o", name])
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(ending.output.isEmpty && ending.errors.isEmpty, "\(ending.errors)")
    return try program.read(name)
  }

  // MARK: - One picture

  @Test(arguments: commands, NewFormat.here)
  func theFileNameDecidesTheFormat(command: String, format: NewFormat) async throws {
    for name in ["out.\(format)", "OUT.\(format.rawValue.uppercased())"] {
      let file = try await written(reading(command), to: name)
      #expect(format.begins(file), "\(file.prefix(16))")
      #expect(ImageFormat(of: file) == format.format)
      let info = try header(of: file)
      #expect(info.format == format.format)
      #expect(info.size == picture.size)
      #expect(!info.hasAlpha && !info.isAnimated)
    }
  }

  @Test(arguments: commands, NewFormat.here)
  func aChosenFormatOverridesTheFileName(command: String, format: NewFormat) async throws {
    let words = reading(command) + ["--format", format.rawValue]
    let file = try await written(words, to: "out.png")
    #expect(format.begins(file), "\(file.prefix(16))")
    #expect(try await program.run(words).output == file)
  }

  @Test(arguments: commands, NewFormat.here)
  func pixelsAreNearThoseOfTheSource(command: String, format: NewFormat) async throws {
    let file = try await written(reading(command), to: "out.\(format)")
    let difference = try Difference(decoded(file), picture)
    #expect(difference.mean < 6, "\(difference)")
    #expect(difference.alpha == 0)
  }

  @Test(arguments: commands, NewFormat.here)
  func losslessKeepsEveryPixel(command: String, format: NewFormat) async throws {
    for name in ["areas-420.jpg", "areas-orientation-6.jpg", "areas.ppm", "gradient-8b-gray.png"] {
      let source = try Fixtures.bytes(name)
      try program.write(source, to: name)
      let file = try await written(reading(command, name) + ["--lossless"], to: "out.\(format)")
      #expect(format.begins(file), "\(name)")
      let (again, wanted) = (try decoded(file), try decoded(source))
      #expect(again.size == wanted.size, "\(name)")
      #expect(try again.straightRGBA() == wanted.straightRGBA(), "\(name)")
    }
  }

  @Test(arguments: commands, NewFormat.here)
  func losslessKeepsTheAlpha(command: String, format: NewFormat) async throws {
    let source = try Fixtures.bytes("soft-lossless-alpha.webp")
    try program.write(source, to: "soft.webp")
    let words = reading(command, "soft.webp") + ["--lossless"]
    let file = try await written(words, to: "out.\(format)")
    let difference = try Difference(decoded(file), decoded(source))
    #expect(difference.alpha == 0)
    #expect(difference.largest <= 1, "\(difference)")
  }

  @Test(arguments: commands, NewFormat.here)
  func whatIsDrawnIsThatOfPNG(command: String, format: NewFormat) async throws {
    let drawing = ["--style", "circle:24", "--filter", "sepia", "--lossless"]
    let png = try await written(reading(command) + drawing, to: "out.png")
    let file = try await written(reading(command) + drawing, to: "out.\(format)")
    #expect(try header(of: file).size == PixelSize(width: 24, height: 24))
    let difference = try Difference(decoded(file), decoded(png))
    #expect(difference.alpha == 0)
    #expect(difference.largest <= 1, "\(difference)")
  }

  @Test(arguments: NewFormat.here)
  func withFactsItIsTheSameFile(format: NewFormat) async throws {
    let words = reading("get") + ["--style", "rect:20x10"]
    let file = try await written(words, to: "out.\(format)")
    let facts = try await program.run(words + ["--json", "-o", "facts.\(format)"]).json()
    #expect(facts["width"] as? Int == 20 && facts["height"] as? Int == 10)
    #expect(try program.read("facts.\(format)") == file)
  }

  // MARK: - Quality

  @Test(arguments: commands, NewFormat.here)
  func aLowerQualityIsASmallerAndLessExactFile(
    command: String,
    format: NewFormat
  ) async throws {
    var sizes: [Int] = []
    var differences: [Double] = []
    for quality in ["1", "50", "100"] {
      let words = reading(command) + ["--quality", quality]
      let file = try await written(words, to: "out.\(format)")
      #expect(format.begins(file))
      sizes.append(file.count)
      differences.append(try Difference(decoded(file), picture).mean)
    }
    #expect(sizes[0] < sizes[1] && sizes[1] < sizes[2], "\(sizes)")
    #expect(differences[0] > differences[1] && differences[1] > differences[2], "\(differences)")
  }

  @Test(arguments: commands, NewFormat.here)
  func withoutAQualityItIsThatOfTheHelp(command: String, format: NewFormat) async throws {
    let words = reading(command)
    let quality = format == .avif ? "65" : "85"
    let usual = try await written(words, to: "usual.\(format)")
    #expect(try await written(words + ["--quality", quality], to: "named.\(format)") == usual)
  }

  @Test(
    .enabled(if: NewFormat.avif.isHere, "this build has no AVIF"),
    arguments: commands
  )
  func losslessAVIFIsThatOfTheHighestQuality(command: String) async throws {
    let lossless = try await written(reading(command) + ["--lossless"], to: "lossless.avif")
    let highest = try await written(reading(command) + ["--quality", "100"], to: "highest.avif")
    #expect(lossless == highest)
  }

  @Test(
    .enabled(if: NewFormat.jxl.isHere, "this build has no JPEG XL"),
    arguments: commands
  )
  func losslessJPEGXLIsMoreThanTheHighestQuality(command: String) async throws {
    let lossless = try await written(reading(command) + ["--lossless"], to: "lossless.jxl")
    let highest = try await written(reading(command) + ["--quality", "100"], to: "highest.jxl")
    #expect(lossless != highest)
    #expect(try Difference(decoded(lossless), picture).mean == 0)
  }

  // MARK: - Animations

  @Test(.enabled(if: NewFormat.jxl.isHere, "this build has no JPEG XL"))
  func anAnimationMovesAsJPEGXL() async throws {
    let source = try Fixtures.bytes("animation-3-frames.webp")
    try program.write(source, to: "in.webp")
    let file = try await written(reading("get", "in.webp") + ["--lossless"], to: "out.jxl")
    let frames = try #require(try CodecList.standard.frames(of: file))
    let wanted = try #require(try CodecList.standard.frames(of: source))
    #expect(frames.info.frames.map(\.duration) == [40, 80, 120])
    #expect(frames.info.size == wanted.info.size)
    #expect(frames.info.plays == wanted.info.plays)
    #expect(try Difference(decoded(file), decoded(source)).largest <= 1)
  }

  @Test(
    .enabled(if: NewFormat.avif.isHere, "this build has no AVIF"),
    arguments: commands
  )
  func anAnimationIsItsFirstFrameAsAVIF(command: String) async throws {
    let source = try Fixtures.bytes("animation-3-frames.webp")
    try program.write(source, to: "in.webp")
    let file = try await written(reading(command, "in.webp") + ["--lossless"], to: "out.avif")
    #expect(try CodecList.standard.frames(of: file)?.info.frames.count == nil)
    #expect(try Difference(decoded(file), decoded(source)).largest <= 1)
  }

  // MARK: - Sheets

  /// The words of a sheet of some pictures.
  private func sheet(of names: [String]) throws -> [String] {
    try program.write(Array(names.joined(separator: "\n").utf8), to: "list.txt")
    return ["sheet", "list.txt", "--style", "rect:24x16", "--no-cache"]
  }

  @Test(arguments: NewFormat.here)
  func aSheetIsNearThatOfPNG(format: NewFormat) async throws {
    try program.write(Fixtures.bytes("areas-lossless.webp"), to: "in.webp")
    let words = try sheet(of: ["in.jpg", "in.webp", "in.jpg"])
    let file = try await written(words, to: "sheet.\(format)")
    #expect(format.begins(file), "\(file.prefix(16))")
    #expect(try header(of: file).size == PixelSize(width: 72, height: 56))
    let png = try await written(words, to: "sheet.png")
    let difference = try Difference(decoded(file), decoded(png))
    #expect(difference.mean < 8, "\(difference)")
    #expect(difference.alpha == 0)
  }

  @Test(arguments: NewFormat.here)
  func aSheetMovesAsJPEGXLOnly(format: NewFormat) async throws {
    try program.write(Fixtures.bytes("animation-3-frames.webp"), to: "in.webp")
    let file = try await written(sheet(of: ["in.jpg", "in.webp"]), to: "sheet.\(format)")
    #expect(try header(of: file).size == PixelSize(width: 72, height: 32))
    let source = try CodecList.standard.frames(of: file)
    #expect(source?.info.frames.map(\.duration) == (format == .jxl ? [40, 80, 120] : nil))
    #expect(source?.info.plays == nil)
  }

  @Test(arguments: [["--format", "avif"], ["--quality", "50"], ["--lossless"]])
  func aSheetHasNoChoiceButItsFileName(words: [String]) async throws {
    let ending = try await program.run(sheet(of: ["in.jpg"]) + words + ["-o", "sheet.jxl"])
    expectRefusal(ending, code: 2, says: "there is no option \(words[0])")
    #expect(!program.exists("sheet.jxl"))
  }

  // MARK: - What is refused

  private static let list = "png, jpeg, webp, gif, avif, jxl, rgba"

  @Test(arguments: commands, ["heic", "jpegxl", "AVIF", "avifs", ""])
  func anUnknownFormatIsWrongUsage(command: String, format: String) async throws {
    let ending = try await program.run(reading(command) + ["--format", format, "-o", "out.avif"])
    expectRefusal(ending, code: 2, says: "--format: “\(format)” is not one of \(Self.list)")
    #expect(try program.names() == ["in.jpg"])
  }

  @Test(arguments: commands + ["sheet"], ["out.heic", "out.jpegxl", "out.avifs"])
  func anUnknownEndingIsWrongUsage(command: String, name: String) async throws {
    let ending = try await program.run(reading(command) + ["-o", name])
    expectRefusal(ending, code: 2, says: "“\(name)”: only .png, .jpg, .jpeg, .webp")
    #expect(try program.names() == ["in.jpg"])
  }

  @Test(arguments: [
    (["--quality", "0", "-o", "out.avif"], "--quality: “0” is not a whole number from 1 to 100"),
    (["--quality", "101", "-o", "out.jxl"], "--quality: “101” is not a whole number"),
    (["--quality", "fine", "--format", "avif"], "--quality: “fine” is not a whole number"),
    (["--quality", "50", "--lossless", "--format", "jxl"], "exclude each other"),
  ])
  func anImpossibleQualityIsWrongUsage(words: [String], says: String) async throws {
    for command in Self.commands {
      expectRefusal(try await program.run(reading(command) + words), code: 2, says: says)
    }
    #expect(try program.names() == ["in.jpg"])
  }

  #if !(AVIF && JXL)
  @Test(arguments: commands, NewFormat.missing)
  func aBuildWithoutTheLibrarySaysSo(command: String, format: NewFormat) async throws {
    let ending = try await program.run(reading(command) + ["-o", "out.\(format)"])
    expectRefusal(ending, code: 1, says: "this build does not write")
    #expect(!program.exists("out.\(format)"))
  }
  #endif
}

/// How far two pictures of one size are apart.
private struct Difference {
  /// The largest of alpha.
  private(set) var alpha = 0
  /// The largest of a colour as far as it is opaque.
  private(set) var largest = 0.0
  /// The mean of all colours.
  private(set) var mean = 0.0

  init(_ first: Bitmap, _ second: Bitmap) throws {
    let (ours, theirs) = (try first.straightRGBA(), try second.straightRGBA())
    try #require(first.size == second.size)
    for index in ours.indices {
      guard index % 4 < 3 else {
        alpha = max(alpha, abs(Int(ours[index]) - Int(theirs[index])))
        continue
      }
      let alphas = (Double(ours[index | 3]) / 255, Double(theirs[index | 3]) / 255)
      let color = abs(Double(ours[index]) * alphas.0 - Double(theirs[index]) * alphas.1)
      largest = max(largest, color)
      mean += color
    }
    mean /= Double(ours.count) * 0.75
  }
}
