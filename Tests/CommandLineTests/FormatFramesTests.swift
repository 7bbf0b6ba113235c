import Ikran
import Support
import Testing

/// Animations of formats that are decoded in another process, in a shell.
@Suite("ikran frames of every animated format", .serialized, .timeLimit(.minutes(10)))
struct FormatFramesTests {
  private static let names = [
    "animation-3-frames.gif", "animation-3-frames.png", "animation-3-frames.webp",
    "animation-3-frames.avif", "animation-3-frames.jxl",
  ].filter { name in
    CodecList.standard.codecs.contains { name.hasSuffix(".\($0.format.rawValue)") }
  }

  private let program: Program

  init() throws { program = try Program() }

  /// The composed frames, as the library has them in this process.
  private func frames(of file: [UInt8]) throws -> [Bitmap] {
    let source = try #require(try CodecList.standard.frames(of: file))
    try #require(source.info.frames.count == 3)
    let composer = source.makeComposer()
    return try (0..<3).map { number in
      try composer.compose(number, from: nil, fitting: .original, workspace: Workspace())
    }
  }

  @Test(arguments: names)
  func theFramesThatAreWrittenAreThoseOfTheLibrary(_ name: String) async throws {
    let file = try Fixtures.bytes(name)
    // Its name says nothing.
    try program.write(file, to: "file")
    let pictures = try await program.run("frames", "file", "-o", "out")
    #expect(pictures.code == 0, "\(pictures.errors)")
    let pixels = try await program.run("frames", "file", "-o", "raw", "--format", "rgba")
    #expect(pixels.code == 0, "\(pixels.errors)")
    let wanted = try frames(of: file)
    for (number, frame) in wanted.enumerated() {
      let written = try decoded(program.read("out/000\(number).png"))
      #expect(written.size == frame.size)
      #expect(try written.straightRGBA() == frame.straightRGBA(), "frame \(number)")
      #expect(try program.read("raw/000\(number).rgba") == frame.straightRGBA())
    }
    #expect(try program.names(below: "out").count == 3)
  }

  @Test(arguments: names)
  func aFrameThatIsDecodedAloneIsTheSame(_ name: String) async throws {
    let file = try Fixtures.bytes(name)
    try program.write(file, to: "file")
    let wanted = try frames(of: file)
    // The last one first: nothing was composed before.
    for number in [2, 0, 1] {
      let words = ["decode", "file", "--frame", "\(number)", "-o", "frame.png"]
      let ending = try await program.run(words)
      #expect(ending.code == 0, "\(ending.errors)")
      let written = try decoded(program.read("frame.png"))
      #expect(try written.straightRGBA() == wanted[number].straightRGBA(), "frame \(number)")
    }
  }

  @Test(arguments: names)
  func theFramesAreListedWithTheirTimes(_ name: String) async throws {
    let file = try Fixtures.bytes(name)
    let ending = try await program.run(["frames", "-", "--json"], input: file)
    #expect(ending.code == 0, "\(ending.errors)")
    let info = try #require(try CodecList.standard.frames(of: file)).info
    let listed = try #require(try ending.json()["frames"] as? [[String: Any]])
    #expect(listed.map { $0["milliseconds"] as? Int } == info.frames.map(\.duration))
    #expect(listed.map { $0["key"] as? Bool } == info.frames.map(\.isKey))
  }
}
