import FoundationEssentials
import Glibc
import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

/// Pixels of other decoders than Ikran's: of Pillow with its plugins and of resvg, which bring their
/// own libraries.
///
/// `Scripts/make-references` writes their averages of 16×16 areas, 128 pixels of each, and the checksum
/// of all pixels where a file is lossless.
@Suite(.enabled(if: Corpus.isAvailable, "set IKRAN_CORPUS"))
struct ReferencePixelTests {
  struct Reference: Decodable, CustomStringConvertible, Sendable {
    let path: String
    let sha256: String
    /// Red, green, blue and alpha of each area, premultiplied, in hexadecimal digits.
    let averages: String
    /// The same of single pixels; nil for SVG, whose edges libraries smooth in different ways.
    let samples: String?
    /// CRC-32 of red, green, blue and alpha of each pixel, premultiplied, from the first row on; nil
    /// for what is not lossless.
    let pixels: Int?

    var description: String { path }

    static func numbers(_ text: String) -> [Double] {
      let digits = text.utf8.map { Double(Int($0) - ($0 < 58 ? 48 : 87)) }
      return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] * 16 + digits[$0 + 1] }
    }
  }

  private struct References: Decodable {
    let files: [Reference]
  }

  /// How much alike they are at least, in decibels.
  private static let least = 33.0

  private static let all: [Reference] = {
    let parts = #filePath.split(separator: "/").dropLast(3)
    let path = "/\(parts.joined(separator: "/"))/References/thumbnails.json"
    // A test counts them.
    guard let text = FileManager.default.contents(atPath: path) else { return [] }
    return (try? JSONDecoder().decode(References.self, from: text).files) ?? []
  }()

  private static let readable = all.filter { reference in
    CodecList.standard.codecs.contains { codec in
      guard let bytes = try? Corpus.bytes(reference.path) else { return true }
      return codec.recognizes(bytes.span)
    }
  }

  @Test func thereIsOneForNearlyAllValidFilesOfEachFormat() {
    for (format, mostMissing) in [("avif", 5), ("heic", 1), ("jxl", 6), ("svg", 7)] {
      let valid = Corpus.files(format: format).filter { $0.kinds.contains("valid") }
      let paths = Set(valid.map(\.path))
      let missing = valid.count - Self.all.count { paths.contains($0.path) }
      // `Scripts/make-references` says which, and why.
      #expect(missing <= mostMissing && valid.count > 40, "\(format): \(missing) of \(valid.count)")
    }
  }

  @Test func theFilesAreThoseThatTheOthersHaveDecoded() {
    let sums = Dictionary(uniqueKeysWithValues: Corpus.files.map { ($0.path, $0.sha256) })
    for reference in Self.all { #expect(sums[reference.path] == reference.sha256, "\(reference)") }
  }

  @Test(arguments: readable.filter { $0.pixels != nil })
  func eachPixelOfALosslessFileIsThatOfOthers(_ reference: Reference) throws {
    let bitmap = try outcome(of: Corpus.bytes(reference.path)).get()
    let bytes = bitmap.pixels.flatMap { row in
      row.flatMap { [$0.red, $0.green, $0.blue, $0.alpha] }
    }
    let sum = InflateHandle.crc32(bytes.span)
    #expect(sum == reference.pixels)
  }

  @Test func eachFormatThatCanBeLosslessIsCheckedPixelByPixel() {
    for format in ["avif", "heic", "jxl"] {
      #expect(Self.all.contains { $0.pixels != nil && $0.path.hasPrefix("\(format)/") })
    }
  }

  @Test(arguments: readable)
  func pixelsAreLikeThoseOfOthers(_ reference: Reference) throws {
    let bitmap = try outcome(of: Corpus.bytes(reference.path)).get()
    let means = try decibels(averages(bitmap), Reference.numbers(reference.averages))
    #expect(means >= Self.least, "\(reference): \(means) dB of areas")
    guard let text = reference.samples else { return }
    let single = try decibels(samples(bitmap), Reference.numbers(text))
    #expect(single >= Self.least, "\(reference): \(single) dB of pixels")
  }

  @Test func pixelsOfAllButDrawingsAreCompared() {
    for reference in Self.all {
      #expect((reference.samples == nil) == reference.path.hasPrefix("svg/"), "\(reference)")
    }
  }

  private func decibels(_ found: [Double], _ expected: [Double]) throws -> Double {
    try #require(found.count == expected.count)
    let squares = zip(found, expected).map { ($0 - $1) * ($0 - $1) }
    let mean = squares.reduce(0, +) / Double(squares.count)
    return 10 * log10(255 * 255 / max(mean, 1e-6))
  }

  /// 128 pixels, at the places of `Scripts/make-references`.
  private func samples(_ bitmap: Bitmap) -> [Double] {
    let pixels = bitmap.pixels.flatMap(\.self)
    var state: UInt64 = 1
    return (0..<128).flatMap { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let pixel = pixels[Int(state >> 33) % pixels.count]
      return [pixel.red, pixel.green, pixel.blue, pixel.alpha].map(Double.init)
    }
  }

  /// Means of 16×16 areas, each of at least one pixel.
  private func averages(_ bitmap: Bitmap) -> [Double] {
    let rows = bitmap.pixels
    func area(_ index: Int, _ count: Int) -> Range<Int> {
      let start = index * count / 16
      return start..<max(start + 1, (index + 1) * count / 16)
    }
    return (0..<256).flatMap { cell in
      let pixels = rows[area(cell / 16, bitmap.height)].flatMap {
        $0[area(cell % 16, bitmap.width)]
      }
      let sums = pixels.reduce(into: SIMD4<Double>()) { sums, pixel in
        let channels = SIMD4(pixel.red, pixel.green, pixel.blue, pixel.alpha)
        sums += SIMD4<Double>(channels)
      }
      return (0..<4).map { sums[$0] / Double(pixels.count) }
    }
  }
}
