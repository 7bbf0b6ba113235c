import Ikran
import IkranCodecs
import Support
import Testing

/// Pixels that `decode` and `get` write as they are, and how much of others is kept.
@Suite("Stored pixels", .serialized, .timeLimit(.minutes(10)))
struct StoredPixelTests {
  private let program: Program

  init() throws { program = try Program() }

  /// One colour that a premultiplied pixel of so low an alpha cannot have.
  private static let color: [UInt8] = [250, 3, 100, 3]

  /// A PNG file of 3 × 2 such pixels in stored blocks.
  private static func flat() -> [UInt8] {
    let row: [UInt8] = [0] + color + color + color
    let rows: [UInt8] = row + row
    return PNGSample.signature
      + PNGSample.chunk("IHDR", PNGSample.word(3) + PNGSample.word(2) + [8, 6, 0, 0, 0])
      + PNGSample.chunk("IDAT", PNGSample.stored(rows)) + PNGSample.chunk("IEND", [])
  }

  /// Black and white columns, one pixel wide.
  private static func stripes(_ width: Int, _ height: Int) throws -> Bitmap {
    var canvas = try Canvas(size: PixelSize(width: width, height: height), format: .bgrx)
    let bytesPerRow = canvas.bytesPerRow
    canvas.withMutableBytes { bytes in
      for y in 0..<height {
        for x in stride(from: 1, to: width, by: 2) {
          for channel in 0..<3 { bytes[y * bytesPerRow + x * 4 + channel] = 255 }
        }
      }
    }
    return canvas.finish()
  }

  @Test(arguments: ["decode", "get"])
  func translucentColoursStayAsTheyAre(_ command: String) async throws {
    try program.write(Self.flat(), to: "in.png")
    let words = [command, "in.png"] + (command == "get" ? ["--no-cache"] : [])
    let pixels = (0..<6).flatMap { _ in Self.color }
    #expect(try await program.run(words + ["--format", "rgba"]).output == pixels)
    for (name, more) in [("out.png", []), ("out.webp", ["--lossless"])] {
      let ending = try await program.run(words + ["-o", name] + more)
      #expect(ending.code == 0, "\(ending.errors)")
      let decoded = try await program.run("decode", name, "--format", "rgba")
      #expect(decoded.output == pixels, "\(name)")
    }
    if command == "get" {
      _ = try await program.run(words + ["--json", "-o", "facts.rgba"]).json()
      #expect(try program.read("facts.rgba") == pixels)
    }
    let region = words + ["--region", "1,0,1,2", "--format", "rgba"]
    #expect(try await program.run(region).output == Self.color + Self.color)
    // What is filtered is drawn.
    let drawn = try await program.run(words + ["--filter", "flip", "--format", "rgba"])
    #expect(drawn.output.count == 24 && drawn.output != pixels)
  }

  @Test func theFramesOfAStillKeepThem() async throws {
    try program.write(Self.flat(), to: "in.png")
    let ending = try await program.run("frames", "in.png", "-o", "out", "--format", "rgba")
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(try program.read("out/0000.rgba") == (0..<6).flatMap { _ in Self.color })
  }

  @Test(arguments: ["decode", "get"], ["rect:32x32", "fill:32x32"])
  func aCropWithAnOddRestIsNotBlurred(_ command: String, _ style: String) async throws {
    for (width, height) in [(33, 32), (37, 32)] {
      try program.write(Self.stripes(width, height).encoded(as: .png), to: "in.png")
      let ending = try await program.run(command, "in.png", "--style", style, "--format", "rgba")
      let colors = Set(stride(from: 0, to: ending.output.count, by: 4).map { ending.output[$0] })
      #expect(colors == [0, 255], "\(ending.errors)")
    }
  }

  @Test func aFitMayKeepSmallPictures() async throws {
    try program.write(Fixture.png.bytes(), to: "in.png")
    for (style, width, height) in [
      ("fit:800x800,shrink", 40, 30), ("fit:20x,shrink", 20, 15), ("fit:80x", 80, 60),
      ("fit:x15", 20, 15), ("fit:x300,shrink", 40, 30),
    ] {
      let words = ["get", "in.png", "--style", style, "--no-cache", "--json", "-o", "out.png"]
      let facts = try await program.run(words).json()
      #expect(facts["width"] as? Int == width && facts["height"] as? Int == height, "\(style)")
    }
  }

