import IkranCodecs
import IkranPixels
import IkranStores
import IkranTesting
import Support
import Testing

@testable import Ikran

/// Progressive and interlaced files are seen while they arrive.
@Suite(.timeLimit(.minutes(10))) struct PreviewTests {
  private let request = ImageRequest(location: "http://example.test/a.jpg", style: .original)
  private let file: [UInt8]
  /// Where its first scan ends, and its last but one.
  private let ends: [Int]

  init() throws {
    let file = try Fixtures.bytes("areas-progressive.jpg")
    var scans = JPEGScans()
    var all: [Int] = []
    for count in 0...file.count {
      let (before, beginning) = (scans.count, Array(file.prefix(count)))
      scans.read(beginning.span)
      if scans.count > before { all.append(scans.end) }
    }
    (self.file, ends) = (file, [all[0], all[all.count - 2]])
  }

  private func decoded(_ bytes: [UInt8]) throws -> Bitmap {
    try CodecList.standard.decode(bytes.span).bitmap
  }

  /// Brings the scans one after the other, each when the one before has been seen and 100 ms have passed.
  private func origin(_ clock: ManualClock, _ seen: [Latch]) -> FakeTransport {
    let (file, ends) = (file, ends)
    return FakeTransport(clock: clock) { request, progress throws(TransportError) in
      progress(TransferProgress(received: 2, expected: file.count))
      request.onBytes?(Array(file.prefix(2)))
      for (end, latch) in zip(ends, seen) {
        clock.advance(by: .milliseconds(100))
        // The marker after the scan ends it.
        request.onBytes?(Array(file.prefix(end + 2)))
        _ = await latch.wait()
      }
      return TransportResponse(status: 200, headers: .fresh, body: file, url: request.url)
    }
  }

  @Test func scansAreSeenInTheirOrderAndTheLastIsTheImage() async throws {
    let (clock, seen) = (ManualClock(), [Latch(), Latch()])
    let pipeline = ImagePipeline.deterministic(transport: origin(clock, seen), clock: clock)
    var previews: [Bitmap] = []
    for await event in pipeline.events(for: request) {
      switch event {
      case .preview(let response):
        #expect(response.source == .network)
        previews.append(response.image)
        seen[previews.count - 1].open()
      case .finished(let response):
        let parts = try ends.map { try decoded(file[..<$0] + [0xFF, 0xD9]) }
        #expect(previews.count == 2)
        for (preview, part) in zip(previews, parts) { #expect(preview.hasSamePixels(as: part)) }
        #expect(response.image.hasSamePixels(as: try decoded(file)))
        #expect(!previews[0].hasSamePixels(as: response.image))
      case .progress: break
      default: Issue.record("\(event)")
      }
    }
  }

  @Test func aFileThatArrivesAtOnceHasNone() async throws {
    let (clock, latch) = (ManualClock(), Latch())
    latch.open()
    let (file, ends) = (file, ends)
    let transport = FakeTransport(clock: clock) { request, progress throws(TransportError) in
      progress(TransferProgress(received: 2, expected: file.count))
      for end in ends { request.onBytes?(Array(file.prefix(end + 2))) }
      return TransportResponse(status: 200, headers: .fresh, body: file, url: request.url)
    }
    let pipeline = ImagePipeline.deterministic(transport: transport, clock: clock)
    for await event in pipeline.events(for: request) {
      if case .preview = event { Issue.record("\(event)") }
    }
    #expect(pipeline.statistics.decodes == 1)
  }

  // MARK: - Interlaced files

  private static let png = PNGSample(
    size: PixelSize(width: 60, height: 50),
    isInterlaced: true,
    pixel: { x, y in [UInt16(x * 1_000), UInt16(y * 1_200), UInt16(x * y * 20)] }
  ).bytes

  private static let gif = GIFSample.interlaced(width: 160, height: 128) { x, y in
    UInt8((x * y) % 256)
  }

  @Test(arguments: [Self.png, Self.gif])
  func passesAreSeenInTheirOrderAndTheLastIsTheImage(_ file: [UInt8]) async throws {
    let counts = [4, 2, 1].map { file.count * 15 / 16 / $0 }
    let (clock, seen) = (ManualClock(), counts.map { _ in Latch() })
    let transport = FakeTransport.arriving(
      file,
      first: 40,
      counts: counts,
      clock: clock,
      seen: seen
    )
    let pipeline = ImagePipeline.deterministic(transport: transport, clock: clock)
    let whole = try decoded(file)
    var differences: [Int] = []
    for await event in pipeline.events(for: request) {
      switch event {
      case .preview(let response):
        #expect(response.source == .network && response.image.size == whole.size)
        let pairs = zip(try response.image.straightRGBA(), try whole.straightRGBA())
        differences.append(pairs.reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) })
        seen[differences.count - 1].open()
      case .finished(let response): #expect(response.image.hasSamePixels(as: whole))
      case .progress: break
      default: Issue.record("\(event)")
      }
    }
    #expect(differences.count == 3)
    #expect(differences == differences.sorted(by: >))
    #expect(pipeline.statistics.decodes == 1)
  }

  @Test func theBytesOfAnInterlacedFileHaveToDoubleFromLookToLook() async throws {
    let (file, looks) = (Self.png, [2_040, 4_540, 9_540])
    let (clock, seen) = (ManualClock(), looks.map { _ in Latch() })
    let transport = FakeTransport(clock: clock) { request, progress throws(TransportError) in
      progress(TransferProgress(received: 40, expected: file.count))
      var latches = seen[...]
      request.onBytes?(Array(file.prefix(40)))
      for count in stride(from: 2_040, to: file.count, by: 500) {
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
}
