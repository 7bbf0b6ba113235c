#if JXL
import FoundationEssentials
import IkranCodecs
import IkranPixels
import TestBasics
import Testing

/// Every JPEG XL file of the corpus, bombs included.
@Suite(.enabled(if: Corpus.isAvailable, "set IKRAN_CORPUS"), .timeLimit(.minutes(10)))
struct JXLCorpusTests {
  private static let valid = Corpus.files(format: "jxl").filter { $0.expected == "decodes" }

  @Test(arguments: Corpus.files(format: "jxl"))
  func aFileDecodesOrFailsAsInItsManifest(_ file: Corpus.File) throws {
    let bytes = try file.bytes()
    for fitting in [Fitting.original, .cover(PixelSize(width: 48, height: 40))] {
      switch outcome(of: bytes, fitting) {
      case .failure(let error):
        if file.expected == "decodes" { Issue.record("\(file): \(error)") }
      case .success(let bitmap):
        if file.expected == "must-fail" { Issue.record("\(file) is \(bitmap.size)") }
      }
    }
  }

  @Test(arguments: valid) func theHeaderHasSizeAndFrames(_ file: Corpus.File) throws {
    let bytes = try file.bytes()
    let info = try probe(bytes).get()
    #expect(info.size.width == file.width)
    #expect(info.size.height == file.height)
    #expect(info.frames == file.frames)
    #expect(try outcome(of: bytes).get().size == info.uprightSize)
    #expect(info.hasAlpha == file.kinds.contains("alpha"))
    let isCompressed = file.path.hasSuffix("grayscale_jpeg-input.jxl")
    #expect(info.hasICCProfile == (file.kinds.contains("icc") || isCompressed))
    guard info.isAnimated else { return }
    #expect(try animation(bytes).composed().count == file.frames)
  }

  @Test func animationsReportTheirTiming() throws {
    struct Timing: Decodable { let durations_ms: [Double] }
    let text = try Corpus.bytes("ANIMATIONS.json")
    let wanted = try JSONDecoder().decode([String: Timing].self, from: Data(text))
    for file in Self.valid {
      guard let timing = wanted[file.path], timing.durations_ms.count > 1 else { continue }
      let info = try probe(file.bytes()).get()
      #expect(info.durations == timing.durations_ms.map { Int($0.rounded()) }, "\(file)")
    }
  }

  @Test func theEightOrientationsGiveTheSameUprightPicture() throws {
    let first = try outcome(of: Corpus.bytes("jxl/orientation-1.jxl")).get()
    for number in 2...8 {
      let other = try outcome(of: Corpus.bytes("jxl/orientation-\(number).jxl")).get()
      try #require(other.size == first.size)
      #expect(meanDistance(first, other) < 16, "\(number)")
    }
  }

  @Test(
    arguments: [
      "alpha-lossy", "icc-lossy", "icc-lossless", "lossless-e1", "modular-lossy", "vardct-d1",
      "vardct-progressive", "container", "jpeg-recompressed", "jpeg-recompressed-bare",
    ]
  )
  func codingsOfOnePictureLookAlike(_ name: String) throws {
    let reference = name.hasPrefix("alpha") ? "alpha-lossless" : "modular-lossless"
    let first = try outcome(of: Corpus.bytes("jxl/\(reference).jxl")).get()
    let other = try outcome(of: Corpus.bytes("jxl/\(name).jxl")).get()
    #expect(meanDistance(first, other) < 10)
  }

  @Test(arguments: [PixelSize(width: 32, height: 18), PixelSize(width: 50, height: 29)])
  func aSmallPictureIsOfTheWhole(size: PixelSize) throws {
    let bytes = try Corpus.bytes("jxl/multi-group-520x300.jxl")
    let wanted = try outcome(of: bytes).get().resampled(.cover(size))
    #expect(meanDistance(wanted, try outcome(of: bytes, .cover(size)).get()) < 0.5)
  }

  @Test func aFileThatIsCutOffShowsWhatItHas() throws {
    let bytes = try Corpus.bytes("jxl/multi-group-520x300.jxl")
    let rules = DecodeRules(acceptsCutFiles: true)
    let part = Array(bytes[..<(bytes.count * 3 / 4)])
    let picture = try outcome(of: part, by: rules).get()
    #expect(picture.notes == [.cut(rows: 300, height: 300)])
    #expect(meanDistance(picture.bitmap, try outcome(of: bytes).get()) < 10)
  }

  /// The mean difference of the channels.
  private func meanDistance(_ first: Bitmap, _ second: Bitmap) -> Double {
    guard first.size == second.size else { return .infinity }
    let pairs = zip(first.pixels.joined(), second.pixels.joined())
    let total = pairs.reduce(0) { $0 + $1.0.distance(to: $1.1) }
    return Double(total) / Double(first.width * first.height)
  }
}
#endif
