import IkranCodecs
import IkranPixels
import IkranTesting
import Support
import Testing

@testable import Ikran

/// Rows of files are seen while they arrive.
@Suite(.timeLimit(.minutes(10))) struct RowPreviewTests {
  private let request = ImageRequest(location: "http://example.test/a", style: .original)

  private static let png = PNGSample(size: PixelSize(width: 60, height: 50)) { x, y in
    [UInt16(x * 1_000), UInt16(y * 1_200), UInt16(x * y * 20)]
  }
  .bytes
  private static let jpeg = JPEGSample(width: 200, height: 160, sampling: .quarter).bytes()
  private static let webp: [UInt8] = {
    let picture = try? CodecList.standard.decode(jpeg.span).bitmap
    return (try? picture?.encoded(as: .webp(quality: 90))) ?? []
  }()

  @Test(arguments: [Self.png, Self.jpeg, Self.webp])
  func rowsAreSeenFromTopToBottomAndTheLastIsTheImage(_ file: [UInt8]) async throws {
    let counts = [4, 6, 9].map { file.count * $0 / 10 }
    let (clock, seen) = (ManualClock(), counts.map { _ in Latch() })
    let transport = FakeTransport.arriving(file, counts: counts, clock: clock, seen: seen)
    let pipeline = ImagePipeline.deterministic(transport: transport, clock: clock)
    let whole = try CodecList.standard.decode(file.span).bitmap
    let expected = try whole.straightRGBA()
    var rows: [Int] = []
    for await event in pipeline.events(for: request) {
      switch event {
      case .preview(let response):
        #expect(response.image.size == whole.size && response.notes.isEmpty)
        let shown = try response.image.straightRGBA()
        let count = whole.width * 4
        let there = (0..<whole.height).prefix { shown[$0 * count + 3] == 255 }.count
        #expect(shown.prefix(there * count) == expected.prefix(there * count))
        #expect(shown.dropFirst(there * count).allSatisfy { $0 == 0 })
        rows.append(there)
        if rows.count <= seen.count { seen[rows.count - 1].open() }
      case .finished(let response): #expect(response.image.hasSamePixels(as: whole))
      case .progress: break
      default: Issue.record("\(event)")
      }
    }
    #expect(rows.count == 3 && rows == rows.sorted() && rows[0] > 0 && rows[2] > rows[0], "\(rows)")
    #expect(pipeline.statistics.decodes == 1)
  }

  @Test func theBytesHaveToGrowByHalfFromLookToLook() async throws {
    // Each byte of an uncompressed file brings pixels.
    let (file, looks) = (Self.png, [2_040, 3_060, 4_590, 6_885, 10_335])
    let (clock, seen) = (ManualClock(), looks.map { _ in Latch() })
    let transport = FakeTransport(clock: clock) { request, progress throws(TransportError) in
      progress(TransferProgress(received: 40, expected: file.count))
      var latches = seen[...]
      request.onBytes?(Array(file.prefix(40)))
      for count in stride(from: 2_040, through: looks[4], by: 15) {
        clock.advance(by: .milliseconds(200))
        request.onBytes?(Array(file.prefix(count)))
        if looks.contains(count) { _ = await latches.popFirst()?.wait() }
      }
      return TransportResponse(status: 200, headers: .fresh, body: file, url: request.url)
    }
    let pipeline = ImagePipeline.deterministic(transport: transport, clock: clock)
    var count = 0
    for await event in pipeline.events(for: request) {
      guard case .preview = event else { continue }
      if count < seen.count { seen[count].open() }
      count += 1
    }
    #expect(count == looks.count)
  }

  @Test func aFileThatIsDamagedShowsNoRows() async throws {
    var file = Self.png
    let data = try #require(file.firstRange(of: Array("IDAT".utf8)))
    file[data.upperBound + 3] ^= 0xFF
    let (clock, damaged) = (ManualClock(), file)
    let transport = FakeTransport(clock: clock) { request, progress throws(TransportError) in
      for count in [40, 3_000, 9_000] {
        clock.advance(by: .milliseconds(100))
        request.onBytes?(Array(damaged.prefix(count)))
      }
      return TransportResponse(status: 200, headers: .fresh, body: damaged, url: request.url)
    }
    let pipeline = ImagePipeline.deterministic(transport: transport, clock: clock)
    for await event in pipeline.events(for: request) {
      if case .preview = event { Issue.record("\(event)") }
    }
  }
}
