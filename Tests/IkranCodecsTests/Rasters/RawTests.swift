import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

/// Previews of cameras' raw files.
@Suite(.timeLimit(.minutes(5))) struct RawTests {
  private static let large = JPEGSample(width: 64, height: 48, sampling: .full).bytes()
  private static let small = JPEGSample(width: 16, height: 12, sampling: .full).bytes()

  /// The same picture at its own size, as a JPEG file has it.
  private var wanted: Bitmap {
    get throws { try outcome(of: Self.large).get() }
  }

  @Test(arguments: RawSample.all(small: small, large: large))
  func theLargestPreviewIsShown(_ sample: RawSample) throws {
    #expect(ImageFormat(of: sample.bytes) == sample.format)
    let info = try probe(sample.bytes).get()
    #expect(info.format == sample.format)
    #expect(info.size == PixelSize(width: 64, height: 48))
    #expect(info.orientation == .up)
    #expect(try outcome(of: sample.bytes).get().distance(to: wanted) == 0)
    let fitting = Fitting.cover(PixelSize(width: 9, height: 9))
    let thumbnail = try outcome(of: Self.large, fitting).get()
    #expect(try outcome(of: sample.bytes, fitting).get().distance(to: thumbnail) == 0)
  }

  @Test(arguments: 1...8 as ClosedRange<UInt8>)
  func theRawFileSaysHowItIsTurned(_ number: UInt8) throws {
    let sample = RawSample.nef(small: Self.small, large: Self.large, orientation: Int(number))
    let orientation = try #require(Orientation(rawValue: number))
    #expect(try probe(sample.bytes).get().orientation == orientation)
    let upright = try wanted.oriented(orientation)
    #expect(try outcome(of: sample.bytes).get().distance(to: upright) == 0)
  }

  @Test func aRawFileWithoutAPreviewSaysSo() {
    var sample = RawSample(format: .dng)
    sample.directories = [
      [.long(0xFE, 0), .bytes(0xC612, [1, 4, 0, 0]), .long(0x103, 7), .short(0x106, 32_803)]
    ]
    sample.strips = [0: Self.large]
    let error = failure(of: sample.bytes)
    let feature = "the sensor's pixels alone, without a JPEG preview"
    #expect(error == .unsupported(.dng, feature: feature))
    #expect(
      error?.description
        == "this DNG file uses \(feature), which Ikran does not support"
    )
  }

  @Test(arguments: RawSample.all(small: small, large: large))
  func aFileThatIsCutOffIsTruncated(_ sample: RawSample) throws {
    let bytes = sample.bytes
    let end = try #require(bytes.firstRange(of: Self.large)).upperBound
    for count in stride(from: 16, to: bytes.count - 8, by: 37) {
      switch failure(of: Array(bytes[..<count])) {
      case .truncated, .unknownFormat: break
      // Cut off before the camera's name it is a TIFF file.
      case .malformed(.tiff, _, _): break
      case nil where count > end - 40: break
      case let error: Issue.record("\(count) bytes: \(String(describing: error))")
      }
    }
    let rules = DecodeRules(acceptsCutFiles: true)
    let cut = try outcome(of: Array(bytes[..<(end - Self.large.count / 3)]), by: rules)
      .get()
    guard case .cut(let rows, 48)? = cut.notes.first else {
      Issue.record("\(cut.notes)")
      return
    }
    #expect((1..<48).contains(rows))
  }

  @Test func directoriesThatPointAtThemselvesEnd() {
    var sample = RawSample.nef(small: Self.small, large: Self.large)
    sample.nextDirectory = 8
    #expect(failure(of: sample.bytes) == nil)
  }

  @Test(arguments: RawSample.all(small: small, large: large))
  func flippedBitsNeverCrash(_ sample: RawSample) {
    var random = SeededGenerator(seed: 20_261_128)
    let original = sample.bytes
    for round in 0..<Rounds.fewer(300) {
      var bytes = original
      for _ in 0...(round % 6) {
        let reach = Bool.random(using: &random) ? min(300, bytes.count) : bytes.count
        let place = Int.random(in: 0..<reach, using: &random)
        bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      }
      _ = outcome(of: bytes, .inside(PixelSize(width: 9, height: 9)))
    }
  }
}
