import FoundationEssentials
import Ikran
import IkranSystem
import IkranTesting
import Support
import Testing

/// Requests whose bytes a closure of the program brings, and versions of a source.
@Suite struct OwnSourceTests {
  private struct Missing: Error, CustomStringConvertible {
    var description: String { "no such record" }
  }

  private let calls = Guarded(0)

  private func request(
    _ style: Style = .circle(4),
    _ bring: @escaping @Sendable () async throws -> [UInt8]
  ) -> ImageRequest {
    ImageRequest(id: "record 7", style: style) { [calls] in
      calls.withLock { $0 += 1 }
      return try await bring()
    }
  }

  private var pipeline: ImagePipeline {
    ImagePipeline(options: PipelineOptions(disk: nil), transport: FakeTransport())
  }

  @Test func aClosureBringsTheFileOnceForAllWhoWait() async throws {
    let (door, pipeline) = (Latch(), pipeline)
    let png = try TestImages.png(width: 8, height: 8)
    let requests = [Style.circle(4), .circle(6), .original].map { style in
      request(style) {
        guard await door.wait() else { throw CancellationError() }
        return png
      }
    }
    let views = requests.map { request in Task { try await pipeline.response(for: request) } }
    await door.arrivals(1)
    try await until { pipeline.activity.requests >= 3 }
    door.open()
    for view in views { #expect(try await view.value.source == .data) }
    #expect(calls.withLock { $0 } == 1)
  }

  @Test func itIsNotCalledWhileMemoryHasTheImage() async throws {
    let pipeline = pipeline
    let png = try TestImages.png(width: 8, height: 8)
    _ = try await pipeline.image(for: request { png })
    #expect(pipeline.cached(for: request { throw Missing() }) != nil)
    #expect(try await pipeline.response(for: request { throw Missing() }).source == .memory)
    #expect(calls.withLock { $0 } == 1)
  }

  @Test func whatItThrowsIsTheErrorOfTheRequest() async throws {
    await #expect(throws: ImageError.source("no such record", url: "record 7")) {
      try await pipeline.image(for: request { throw Missing() })
    }
  }

  @Test func afterAFailureItIsCalledAgain() async throws {
    let pipeline = pipeline
    let png = try TestImages.png(width: 8, height: 8)
    _ = try? await pipeline.image(for: request { throw Missing() })
    _ = try await pipeline.image(for: request { png })
    #expect(calls.withLock { $0 } == 2)
  }

  @Test func whatIsNoImageIsAnErrorOfDecoding() async throws {
    await #expect(throws: ImageError.decode(.unknownFormat(hint: nil), url: "record 7")) {
      try await pipeline.image(for: request { Array("no image".utf8) })
    }
  }

  @Test func itsTaskIsCancelledWhenAllWhoWaitHaveLeft() async throws {
    let (door, left, pipeline) = (Latch(), Latch(), pipeline)
    left.open()
    let request = request {
      if await !door.wait() { _ = await left.wait() }
      throw CancellationError()
    }
    let view = Task { try await pipeline.image(for: request) }
    await door.arrivals(1)
    view.cancel()
    await #expect(throws: ImageError.cancelled) { try await view.value }
    await left.arrivals(1)
  }

  @Test func itsFileIsHandedOutUnchanged() async throws {
    let png = try TestImages.png(width: 8, height: 8)
    #expect(try await pipeline.data(for: request { png }) == png)
  }

  @Test func anotherSignatureIsAnotherImage() async throws {
    let transport = FakeTransport(body: try TestImages.png(width: 8, height: 8))
    let pipeline = ImagePipeline.deterministic(transport: transport)
    var request = ImageRequest(location: "https://example.test/a", style: .circle(4))
    for version in ["1", "1", "2", nil] {
      request.signature = version
      _ = try await pipeline.image(for: request)
    }
    #expect(transport.requests.count == 3)
    #expect(Set(transport.requests.map(\.url)) == ["https://example.test/a"])
  }

  @Test func aSignatureIsPartOfTheKey() {
    var request = ImageRequest(location: "https://example.test/a", style: .circle(4))
    let plain = request.sourceKey
    request.signature = "1"
    #expect(request.sourceKey != plain)
    request.signature = nil
    #expect(request.sourceKey == plain)
  }
}
