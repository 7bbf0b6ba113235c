import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

/// A view pans over pictures of 400 megapixels in bounded memory.
///
/// Each test runs in a separate process, whose peak of resident memory is compared with what it was
/// before.
@Suite(.timeLimit(.minutes(10)))
struct RegionMemoryTests {
  /// The most bytes that panning may take.
  private static let limit = 64 << 20

  /// Decodes an overview and tiles from top to bottom, and returns the bytes that took at most.
  private static func pan(_ file: [UInt8], _ check: (PixelRectangle, Bitmap) -> Void) throws -> Int
  {
    let before = try ResidentMemory.resetPeak()
    var decoder = try RegionDecoder(file.span)
    let size = decoder.info.size
    let workspace = Workspace()
    let whole = PixelRectangle(x: 0, y: 0, width: size.width, height: size.height)
    _ = try decoder.decode(
      whole,
      of: file.span,
      size: PixelSize(width: 512, height: 512),
      workspace: workspace
    )
    for step in 0..<8 {
      let y = step * (size.height - 256) / 7
      let region = PixelRectangle(x: step * 2_800, y: y, width: 256, height: 256)
      check(region, try decoder.decode(region, of: file.span, workspace: workspace))
    }
    return try ResidentMemory.peak() - before
  }

  @Test func aJPEGWithRestartMarkersTakesLittle() async {
    await #expect(processExitsWith: .success) {
      let grown = try Self.pan(HugePicture.jpegWithRestarts()) { region, tile in
        let green = (region.y / 16 + 1) % 3 * 100
        let pixel = tile.pixels[16 - region.y % 16 + 8][128]
        #expect(abs(Int(pixel.green) - green) < 24, "\(region): \(pixel)")
      }
      #expect(grown <= Self.limit, "\(grown) bytes")
    }
  }

  @Test func aJPEGWithoutRestartMarkersTakesLittle() async {
    await #expect(processExitsWith: .success) {
      // Without optimisation each row takes long.
      let height = Rounds.areAll ? HugePicture.side : 2_000
      let grown = try Self.pan(HugePicture.jpeg(height: height)) { region, tile in
        #expect(tile.pixels[100][100].distance(to: Pixel(128, 128, 128)) <= 1, "\(region)")
      }
      #expect(grown <= Self.limit, "\(grown) bytes")
    }
  }

  @Test func aPNGTakesLittle() async {
    await #expect(processExitsWith: .success) {
      let grown = try Self.pan(HugePicture.png()) { region, tile in
        let pixels = tile.pixels
        for y in [0, 100, 255] {
          #expect(pixels[y][9].red == UInt8((region.y + y + 1) & 255), "\(region), \(y)")
        }
      }
      #expect(grown <= Self.limit, "\(grown) bytes")
    }
  }
}
