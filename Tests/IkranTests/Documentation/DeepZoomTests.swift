import FoundationEssentials
import Ikran
import Support
import Testing

/// The code of the article "Deep zoom".
private struct TiledPicture {
  static let side = 512
  let file: [UInt8]
  let size: PixelSize
  private var decoder: RegionDecoder

  init(_ file: [UInt8]) throws {
    self.file = file
    decoder = try RegionDecoder(file.span)
    size = decoder.info.uprightSize
  }

  mutating func overview(_ pixels: PixelSize) throws -> Bitmap {
    let whole = PixelRectangle(x: 0, y: 0, width: size.width, height: size.height)
    let file = file
    return try decoder.decode(whole, of: file.span, size: pixels)
  }

  mutating func tile(column: Int, row: Int, reduction: Int) throws -> Bitmap {
    let side = Self.side * reduction
    let (x, y) = (column * side, row * side)
    let (width, height) = (min(side, size.width - x), min(side, size.height - y))
    let region = PixelRectangle(x: x, y: y, width: width, height: height)
    let shown = PixelSize(width: max(1, width / reduction), height: max(1, height / reduction))
    let file = file
    return try decoder.decode(region, of: file.span, size: shown)
  }
}

@Suite(.timeLimit(.minutes(10)))
struct DeepZoomTests {
  @Test func tilesOfAFile() throws {
    let sample = JPEGSample(width: 1_300, height: 700, sampling: .quarter)
    let whole = try CodecList.standard.decode(sample.bytes().span).bitmap
    var picture = try TiledPicture(sample.bytes())
    #expect(try picture.overview(PixelSize(width: 130, height: 70)).width == 130)
    let tile = try picture.tile(column: 2, row: 1, reduction: 1)
    let part = try whole.cropped(columns: 1_024..<1_300, rows: 512..<700)
    #expect(try tile.straightRGBA() == part.straightRGBA())
    let reduced = try picture.tile(column: 0, row: 0, reduction: 4)
    #expect(reduced.size == PixelSize(width: 325, height: 175))
  }

  @Test func aRectangleThroughAPipeline() async throws {
    let url = try #require(URL(string: "http://example.test/a.png"))
    let png = try TestImages.png(width: 1_600, height: 700)
    let pipeline = ImagePipeline.deterministic(transport: FakeTransport(body: png))
    var request = ImageRequest(url)
    let face = PixelRectangle(x: 1_200, y: 300, width: 400, height: 400)
    request.style = .region(face, width: 200, height: 200)
    request.scale = 2
    let response = try await pipeline.response(for: request)
    let whole = try TestImages.gradient(width: 1_600, height: 700)
    let part = try whole.cropped(columns: 1_200..<1_600, rows: 300..<700)
    #expect(try response.image.straightRGBA() == part.straightRGBA())
  }
}
