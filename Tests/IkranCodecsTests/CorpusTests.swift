import FoundationEssentials
import IkranCodecs
import IkranPixels
import TestBasics
import Testing

/// Every file of the corpus in a supported format, including bombs and hostile ones.
@Suite(
  .enabled(if: Corpus.isAvailable, "set IKRAN_CORPUS"),
  .timeLimit(.minutes(10))
)
struct CorpusTests {
  private static let formats: [String] = {
    var formats = ["jpeg", "png", "apng", "webp", "gif", "bmp"]
    #if TIFF
    formats.append("tiff")
    #endif
    return formats
  }()
  /// All files, or where few rounds are enough every fifth.
  private static let files = Rounds.fewer(
    of: formats.flatMap { Corpus.files(format: $0) }.filter { !isTooLong($0) }
  )

  /// Whether it has a side of 65,537 pixels, which is over the limit.
  private static func isTooLong(_ file: Corpus.File) -> Bool { file.path.hasSuffix("big_g4.tif") }

  // Unoptimised and sanitized code takes several times as long.
  #if DEBUG
  private static let timeAllowed = Sanitizer.watchesThreads ? Duration.seconds(100) : .seconds(10)
  #else
  private static let timeAllowed = Sanitizer.isOn ? Duration.seconds(10) : .seconds(2)
  #endif

  @Test(arguments: files)
  func aFileDecodesOrFailsAsInItsManifest(_ file: Corpus.File) throws {
    let bytes = try file.bytes()
    for fitting in [Fitting.original, .cover(PixelSize(width: 48, height: 40))] {
      let start = threadTime()
      let result = outcome(of: bytes, fitting)
      #expect(threadTime() - start < Self.timeAllowed)
      switch (result, file.expected) {
      case (.failure(let error), "decodes"): Issue.record("\(file): \(error)")
      case (.success(let bitmap), "must-fail"): Issue.record("\(file) decoded to \(bitmap.size)")
      case (.success(let bitmap), "decodes"): try expectSize(bitmap, file, fitting)
      default: break
      }
    }
  }

  @Test(arguments: files.filter { $0.expected == "decodes" })
  func theHeaderHasSizeAndFrames(_ file: Corpus.File) throws {
    let info = try probe(file.bytes()).get()
    let size = file.format == "tiff" ? info.uprightSize : info.size
    #expect(size.width == file.width)
    #expect(size.height == file.height)
    // Some differ on purpose: JPEGs with a second picture after the first, and a GIF with a GIF.
    let isDouble = file.kinds.contains("mpo") || file.path.hasSuffix("extents_transparency.gif")
    if !isDouble { #expect(info.frames == file.frames) }
    // Of GIF files the list does not say it.
    #expect(info.hasICCProfile == file.kinds.contains("icc") || info.format == .gif)
  }

  @Test func animationsReportTheirTiming() throws {
    let text = try Corpus.bytes("ANIMATIONS.json")
    let wanted = try JSONDecoder().decode([String: Timing].self, from: Data(text))
    for file in Self.files where file.expected == "decodes" {
      guard let timing = wanted[file.path], timing.frames > 1 else { continue }
      let info = try probe(file.bytes()).get()
      guard info.frames == timing.frames else { continue }
      #expect(info.durations == timing.durations_ms.map { Int($0.rounded()) }, "\(file)")
      #expect(info.loops == timing.plays(in: info.format), "\(file)")
    }
  }

  private struct Timing: Decodable {
    let frames: Int
    let durations_ms: [Double]
    let loop_raw: Int?

    /// The manifest has what the file stores; in GIF that counts repetitions.
    func plays(in format: ImageFormat) -> Int {
      guard let loop_raw else { return 1 }
      return format == .gif && loop_raw > 0 ? loop_raw + 1 : loop_raw
    }
  }

  @Test(
    arguments: [
      ("jpeg/exif-orientation-", "-le.jpg"), ("jpeg/exif-orientation-", "-be.jpg"),
      ("png/exif-orientation-", ".png"), ("webp/exif-orientation-", ".webp"),
    ] + (formats.contains("tiff") ? [("tiff/orientation-", ".tif")] : [])
  )
  func theEightOrientationsGiveTheSameUprightPicture(_ family: (name: String, end: String)) throws {
    let first = try outcome(of: Corpus.bytes("\(family.name)1\(family.end)")).get()
    for number in 2...8 {
      let other = try outcome(of: Corpus.bytes("\(family.name)\(number)\(family.end)")).get()
      try #require(other.size == first.size)
      #expect(difference(first, other) < 16, "\(family.name)\(number)")
    }
  }

  /// The mean difference per channel; lossy codings store each orientation a little differently.
  private func difference(_ first: Bitmap, _ second: Bitmap) -> Double {
    let pairs = zip(first.pixels.joined(), second.pixels.joined())
    let total = pairs.reduce(0) { $0 + $1.0.distance(to: $1.1) }
    return Double(total) / Double(first.width * first.height)
  }

  private func expectSize(_ bitmap: Bitmap, _ file: Corpus.File, _ fitting: Fitting) throws {
    if case .cover(let size) = fitting {
      #expect(bitmap.size == size)
    } else {
      let info = try probe(file.bytes()).get()
      let size = PixelSize(width: try #require(file.width), height: try #require(file.height))
      // Of TIFF files the list has the size of the upright picture.
      let upright = file.format == "tiff" ? size : info.orientation.uprightSize(of: size)
      #expect(bitmap.size == upright, "\(file)")
    }
  }

  @Test(
    arguments: [
      "libavif--apple_gainmap_old", "libavif--paris_exif_xmp_icc_gainmap_bigendian",
      "mpo-two-pictures",
    ]
  )
  func aJPEGWithAGainMapShowsItsBaseImage(_ name: String) throws {
    let bytes = try Corpus.bytes("jpeg/\(name).jpg")
    let second = try #require(
      bytes.indices.dropFirst().dropLast(2).first {
        Array(bytes[$0...$0 + 2]) == [0xFF, 0xD8, 0xFF]
      }
    )
    let info = try probe(bytes).get()
    #expect(info.frames == 1)
    #expect(!info.isAnimated)
    let base = try outcome(of: Array(bytes[..<second])).get()
    #expect(try outcome(of: bytes).get().pixels == base.pixels)
  }
}
