import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

/// Thumbnails of pictures of 400 megapixels in bounded memory.
///
/// Each test runs in a separate process, whose peak of resident memory is compared with what it was
/// before.
@Suite(.timeLimit(.minutes(10)))
struct ThumbnailMemoryTests {
  /// The most bytes that a thumbnail may take.
  private static let limit = 48 << 20

  /// Decodes a thumbnail, and returns the bytes that took at most.
  private static func decode(_ file: [UInt8]) throws -> Int {
    let before = try ResidentMemory.resetPeak()
    let picture = try CodecList.standard.decode(
      file.span,
      fitting: .cover(PixelSize(width: 96, height: 96))
    ).bitmap
    #expect(picture.size == PixelSize(width: 96, height: 96))
    return try ResidentMemory.peak() - before
  }

  @Test func aJPEGOf400MegapixelsTakesLittle() async {
    await #expect(processExitsWith: .success) {
      let grown = try Self.decode(HugePicture.jpeg(height: HugePicture.side))
      #expect(grown <= Self.limit, "\(grown) bytes")
    }
  }

  @Test func aPNGOf400MegapixelsTakesLittle() async {
    await #expect(processExitsWith: .success) {
      let grown = try Self.decode(HugePicture.png())
      #expect(grown <= Self.limit, "\(grown) bytes")
    }
  }

  @Test func aProgressiveJPEGOf400MegapixelsTakesTheCoefficientsThatItNeeds() async {
    await #expect(processExitsWith: .success) {
      let side = HugePicture.side
      let scans: [EmptyScans.Scan] = [(0, 0, 0, 1), (1, 63, 0, 0), (0, 0, 1, 0)]
      let size = PixelSize(width: side, height: side)
      let grown = try Self.decode(EmptyScans(size: size, scans: scans).bytes())
      // One coefficient of each block.
      #expect(grown <= Self.limit + side * side / 64 * 2, "\(grown) bytes")
    }
  }
}
