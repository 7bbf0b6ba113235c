import IkranCodecs
import IkranPixels
import TestBasics
import Testing

/// How often animations play, in files and after conversions between formats.
@Suite(.timeLimit(.minutes(10))) struct PlayCountTests {
  private static let size = PixelSize(width: 6, height: 5)
  private static let frames = [
    PlacedFrame(0, 0, 6, 5, Pixel(250, 1, 2)), PlacedFrame(1, 1, 2, 2, Pixel(3, 240, 4)),
  ]
  private static let encodings: [ImageEncoding] = [.gif, .png, .webpLossless, .webp(quality: 80)]

  /// A GIF whose block has a number; nil for a file without one.
  private func gif(_ number: Int?, _ name: String = "NETSCAPE2.0") -> [UInt8] {
    var file = AnimatedGIF(size: Self.size, frames: Self.frames)
    (file.loops, file.loopExtension) = (number, name)
    return file.bytes
  }

  private static let numbers: [(number: Int?, plays: Int?)] = [
    (nil, 1), (0, nil), (1, 2), (2, 3), (9, 10), (255, 256), (65_535, 65_536),
  ]
  private static let stored: [(plays: Int?, number: [UInt8]?)] = [
    (1, nil), (2, [1, 0]), (3, [2, 0]), (nil, [0, 0]), (65_536, [255, 255]),
  ]
  private static let plays: [Int?] = [1, 2, 3, 255, 65_535, nil]

  @Test(arguments: numbers, ["NETSCAPE2.0", "ANIMEXTS1.0"])
  func theNumberOfAGIFCountsRepetitions(
    _ kind: (number: Int?, plays: Int?),
    name: String
  ) throws {
    let bytes = gif(kind.number, name)
    #expect(try animation(bytes).info.plays == kind.plays)
    #expect(try probe(bytes).get().loops == kind.plays ?? 0)
  }

  @Test(arguments: plays, encodings)
  func conversionsKeepTheNumberOfPlays(_ plays: Int?, _ encoding: ImageEncoding) throws {
    for first in Self.encodings {
      var bytes = try converted(gif(0), to: first, plays: plays)
      #expect(try animation(bytes).info.plays == plays, "\(first)")
      bytes = try converted(bytes, to: encoding)
      #expect(try animation(bytes).info.plays == plays, "\(first) to \(encoding)")
      #expect(try probe(bytes).get().loops == plays ?? 0)
    }
  }

  @Test(arguments: stored)
  func aGIFStoresRepetitions(_ kind: (plays: Int?, number: [UInt8]?)) throws {
    let bytes = try converted(gif(0), to: .gif, plays: kind.plays)
    let name = bytes.firstRange(of: Array("NETSCAPE2.0".utf8))
    #expect(name.map { Array(bytes[$0.upperBound + 2..<$0.upperBound + 4]) } == kind.number)
  }

  @Test func morePlaysThanAFormatStoresBecomeItsMost() throws {
    for (encoding, most) in [(ImageEncoding.gif, 65_536), (.webpLossless, 65_535)] {
      let bytes = try converted(gif(0), to: encoding, plays: 1_000_000)
      #expect(try animation(bytes).info.plays == most)
    }
  }

  private func converted(
    _ bytes: [UInt8],
    to encoding: ImageEncoding,
    plays: Int?
  ) throws -> [UInt8] {
    let source = try animation(bytes)
    let encoder = try AnimationEncoder(encoding, size: source.info.size, plays: plays)
    for frame in try source.composed() { try encoder.add(frame, duration: 100) }
    return try encoder.finish()
  }

  private func converted(_ bytes: [UInt8], to encoding: ImageEncoding) throws -> [UInt8] {
    try converted(bytes, to: encoding, plays: animation(bytes).info.plays)
  }
}
