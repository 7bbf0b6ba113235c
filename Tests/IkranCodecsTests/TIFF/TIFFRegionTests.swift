#if TIFF
import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

/// A view pans over a tiled picture of 400 megapixels in bounded memory, and over strips.
@Suite(.timeLimit(.minutes(10)))
struct TIFFRegionTests {
  /// The most bytes that panning may take.
  private static let limit = 64 << 20

  /// A gray picture of 20,000×20,000 pixels whose tiles are of one byte each: of its number.
  private static func hugeFile() -> [UInt8] {
    let (side, tile) = (20_000, 256)
    let across = (side + tile - 1) / tile
    // Runs of one byte, for a tile of any gray: 256 tiles that the others are, too.
    let run = tile * tile / 128
    var file = TIFFSample(
      size: PixelSize(width: side, height: side),
      channels: 1,
      photometric: 1
    ) { _, _, _ in 0 }
    file.tile = PixelSize(width: tile, height: tile)
    file.compression = .packBits
    file.shared = (0..<256).map { gray in
      (0..<run).flatMap { _ in [UInt8(129), UInt8(gray)] }
    }
    file.chosen = (0..<across * across).map { ($0 / across * 3 + $0 % across * 7) & 255 }
    return file.bytes
  }

  @Test(.enabled(if: !Sanitizer.isOn, "sanitizers allocate in their own way"))
  func aTiledPictureTakesLittle() async {
    await #expect(processExitsWith: .success) {
      let file = Self.hugeFile()
      let before = try ResidentMemory.resetPeak()
      var decoder = try RegionDecoder(file.span)
      #expect(decoder.info.size == PixelSize(width: 20_000, height: 20_000))
      let workspace = Workspace()
      for step in 0..<12 {
        let (x, y) = (step * 1_600 + 13, step * 1_650 + 5)
        let region = PixelRectangle(x: x, y: y, width: 300, height: 300)
        let part = try decoder.decode(region, of: file.span, workspace: workspace).pixels
        for (dx, dy) in [(0, 0), (299, 10), (150, 299)] {
          let gray = UInt8(((y + dy) / 256 * 3 + (x + dx) / 256 * 7) & 255)
          #expect(part[dy][dx] == Pixel(gray, gray, gray), "\(region)")
        }
      }
      if Rounds.areAll {
        let whole = PixelRectangle(x: 0, y: 0, width: 20_000, height: 20_000)
        let size = PixelSize(width: 512, height: 512)
        _ = try decoder.decode(whole, of: file.span, size: size, workspace: workspace)
      }
      let grown = try ResidentMemory.peak() - before
      #expect(grown <= Self.limit, "\(grown) bytes")
    }
  }

  @Test(arguments: [nil, 16])
  func rectanglesAreThoseOfTheWholePicture(_ tile: Int?) throws {
    var file = TIFFSample(size: PixelSize(width: 70, height: 50)) { x, y, channel in
      UInt64((x * 3 + y * 7 + channel * 50) & 255)
    }
    file.rowsPerStrip = 8
    file.tile = tile.map { PixelSize(width: $0, height: $0) }
    for orientation in [1, 6, 3] {
      file.shorts = [(274, [orientation])]
      let bytes = file.bytes
      let whole = try outcome(of: bytes).get().pixels
      var decoder = try RegionDecoder(bytes.span)
      for (x, y) in [(0, 0), (17, 20), (30, 31), (5, 40)] {
        let region = PixelRectangle(x: x, y: y, width: 18, height: 9)
        let part = try decoder.decode(region, of: bytes.span).pixels
        #expect(part == whole[y..<y + 9].map { Array($0[x..<x + 18]) })
      }
    }
  }
}
#endif
