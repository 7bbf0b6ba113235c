import FoundationEssentials
import Ikran
import IkranTransport
import Support
import Testing

@Suite(.timeLimit(.minutes(10)))
struct TransportQueueTests {
  @Test func aDownloadThatEndsStartsTheNextWithoutAWakeUpOrANewConnection() async throws {
    let png = try TestImages.png(width: 8, height: 8)
    let server = try LoopbackServer { $1.send(body: png) }
    defer { withExtendedLifetime(server) {} }
    let transport = TransportUnderTest(CurlOptions(limits: TransferLimits(minimumSpeed: nil)))
    let network = NetworkOptions(queue: QueueOptions(maximumConcurrent: 1))
    let pipeline = ImagePipeline(options: PipelineOptions(network: network), transport: transport)
    pipeline.isSuspended = true
    let images = try (0..<50).map { number in
      let request = ImageRequest(try #require(URL(string: "\(server.url)/\(number)")))
      return Task { try await pipeline.image(for: request) }
    }
    try await until { pipeline.downloads.waiting == 50 }
    pipeline.isSuspended = false
    for image in images { #expect(try await image.value.width == 8) }
    #expect(server.connections == 1)
    #expect(transport.openedConnections <= 1)
    // The first one alone may have found the thread asleep.
    #expect(transport.wakeUps <= 1)
  }
}
