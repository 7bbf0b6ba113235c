import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

@Suite(.timeLimit(.minutes(5))) struct PNMTests {
  private static let maxima = [1, 2, 3, 15, 100, 255, 256, 1_023, 40_000, 65_535]

  private func samples(_ count: Int, below maximum: Int) -> [Int] {
    var random = SeededGenerator(seed: UInt64(maximum))
    return (0..<count).map { _ in Int.random(in: 0...maximum, using: &random) }
  }

  /// A sample as a byte.
  private func level(_ sample: Int, _ maximum: Int) -> UInt8 {
    UInt8((Double(sample) * 255 / Double(maximum)).rounded())
  }

  private func binary(_ samples: [Int], _ maximum: Int) -> [UInt8] {
    samples.flatMap { maximum > 255 ? [UInt8($0 >> 8), UInt8($0 & 255)] : [UInt8($0)] }
  }

  private func text(_ header: String) -> [UInt8] { Array(header.utf8) }

  @Test(arguments: maxima)
  func graysOfAnyMaximumAreRounded(_ maximum: Int) throws {
    let samples = samples(7 * 5, below: maximum)
    let wanted = samples.map { sample in
      let level = level(sample, maximum)
      return Pixel(level, level, level)
    }
    let words = samples.map(String.init).joined(separator: "\n")
    for file in [
      text("P2 7 5 \(maximum)\n\(words)"),
      text("P5\n7 5\n\(maximum)\n") + binary(samples, maximum),
      text("P7\nWIDTH 7\nHEIGHT 5\nDEPTH 1\nMAXVAL \(maximum)\nTUPLTYPE GRAYSCALE\nENDHDR\n")
        + binary(samples, maximum),
    ] {
      let bitmap = try outcome(of: file).get()
      #expect(bitmap.format == .bgrx)
      #expect(Array(bitmap.pixels.joined()) == wanted)
    }
  }

  @Test(arguments: maxima)
  func coloursOfAnyMaximumAreRounded(_ maximum: Int) throws {
    let samples = samples(4 * 3 * 3, below: maximum)
    let wanted = stride(from: 0, to: samples.count, by: 3).map { first in
      let levels = samples[first..<first + 3].map { level($0, maximum) }
      return Pixel(levels[0], levels[1], levels[2])
    }
    let words = samples.map(String.init).joined(separator: " ")
    for file in [
      text("P3\n# a comment\n4 # another\n3 \(maximum)\n\(words)\n"),
      text("P6 4 3 \(maximum) ") + binary(samples, maximum),
      text("P7\n# a comment\nMAXVAL \(maximum)\nDEPTH 3\nHEIGHT 3\nWIDTH 4\nENDHDR\n")
        + binary(samples, maximum),
    ] {
      let bitmap = try outcome(of: file).get()
      #expect(Array(bitmap.pixels.joined()) == wanted)
    }
  }

  @Test func oneIsBlackInABitmap() throws {
    let rows: [[Int]] = [[1, 0, 1, 1, 0, 0, 0, 1, 0], [0, 1, 0, 0, 0, 0, 0, 0, 1]]
    let wanted = rows.map { row in
      row.map { $0 == 1 ? Pixel(0, 0, 0) : Pixel(255, 255, 255) }
    }
    for file in [
      text("P1 9 2\n101100010\n0 1 0 0 0 0 # comment\n 0 01"),
      text("P4 9 2\n") + [0b1011_0001, 0, 0b0100_0000, 0b1000_0000],
    ] {
      #expect(try outcome(of: file).get().pixels == wanted)
    }
  }

  @Test func oneIsWhiteInPAM() throws {
    let header = "P7\nWIDTH 2\nHEIGHT 1\nDEPTH 1\nMAXVAL 1\nTUPLTYPE BLACKANDWHITE\nENDHDR\n"
    let bitmap = try outcome(of: text(header) + [1, 0]).get()
    #expect(bitmap.pixels == [[Pixel(255, 255, 255), Pixel(0, 0, 0)]])
  }

  @Test(arguments: [255, 65_535])
  func alphaIsStraightInPAM(_ maximum: Int) throws {
    let factor = maximum / 255
    let gray = "P7\nWIDTH 2\nHEIGHT 1\nDEPTH 2\nMAXVAL \(maximum)\nTUPLTYPE GRAYSCALE_ALPHA\n"
    let color = "P7\nWIDTH 2\nHEIGHT 1\nDEPTH 4\nMAXVAL \(maximum)\nTUPLTYPE RGB_ALPHA\n"
    let grays = [200, 100, 90, 255].map { $0 * factor }
    let colors = [200, 100, 50, 128, 9, 8, 7, 0].map { $0 * factor }
    let first = try outcome(of: text(gray + "ENDHDR\n") + binary(grays, maximum)).get()
    #expect(first.format == .bgra)
    #expect(first.pixels == [[Pixel(200, 200, 200, 100).premultiplied, Pixel(90, 90, 90)]])
    let second = try outcome(of: text(color + "ENDHDR\n") + binary(colors, maximum)).get()
    #expect(second.pixels == [[Pixel(200, 100, 50, 128).premultiplied, Pixel(0, 0, 0, 0)]])
  }

  @Test func inksBecomeColours() throws {
    let header = "P7\nWIDTH 3\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE CMYK\nENDHDR\n"
    let inks: [UInt8] = [0, 0, 0, 0, 255, 0, 0, 0, 0, 255, 255, 127]
    let bitmap = try outcome(of: text(header) + inks).get()
    #expect(bitmap.format == .bgrx)
    #expect(bitmap.pixels == [[Pixel(255, 255, 255), Pixel(0, 255, 255), Pixel(128, 0, 0)]])
  }

  @Test func whatIsAboveTheMaximumIsWhite() throws {
    for file in [text("P5 2 1 100\n") + [100, 200], text("P2 2 1 100\n100 70000")] {
      #expect(try outcome(of: file).get().pixels[0][1] == Pixel(255, 255, 255))
    }
  }

  @Test(arguments: [("P5 3 2 1023 ", 10), ("P4 3 2 ", 1), ("P6 3 2 255 ", 8), ("P5 3 2 31 ", 5)])
  func theHeaderSaysHowManyBitsThereAre(_ sample: (header: String, bits: Int)) throws {
    let info = try probe(text(sample.header)).get()
    #expect(info.format == .pnm)
    #expect(info.size == PixelSize(width: 3, height: 2))
    #expect(info.bitsPerChannel == sample.bits)
  }

  @Test(
    arguments: [
      "P5 0 2 255 ", "P5 2 0 255 ", "P5 2 2 0 ", "P5 2 2 65536 ", "P2 2 x 9 ", "P2 2 2 9 1 2 3 x",
      "P1 2 2 1 0 2 1", "P5 2 2 255x", "P7\nNOISE 1\n", "P7\nWIDTH 2\nHEIGHT 2\nENDHDR\n",
    ]
  )
  func brokenFilesAreMalformed(_ file: String) {
    guard case .malformed(.pnm, _, let reason)? = failure(of: text(file)) else {
      Issue.record("\(String(describing: failure(of: text(file))))")
      return
    }
    #expect(!reason.isEmpty)
  }

  @Test func aTupleOfManySamplesIsUnsupported() {
    let file = "P7\nWIDTH 1\nHEIGHT 1\nDEPTH 7\nMAXVAL 255\nENDHDR\n1234567"
    #expect(failure(of: text(file)) == .unsupported(.pnm, feature: "7 samples for each pixel"))
  }

  @Test(arguments: ["P1", "P5 12", "P5 12 12 25", "P7\nWIDTH 1", "P2 3 3 9 1 2 3 4 5 6 7 8"])
  func aFileThatEndsEarlyIsTruncated(_ file: String) throws {
    let bytes = text(file)
    let error = failure(of: bytes)
    // Two letters might be anything.
    #expect(
      error == (file == "P1" ? .unknownFormat(hint: nil) : .truncated(.pnm, offset: bytes.count))
    )
  }
}
