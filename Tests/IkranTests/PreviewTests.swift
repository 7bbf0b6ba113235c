import IkranCodecs
import IkranPixels
import IkranStores
import IkranTesting
import Support
import Testing

@testable import Ikran

/// Progressive JPEGs are seen while they arrive.
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
    try CodecList.standard.decode(bytes.span)
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
}
