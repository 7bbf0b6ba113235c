import IkranCodecs
import IkranPixels
import TestBasics
import Testing

/// The compressed data of a GIF picture, from correct and careless encoders.
@Suite(.timeLimit(.minutes(10))) struct GIFDataTests {
  private static let (width, height) = (160, 120)
  private static let pixels = width * height

  private func noise(_ count: Int, depth: Int) -> [UInt8] {
    var random = SeededGenerator(seed: 20_261_122)
    return (0..<count).map { _ in UInt8.random(in: 0...UInt8(1 << depth - 1), using: &random) }
  }

  private func sample(_ count: Int = pixels, depth: Int = 8) -> GIFSample {
    let indices = noise(count, depth: depth)
    return GIFSample(width: Self.width, height: Self.height, indices: indices, depth: depth)
  }

  private func expect(_ bitmap: Bitmap, shows indices: [UInt8]) {
    let shown = bitmap.pixels.joined().map { $0.alpha == 0 ? nil : $0.red }
    let wanted = (0..<Self.pixels).map { $0 < indices.count ? indices[$0] : nil }
    #expect(shown == wanted)
  }

  @Test(arguments: 1...8, [true, false])
  func indicesOfEveryDepthComeBack(_ depth: Int, _ clearsFullTable: Bool) throws {
    var sample = sample(depth: depth)
    sample.clearsFullTable = clearsFullTable
    let bitmap = try outcome(of: sample.bytes).get()
    #expect(bitmap.format == .bgrx)
    expect(bitmap, shows: sample.indices)
  }

  @Test(arguments: [1, 2, 8])
  func aRunOfOneIndexComesBack(_ depth: Int) throws {
    var sample = sample(depth: depth)
    sample.indices = [UInt8](repeating: 1, count: Self.pixels)
    expect(try outcome(of: sample.bytes).get(), shows: sample.indices)
  }

  @Test(arguments: [GIFSample.End.endCode, .terminator, .cutOff])
  func dataAfterTheLastPixelIsIgnored(_ end: GIFSample.End) throws {
    var sample = sample(Self.pixels + 5_000)
    sample.end = end
    let bitmap = try outcome(of: sample.bytes).get()
    #expect(bitmap.format == .bgrx)
    expect(bitmap, shows: sample.indices)
  }

  @Test(arguments: [GIFSample.End.endCode, .terminator], [1, Self.width + 7, Self.pixels - 1])
  func missingPixelsOfAnEndedPictureAreClear(_ end: GIFSample.End, _ missing: Int) throws {
    var sample = sample(Self.pixels - missing)
    sample.end = end
    let bitmap = try outcome(of: sample.bytes).get()
    #expect(bitmap.format == .bgra)
    expect(bitmap, shows: sample.indices)
  }

  @Test func aCompletePictureNeedsNoEnd() throws {
    var sample = sample()
    sample.end = .cutOff
    expect(try outcome(of: sample.bytes).get(), shows: sample.indices)
  }

  @Test func aTruncatedPictureIsReported() throws {
    var sample = sample(Self.pixels - 1)
    sample.end = .cutOff
    let bytes = sample.bytes
    #expect(failure(of: bytes) == .truncated(.gif, offset: bytes.count))
  }

  @Test func aPictureWithoutPixelsIsMalformed() throws {
    guard case .malformed(.gif, _, _) = failure(of: sample(0).bytes) else {
      Issue.record("\(String(describing: failure(of: sample(0).bytes)))")
      return
    }
  }
}
