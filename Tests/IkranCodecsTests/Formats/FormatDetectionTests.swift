import IkranCodecs
import IkranPixels
import TestBasics
import Testing

/// `ImageFormat(of:)` tells every format by the first bytes of a file.
@Suite(.timeLimit(.minutes(10)))
struct FormatDetectionTests {
  @Test(
    arguments: [
      ("areas-420.jpg", ImageFormat.jpeg), ("areas-progressive.jpg", .jpeg),
      ("gradient-8b-rgb.png", .png), ("animation-3-frames.png", .png), ("indexed.gif", .gif),
      ("animation-3-frames.gif", .gif), ("areas-lossy.webp", .webp), ("areas-lossless.webp", .webp),
    ]
  )
  func filesThatAreDecodedNeedTwelveBytes(_ file: (name: String, format: ImageFormat)) throws {
    let bytes = try Fixtures.bytes(file.name)
    #expect(ImageFormat(of: bytes) == file.format)
    #expect(ImageFormat(of: Array(bytes[..<12])) == file.format)
  }

  @Test(arguments: SampleFile.all)
  func everyFormatIsTold(_ sample: SampleFile) {
    #expect(ImageFormat(of: sample.bytes) == sample.format, "\(sample.name)")
  }

  @Test(arguments: SampleFile.all.filter { $0.format != nil })
  func bytesThatFollowChangeNothing(_ sample: SampleFile) {
    let rest = (0..<5_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    #expect(ImageFormat(of: sample.bytes + rest) == sample.format, "\(sample.name)")
  }

  @Test func noFormatIsToldFromText() {
    for text in ["", "B", "BM", "BMW builds cars and motorcycles.", "the free lunch", "II", "<"] {
      #expect(ImageFormat(of: Array(text.utf8)) == nil, "\(text)")
    }
  }

  @Test func aTargaPictureIsNoCursor() {
    let targa: [UInt8] = [0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 64, 0, 64, 0, 24, 0]
    #expect(ImageFormat(of: targa) == nil)
  }

  @Test(
    arguments: [
      ("an AVIF image", ImageFormat.avif), ("an HEIC image", .heic), ("a JPEG XL image", .jpegXL),
      ("a JPEG 2000 image", .jpeg2000), ("an SVG image", .svg), ("a QuickTime video", .mov),
      ("a WebM video", .webm), ("a Matroska video", .mkv), ("an MP4 video", .mp4),
      ("an M4V video", .m4v), ("an EPS document", .eps), ("a Photoshop document", .psd),
      ("a PDF document", .pdf),
    ]
  )
  func errorsNameTheFormat(_ kind: (name: String, format: ImageFormat)) throws {
    if CodecList.standard.decodes(kind.format) { return }
    let sample = try #require(SampleFile.all.first { $0.format == kind.format })
    let error = #expect(throws: DecodeError.self) {
      try CodecList.standard.probe(sample.bytes.span)
    }
    // Of a format whose trait is off, it says that, too.
    #expect(error?.description.contains("it looks like \(kind.name)") == true)
  }

  @Test func filmsAreToldFromPictures() {
    let films = SampleFile.all.compactMap(\.format).filter(\.isVideo)
    #expect(Set(films) == [.mp4, .mov, .m4v, .webm, .mkv])
  }

  @Test func aRawFileWhoseDirectoryIsMissingIsTIFF() throws {
    let file = SampleFile.tiff(directory: [(0xC612, 1, [1, 4, 0, 0])], at: 80_000)
    #expect(ImageFormat(of: file) == .tiff)
    let near = SampleFile.tiff(directory: [(0xC612, 1, [1, 4, 0, 0])], at: 8_000)
    #expect(ImageFormat(of: near) == .dng)
  }

  @Test func noMoreThanTheLongestSignatureIsRead() {
    let comment = "<!--" + String(repeating: "-", count: ImageFormat.longestSignature) + "-->"
    #expect(ImageFormat(of: Array((comment + "<svg/>").utf8)) == nil)
    let shorter = "<!--" + String(repeating: "x", count: 40_000) + "-->"
    #expect(ImageFormat(of: Array((shorter + "<svg/>").utf8)) == .svg)
  }

  @Test func hostilePrefixesAreOnlyRead() {
    let seed: UInt64 = 20_261_125
    var random = SeededGenerator(seed: seed)
    print("seed \(seed)")
    for round in 0..<Rounds.fewer(40_000, atLeast: 4_000) {
      guard var bytes = SampleFile.all.randomElement(using: &random)?.bytes else { return }
      for _ in 0..<Int.random(in: 1...8, using: &random) where !bytes.isEmpty {
        let place = Int.random(in: 0..<min(bytes.count, 96), using: &random)
        let values: [UInt8] = [
          0, 1, 2, 0x7F, 0x80, 0xFF, UInt8.random(in: 0...255, using: &random),
        ]
        bytes[place] = values.randomElement(using: &random) ?? 0
      }
      bytes.removeLast(Int.random(in: 0...bytes.count, using: &random))
      let format = ImageFormat(of: bytes)
      // A second look says the same of a file.
      #expect(ImageFormat(of: bytes) == format, "seed \(seed), round \(round)")
      _ = try? CodecList.standard.probe(bytes.span)
    }
  }
}