  @Test func aSheetNeedsBothSides() async throws {
    let ending = try await program.run("sheet", "-", "--style", "fit:80x", "-o", "out.png")
    expectRefusal(ending, code: 2, says: "a sheet needs a style with a size")
  }

  @Test(arguments: ["decode", "get"])
  func oneCellOfASpriteMayBeResizedAlone(_ command: String) async throws {
    var canvas = try Canvas(size: PixelSize(width: 64, height: 16), format: .bgrx)
    let bytesPerRow = canvas.bytesPerRow
    canvas.withMutableBytes { bytes in
      for y in 0..<16 {
        for x in 0..<64 { bytes[y * bytesPerRow + x * 4 + x / 16 % 3] = 255 }
      }
    }
    try program.write(canvas.finish().encoded(as: .png), to: "in.png")
    let words = [command, "in.png", "--region", "16,0,16,16", "--size", "8x8", "--format", "rgba"]
    let green: [UInt8] = [0, 255, 0, 255]
    let alone = try await program.run(words + ["--isolated"])
    #expect(alone.output == (0..<64).flatMap { _ in green }, "\(alone.errors)")
    #expect(try await program.run(words).output != alone.output)
    let ending = try await program.run(command, "in.png", "--isolated", "--format", "rgba")
    expectRefusal(ending, code: 2, says: "--isolated needs --region and --size")
  }

  // MARK: - Quality

  @Test(arguments: ["decode", "get"], ["jpeg", "webp"])
  func theQualityOfLossyFormatsIsChosen(_ command: String, _ format: String) async throws {
    try program.write(Fixtures.bytes("areas-420.jpg"), to: "in.jpg")
    let words = [command, "in.jpg", "--format", format]
    var sizes: [Int] = []
    for quality in ["1", "50", "100"] {
      let ending = try await program.run(words + ["--quality", quality])
      #expect(ending.code == 0, "\(ending.errors)")
      sizes.append(ending.output.count)
    }
    #expect(sizes == sizes.sorted() && sizes[0] < sizes[2], "\(sizes)")
    let usual = try await program.run(words)
    let named = try await program.run(words + ["--quality", format == "jpeg" ? "85" : "80"])
    #expect(usual.output == named.output)
  }

  @Test(arguments: ["decode", "get"])
  func losslessLosesNothing(_ command: String) async throws {
    try program.write(Fixture.png.bytes(), to: "in.png")
    let pixels = try await program.run("decode", "in.png", "--format", "rgba").output
    for format in ["webp", "png", "rgba"] {
      let words = [command, "in.png", "--lossless", "--format", format, "-o", "out.\(format)"]
      let ending = try await program.run(words)
      #expect(ending.code == 0, "\(ending.errors)")
      guard format != "rgba" else { continue }
      let written = try await program.run("decode", "out.\(format)", "--format", "rgba")
      #expect(written.output == pixels, "\(format)")
    }
  }

  @Test(arguments: [
    (["--quality", "0", "--format", "jpeg"], "from 1 to 100"),
    (["--quality", "101", "--format", "webp"], "from 1 to 100"),
    (["--quality", "high", "--format", "webp"], "from 1 to 100"),
    (["--quality", "50"], "--quality: png has none"),
    (["--quality", "50", "-o", "x.gif"], "--quality: gif has none"),
    (["--quality", "50", "--format", "rgba"], "--quality: rgba has none"),
    (["--lossless", "-o", "x.jpg"], "--lossless: jpeg always loses some"),
    (["--lossless", "--format", "gif"], "--lossless: gif always loses some"),
    (["--lossless", "--quality", "50", "--format", "webp"], "exclude each other"),
  ])
  func aChoiceThatTheFormatDoesNotHaveIsRefused(_ words: [String], _ says: String) async throws {
    try program.write(Fixture.png.bytes(), to: "in.png")
    for command in ["decode", "get"] {
      expectRefusal(try await program.run([command, "in.png"] + words), code: 2, says: says)
    }
    #expect(try program.names() == ["in.png"])
  }
}
