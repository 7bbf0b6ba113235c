import Ikran
import Support
import Testing

/// A file of each format in each command.
@Suite("Every format in a shell", .serialized, .timeLimit(.minutes(10)))
struct EveryFormatTests {
  private let program: Program

  init() throws { program = try Program() }

  /// A file, the size of what it shows, and the format that its name does not matter for.
  struct Sample: Sendable, CustomStringConvertible {
    let file: String
    let format: ImageFormat
    var size = PixelSize(width: 48, height: 32)

    init(_ file: String, _ format: ImageFormat, _ width: Int = 48, _ height: Int = 32) {
      (self.file, self.format) = (file, format)
      size = PixelSize(width: width, height: height)
    }

    var description: String { file }
  }

  private static let formats = CodecList.standard.codecs.map(\.format)

  /// Of each format that this build reads.
  static let samples = [
    Sample("areas-420.jpg", .jpeg), Sample("areas-progressive.jpg", .jpeg),
    Sample("gradient-8b-rgba.png", .png, 9, 7), Sample("areas-lossy.webp", .webp),
    Sample("indexed.gif", .gif, 13, 11), Sample("areas-24b.bmp", .bmp),
    Sample("areas.ico", .ico, 32, 32), Sample("areas.qoi", .qoi), Sample("areas.ppm", .pnm),
    Sample("soft-lossless-alpha.pam", .pnm, 20, 14), Sample("areas.dng", .dng),
    Sample("areas.cr2", .cr2), Sample("areas.nef", .nef), Sample("areas.arw", .arw),
    Sample("areas.raf", .raf), Sample("areas.cur", .cur, 32, 32), Sample("areas.heif", .heif),
    Sample("areas-lossless.avif", .avif), Sample("areas-grid.avif", .avif, 192, 128),
    Sample("areas-420.heic", .heic), Sample("collection.heic", .heic, 128, 64),
    Sample("areas-lossless.jxl", .jpegXL), Sample("areas.svg", .svg), Sample("areas.svgz", .svg),
    Sample("areas-lzw.tif", .tiff), Sample("pages.tif", .tiff),
    Sample("animation-3-frames.avif", .avif), Sample("animation-3-frames.jxl", .jpegXL, 9, 7),
  ].filter { formats.contains($0.format) }

  @Test func everyFormatHasASample() {
    #expect(Set(Self.samples.map(\.format)) == Set(Self.formats))
  }

  @Test(arguments: samples)
  func aFileIsInspected(_ sample: Sample) async throws {
    let bytes = try Fixtures.bytes(sample.file)
    let ending = try await program.run(["inspect", "-", "--json"], input: bytes)
    #expect(ending.code == 0, "\(ending.errors)")
    let facts = try ending.json()
    #expect(facts["format"] as? String == sample.format.rawValue)
    let header = try header(of: bytes)
    #expect(facts["width"] as? Int == header.size.width)
    #expect(facts["height"] as? Int == header.size.height)
    #expect(header.uprightSize == sample.size)
  }

  @Test(arguments: samples)
  func aFileIsDecoded(_ sample: Sample) async throws {
    let bytes = try Fixtures.bytes(sample.file)
    // Its name says nothing.
    try program.write(bytes, to: "file")
    let ending = try await program.run("decode", "file", "-o", "picture.png")
    #expect(ending.code == 0, "\(ending.errors)")
    let picture = try decoded(program.read("picture.png"))
    #expect(picture.size == sample.size)
    let wanted = try decoded(bytes)
    #expect(try picture.straightRGBA() == wanted.straightRGBA())
  }

  @Test(arguments: samples)
  func aFileComesThroughThePipeline(_ sample: Sample) async throws {
    try program.write(Fixtures.bytes(sample.file), to: "file")
    let address = "file://" + program.path("file")
    let ending = try await program.run("get", address, "--style", "rect:10x8", "-o", "small.png")
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(try decoded(program.read("small.png")).size == PixelSize(width: 10, height: 8))
  }

  @Test(arguments: samples)
  func itsFramesAreListed(_ sample: Sample) async throws {
    let bytes = try Fixtures.bytes(sample.file)
    let ending = try await program.run(["frames", "-", "--json"], input: bytes)
    #expect(ending.code == 0, "\(ending.errors)")
    let facts = try ending.json()
    #expect((facts["frames"] as? [Any])?.count == max(1, try header(of: bytes).frames))
  }

  @Test(arguments: samples)
  func aFileIsShown(_ sample: Sample) async throws {
    try program.write(Fixtures.bytes(sample.file), to: "file")
    let ending = try await program.run("show", "file")
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(ending.text.count > 16)
  }

  @Test func aDecoderThatIsMissingIsNamed() async throws {
    guard Self.formats.contains(.svg) else { return }
    try program.write(Fixtures.bytes("areas.svg"), to: "file")
    let line = "IKRAN_DECODER=/nowhere '\(try Program.executable())' decode file -o picture.png"
    let ending = try await program.runShell(line)
    #expect(ending.code == 1)
    let sentence = "ikran-decoder is not in /nowhere; install it, or set IKRAN_DECODER to its path"
    #expect(ending.errors.contains(sentence), "\(ending.errors)")
  }
}
