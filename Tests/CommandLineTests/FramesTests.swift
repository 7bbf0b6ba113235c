import Foundation
import Ikran
import Support
import Testing

@Suite("ikran frames", .serialized, .timeLimit(.minutes(10)))
struct FramesTests {
  private let program: Program

  init() throws { program = try Program() }

  /// A GIF of 4×4 pixels that plays for ever; each frame is of one colour: 0 red, 1 green, 2 blue.
  static func gif(_ frames: [(color: UInt8, centiseconds: UInt8)]) -> [UInt8] {
    var bytes = Array("GIF89a".utf8) + [4, 0, 4, 0, 0b1000_0001, 0, 0]
    bytes += [255, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0]
    bytes += [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1, 0, 0, 0]
    for frame in frames {
      bytes += [0x21, 0xF9, 4, 0b100, frame.centiseconds, 0, 0, 0]
      bytes += [0x2C, 0, 0, 0, 0, 4, 0, 4, 0, 0, 2]
      // Two pixels after each clear code, so that every code has three bits.
      let codes = [[UInt8]](repeating: [4, frame.color, frame.color], count: 8).joined() + [5]
      var data: [UInt8] = []
      var (bits, count) = (0, 0)
      for code in codes {
        bits |= Int(code) << count
        count += 3
        while count >= 8 {
          data.append(UInt8(bits & 255))
          (bits, count) = (bits >> 8, count - 8)
        }
      }
      if count > 0 { data.append(UInt8(bits)) }
      bytes += [UInt8(data.count)] + data + [0]
    }
    return bytes + [0x3B]
  }

  private let movie = gif([(0, 10), (1, 0), (2, 25)])

  private func color(_ picture: Bitmap) throws -> [UInt8] {
    Array(try picture.straightRGBA()[0..<4])
  }

  @Test func theFramesAreListed() async throws {
    let ending = try await program.run(["frames", "-", "--json"], input: movie)
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(
      ending.text == """
        {"width":4,"height":4,"loops":0,"frames":[{"index":0,"milliseconds":100,"key":true},\
        {"index":1,"milliseconds":100,"key":true},{"index":2,"milliseconds":250,"key":true}]}

        """
    )
    let text = try await program.run(["frames", "-"], input: movie).text
    #expect(text.hasSuffix("0 100 ms key\n1 100 ms key\n2 250 ms key\n"))
  }

  @Test func theFramesAreWritten() async throws {
    try program.write(movie, to: "movie.gif")
    let ending = try await program.run("frames", "movie.gif", "-o", "out")
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(ending.text.isEmpty)
    let colors = try (0..<3).map { try color(decoded(program.read("out/000\($0).png"))) }
    #expect(colors == [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255]])
    let raw = try await program.run("frames", "movie.gif", "-o", "raw", "--format", "rgba")
    #expect(raw.code == 0)
    #expect(try program.read("raw/0001.rgba").count == 64)
  }

  @Test func aStripHasEachFrameAboveItsMilliseconds() async throws {
    try program.write(movie, to: "movie.gif")
    let ending = try await program.run("frames", "movie.gif", "--strip", "strip.png")
    #expect(ending.code == 0, "\(ending.errors)")
    let strip = try decoded(program.read("strip.png"))
    let pixels = try strip.straightRGBA()
    let colors = Set(stride(from: 0, to: pixels.count, by: 4).map { Array(pixels[$0..<$0 + 3]) })
    #expect(colors == [[255, 0, 0], [0, 255, 0], [0, 0, 255], [0, 0, 0], [230, 230, 230]])
  }

  @Test func aStillIsOneFrame() async throws {
    let ending = try await program.run(["frames", "-", "--json"], input: try Fixture.jpeg.bytes())
    #expect(
      ending.text == """
        {"width":40,"height":30,"loops":null,"frames":[{"index":0,"milliseconds":0,"key":true}]}

        """
    )
  }

  #if TIFF
  @Test func pagesAreListedWrittenAndDecoded() async throws {
    let file = try Fixtures.bytes("pages.tif")
    let listed = try await program.run(["frames", "-"], input: file).text
    #expect(listed.hasSuffix("0 0 ms key\n1 0 ms key\n2 0 ms key\n"), "\(listed)")
    try program.write(file, to: "pages.tif")
    let ending = try await program.run("frames", "pages.tif", "-o", "out", "--strip", "strip.png")
    #expect(ending.code == 0, "\(ending.errors)")
    let sizes = try (0..<3).map { try decoded(program.read("out/000\($0).png")).size }
    #expect(
      sizes == [
        PixelSize(width: 48, height: 32), PixelSize(width: 24, height: 32),
        PixelSize(width: 32, height: 48),
      ]
    )
    #expect(try decoded(program.read("strip.png")).width > 160)
    let one = try await program.run("decode", "pages.tif", "--frame", "2", "-o", "side.png")
    #expect(one.code == 0, "\(one.errors)")
    #expect(try decoded(program.read("side.png")).size == sizes[2])
    let none = try await program.run("decode", "pages.tif", "--frame", "3", "-o", "none.png")
    #expect(none.code == 1)
    #expect(none.errors.contains("has 3 frames, from 0"), "\(none.errors)")
  }
  #endif

  #if HEIC
  @Test func picturesOfACollectionAreListedWrittenAndDecoded() async throws {
    let file = try Fixtures.bytes("collection.heic")
    let listed = try await program.run(["frames", "-"], input: file).text
    #expect(listed.hasSuffix("0 0 ms key\n1 0 ms key\n2 0 ms key\n"), "\(listed)")
    try program.write(file, to: "collection.heic")
    let ending = try await program.run("frames", "collection.heic", "-o", "out")
    #expect(ending.code == 0, "\(ending.errors)")
    let sizes = try (0..<3).map { try decoded(program.read("out/000\($0).png")).size }
    #expect(
      sizes == [
        PixelSize(width: 128, height: 64), PixelSize(width: 64, height: 64),
        PixelSize(width: 64, height: 128),
      ]
    )
    let one = try await program.run("decode", "collection.heic", "--frame", "2", "-o", "blue.png")
    #expect(one.code == 0, "\(one.errors)")
    #expect(try decoded(program.read("blue.png")).size == sizes[2])
  }
  #endif

  @Test func ofAFileThatBreaksOffTheFramesBeforeThatAreListed() async throws {
    let ending = try await program.run(["frames", "-"], input: Array(movie.dropLast(8)))
    #expect(ending.code == 1)
    #expect(ending.errors.hasPrefix("ikran: standard input"), "\(ending.errors)")
    #expect(ending.text.hasSuffix("0 100 ms key\n1 100 ms key\n"))
  }

  @Test func oneFrameIsDecoded() async throws {
    try program.write(movie, to: "movie.gif")
    let ending = try await program.run("decode", "movie.gif", "--frame", "2", "-o", "blue.png")
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(try color(decoded(program.read("blue.png"))) == [0, 0, 255, 255])
    expectRefusal(
      try await program.run("decode", "movie.gif", "--frame", "3", "-o", "none.png"),
      code: 1,
      says: "3 frames"
    )
  }
}
