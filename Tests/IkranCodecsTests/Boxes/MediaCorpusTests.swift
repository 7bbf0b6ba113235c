#if AVIF || HEIC
import IkranCodecs
import IkranPixels
import TestBasics
import Testing

/// Every file of the corpus in a format of ISO base media files, bombs and hostile ones included.
@Suite(.enabled(if: Corpus.isAvailable, "set IKRAN_CORPUS"), .timeLimit(.minutes(10)))
struct MediaCorpusTests {
  private static let formats: [String] = {
    var formats: [String] = []
    #if AVIF
    formats.append("avif")
    #endif
    #if HEIC
    formats.append("heic")
    #endif
    return formats
  }()
  private static let files = formats.flatMap { Corpus.files(format: $0) }
  /// Files that the manifest describes without their clean aperture.
  private static let cut = ["avif/clap-crop.avif": PixelSize(width: 100, height: 80)]
  private static let valid = files.filter { $0.expected == "decodes" }

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

  @Test(arguments: valid)
  func theHeaderHasSizeAndFrames(_ file: Corpus.File) throws {
    let info = try probe(file.bytes()).get()
    #expect(info.uprightSize == (try size(file)))
    // The manifest counts what moves.
    if !file.kinds.contains("multi-image") { #expect(info.frames == file.frames) }
    #expect(info.hasICCProfile == file.kinds.contains("icc"))
    if file.kinds.contains("alpha") { #expect(info.hasAlpha) }
    if file.kinds.contains("10bit") { #expect(info.bitsPerChannel == 10) }
    if file.kinds.contains("12bit") { #expect(info.bitsPerChannel == 12) }
  }

  @Test(arguments: valid)
  func theHeaderIsReadFromABeginning(_ file: Corpus.File) throws {
    let bytes = try file.bytes()
    let whole = try probe(bytes).get()
    for count in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 50)) {
      guard case .success(let info) = probe(Array(bytes[..<count])) else { continue }
      #expect(info == whole, "\(count) bytes")
    }
  }

  @Test(arguments: Rounds.fewer(of: valid))
  func aFileThatIsCutOffIsAnErrorOrAnImage(_ file: Corpus.File) throws {
    let bytes = try file.bytes()
    let size = try probe(bytes).get().uprightSize
    for count in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 25)) {
      guard case .success(let bitmap) = outcome(of: Array(bytes[..<count])) else { continue }
      #expect(bitmap.size == size, "\(count) bytes")
    }
  }

  private func size(_ file: Corpus.File) throws -> PixelSize {
    try Self.cut[file.path]
      ?? PixelSize(width: #require(file.width), height: #require(file.height))
  }

  private func expectSize(_ bitmap: Bitmap, _ file: Corpus.File, _ fitting: Fitting) throws {
    if case .cover(let size) = fitting {
      #expect(bitmap.size == size)
    } else {
      #expect(bitmap.size == (try size(file)), "\(file)")
    }
  }
}
#endif
