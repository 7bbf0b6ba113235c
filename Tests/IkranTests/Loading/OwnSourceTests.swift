import FoundationEssentials
import IkranSystem
import IkranTesting
import IkranTransport
import Support
import Testing

@testable import Ikran

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

  @Test func requestsThatNameTheirSourceAlikeHaveOneImage() async throws {
    let folder = try TemporaryDirectory()
    let transport = FakeTransport(body: try TestImages.png(width: 8, height: 8))
    let pipeline = ImagePipeline.deterministic(transport: transport, folder: folder.path) {
      $0.keys.filter = { $0 + " by the pipeline" }
    }
    for token in ["1", "2", "3"] {
      let url = "https://example.test/a?token=\(token)"
      var request = ImageRequest(location: url, style: .circle(4))
      request.cacheName = token == "3" ? "another" : "a"
      _ = try await pipeline.image(for: request)
    }
    #expect(transport.requests.map(\.url).map { $0.suffix(1) } == ["1", "3"])
    await pipeline.finishWriting()
    let later = ImagePipeline.deterministic(transport: FakeTransport(), folder: folder.path)
    var request = ImageRequest(location: "https://elsewhere.test/", style: .circle(4))
    request.cacheName = "a"
    #expect(try await later.response(for: request).source == .table)
  }

  @Test func aNamedImageWhoseRedirectNamesAnotherTargetEachTimeIsDownloadedOnce() async throws {
    let (png, count) = (try TestImages.png(width: 8, height: 8), Guarded(0))
    let transport = FakeTransport { (request, _) throws(TransportError) in
      let isTarget = request.url.contains("signed")
      let number = count.withLock { count in
        count += 1
        return count
      }
      return TransportResponse(
        status: isTarget ? 200 : 302,
        headers: isTarget ? .fresh : [HeaderField("Location", "/signed?\(number)")],
        body: isTarget ? png : [],
        url: request.url
      )
    }
    let pipeline = ImagePipeline.deterministic(transport: transport)
    for side in [4, 5] {
      let url = "https://example.test/a"
      var request = ImageRequest(location: url, style: .circle(Double(side)))
      request.cacheName = "a"
      _ = try await pipeline.image(for: request)
    }
    #expect(transport.requests.count { $0.url.contains("signed") } == 1)
  }

  @Test func aTokenThatHasExpiredFailsForItsOwnURLAlone() async throws {
    let png = try TestImages.png(width: 8, height: 8)
    let transport = FakeTransport { (request, _) throws(TransportError) in
      let isRefused = request.url.hasSuffix("old")
      return TransportResponse(
        status: isRefused ? 403 : 200,
        headers: .fresh,
        body: isRefused ? [] : png,
        url: request.url
      )
    }
    let pipeline = ImagePipeline.deterministic(transport: transport)
    var request = ImageRequest(location: "https://example.test/a?old", style: .circle(4))
    request.cacheName = "a"
    await #expect(throws: ImageError.self) { try await pipeline.image(for: request) }
    var next = ImageRequest(location: "https://example.test/a?new", style: .circle(4))
    next.cacheName = "a"
    #expect(try await pipeline.image(for: next).width == 4)
    #expect(try await pipeline.image(for: request).width == 4)
    #expect(transport.requests.count == 2)
    let identities = [request, next].map { RequestIdentity($0, in: pipeline) }
    #expect(identities[0] != identities[1])
  }

  @Test func aFallbackHasTheNameOfItsOwnURL() throws {
    var request = ImageRequest(location: "https://example.test/a", style: .circle(4))
    request.cacheName = "a"
    let fallback = URL(string: "https://example.test/b")!
    #expect(request.fallingBack(to: fallback).sourceKey == ImageRequest(fallback).sourceKey)
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
