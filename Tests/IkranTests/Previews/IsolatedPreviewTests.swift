import IkranCodecs
import IkranIsolation
import IkranPixels
import IkranTesting
import Support
import Testing

@testable import Ikran

/// Files that another process decodes are seen while they arrive.
@Suite(.timeLimit(.minutes(10))) struct IsolatedPreviewTests {
  private let request = ImageRequest(location: "http://example.test/a", style: .original)

  /// What a beginning shows, decoded in this process.
  private func beginning(_ file: ArraySlice<UInt8>) -> Bitmap? {
    let bytes = Array(file)
    let picture = try? CodecList.standard.decodePrefix(
      bytes.span,
      fitting: .original,
      rules: DecodeRules(),
      workspace: Workspace()
    )
    return (picture ?? nil)?.bitmap
  }

  /// Expects beginnings to be seen as this process shows them, and then the whole.
  private func expectPreviews(of file: [UInt8], at counts: [Int]) async throws {
    let (clock, seen) = (ManualClock(), counts.map { _ in Latch() })
    let pipeline = ImagePipeline.deterministic(
      transport: FakeTransport.arriving(file, counts: counts, clock: clock, seen: seen),
      clock: clock
    )
    let whole = try CodecList.standard.decode(file.span).bitmap
    let expected = counts.compactMap { beginning(file.prefix($0)) }
    try #require(expected.count == counts.count)
    var previews: [Bitmap] = []
    var isFinished = false
    for await event in pipeline.events(for: request) {
      switch event {
      case .preview(let response):
        #expect(!isFinished && response.source == .network)
        previews.append(response.image)
        if previews.count <= seen.count { seen[previews.count - 1].open() }
      case .finished(let response):
        isFinished = true
        #expect(response.image.hasSamePixels(as: whole))
      case .progress: break
      default: Issue.record("\(event)")
      }
    }
    #expect(isFinished && previews.count == expected.count)
    for (preview, picture) in zip(previews, expected) {
      #expect(preview.hasSamePixels(as: picture))
      #expect(!preview.hasSamePixels(as: whole))
    }
    #expect(DecoderPool.shared.startedCount > 0)
  }

  #if JXL
  /// Several groups, which arrive one after the other once the means are there.
  private static let sharp = PNGSample(size: PixelSize(width: 600, height: 500)) { x, y in
    [UInt16(x * 100), UInt16((x ^ y) & 31) << 11, UInt16(y * 100)]
  }
  .bytes

  @Test func meansOfAJPEGXLFileAreSeenAndTheLastIsTheImage() async throws {
    let picture = try CodecList.standard.decode(Self.sharp.span).bitmap
    let file = try picture.encoded(as: .jpegXL())
    let parts = (1..<16).map { file.count * $0 / 16 }
    let start = parts.first { beginning(file.prefix($0)) != nil }
    let (first, last) = (try #require(start), file.count * 15 / 16)
    // The next look is at twice the bytes.
    try await expectPreviews(of: file, at: last >= first * 2 ? [first, last] : [first])
  }
  #endif

  #if TIFF
  /// Red, green and blue of 64 by 64 pixels as they are, in eight strips.
  private static let strips: [UInt8] = {
    let (side, count, start) = (64, 8, 192)
    let length = side * side * 3 / count
    func number(_ value: Int, _ size: Int) -> [UInt8] {
      (0..<size).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
    // Behind the directory are the bits of the samples, where the strips are, and how long.
    let entries = [
      (256, 3, 1, side), (257, 3, 1, side), (258, 3, 3, 122), (259, 3, 1, 1), (262, 3, 1, 2),
      (273, 4, count, 128), (277, 3, 1, 3), (278, 3, 1, side / count), (279, 4, count, 160),
    ]
    var file: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0] + number(entries.count, 2)
    for (tag, type, values, value) in entries {
      file += number(tag, 2) + number(type, 2) + number(values, 4) + number(value, 4)
    }
    file += number(0, 4)
    for _ in 0..<3 { file += number(8, 2) }
    for strip in 0..<count { file += number(start + strip * length, 4) }
    for _ in 0..<count { file += number(length, 4) }
    for place in 0..<side * side {
      file += [UInt8(place % side * 4), UInt8(place / side * 4), UInt8(place % 251)]
    }
    return file
  }()

  @Test func stripsOfATIFFFileAreSeenFromTopToBottomAndTheLastIsTheImage() async throws {
    let file = Self.strips
    let counts = [4, 7, 15].map { file.count * $0 / 16 }
    try await expectPreviews(of: file, at: counts)
    let rows = try counts.map { count throws -> Int in
      let picture = try #require(beginning(file.prefix(count)))
      let rgba = try picture.straightRGBA()
      return (0..<64).prefix { rgba[$0 * 256 + 3] == 255 }.count
    }
    #expect(rows == [8, 24, 56])
  }
  #endif
}
