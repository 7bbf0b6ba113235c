import IkranServer
import IkranStores
import Support
import Testing

@testable import Ikran

/// The whole line over real sockets and a real disk cache.
@Suite(.timeLimit(.minutes(10)))
struct PipelineNetworkTests {
  private let pictures: TemporaryDirectory

  init() throws { pictures = try TemporaryDirectory() }

  private func request(_ url: String, _ style: Style = .circle(32)) -> ImageRequest {
    ImageRequest(location: url, style: style)
  }

  /// An origin of small pictures: drawing portraits takes seconds under a sanitizer.
  private func origin(count: Int, faults: Faults = Faults()) throws -> Origin {
    for number in 0..<count {
      let png = try TestImages.png(width: 60 + number, height: 50)
      try Files.writeAtomically(png, to: "\(pictures.path)/\(number).png")
    }
    return try Origin(.folder(path: pictures.path), faults: faults)
  }

  @Test func theSecondRunDownloadsNothing() async throws {
    let origin = try origin(count: 3, faults: Faults(maxAge: 3600))
    defer { withExtendedLifetime(origin) {} }
    let folder = try TemporaryDirectory()
    let options = PipelineOptions(disk: DiskOptions(directory: folder.path))
    for run in ["cold", "warm"] {
      let pipeline = ImagePipeline(options: options)
      for url in origin.urls {
        let response = try await pipeline.response(for: request(url))
        #expect(response.source == (run == "cold" ? .network : .disk))
        #expect(response.image.size == PixelSize(width: 32, height: 32))
      }
      await pipeline.finishWriting()
      #expect(pipeline.statistics.diskFailures == 0)
    }
    #expect(origin.statistics.requests == 3)
    origin.stop()
  }

  @Test func theNextDownloadKnowsThatTheHostIsGone() async throws {
    let origin = try origin(count: 20, faults: Faults(maxAge: 0))
    defer { withExtendedLifetime(origin) {} }
    let begun = Recorder<String>()
    let pipeline = ImagePipeline(
      options: PipelineOptions(memory: .steady, network: NetworkOptions(maximumConcurrent: 2))
    ) { event in
      if case .transferBegan(let url) = event { begun.add(url) }
    }
    for url in origin.urls { _ = try await pipeline.image(for: request(url)) }
    #expect(begun.items.count == 20)
    origin.stop()
    pipeline.isSuspended = true
    let images = origin.urls.map { url in
      Task { try await pipeline.response(for: request(url)).source }
    }
    try await until { pipeline.downloads.waiting == 20 }
    pipeline.isSuspended = false
    for image in images { #expect(try await image.value == .memory) }
    #expect(begun.items.count <= 22)
  }

  @Test func theHeadOfAResponseIsReportedBeforeItsEnd() async throws {
    let origin = try origin(count: 1)
    defer { withExtendedLifetime(origin) {} }
    let steps = Recorder<String>()
    let pipeline = ImagePipeline(options: .steady) { event in
      switch event {
      case .transferBegan: steps.add("began")
      case .responseBegan(_, let head):
        steps.add("\(head.status) \(head.header("content-type") ?? "")")
      case .transferEnded(_, let status, _): steps.add("ended \(status ?? 0)")
      default: break
      }
    }
    _ = try await pipeline.image(for: request(try #require(origin.urls.first)))
    #expect(steps.items == ["began", "200 image/png", "ended 200"])
  }

  @Test func thirtyTwoCallersOfOneURLMakeOneTransfer() async throws {
    let origin = try origin(count: 1)
    defer { withExtendedLifetime(origin) {} }
    let pipeline = ImagePipeline(options: .steady)
    let url = try #require(origin.urls.first)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for diameter in 1...32 {
        group.addTask {
          _ = try await pipeline.image(for: request(url, .circle(Double(diameter))))
        }
      }
      try await group.waitForAll()
    }
    #expect(origin.statistics.requests == 1)
    #expect(pipeline.statistics.stylings == 32)
    origin.stop()
  }

  @Test func noMoreTransfersRunAtOnceThanAllowed() async throws {
    let origin = try origin(count: 12, faults: Faults(delay: .milliseconds(5)))
    defer { withExtendedLifetime(origin) {} }
    let pipeline = ImagePipeline(
      options: PipelineOptions(memory: .steady, network: NetworkOptions(maximumConcurrent: 3))
    )
    try await withThrowingTaskGroup(of: Void.self) { group in
      for url in origin.urls {
        group.addTask { _ = try await pipeline.image(for: request(url)) }
      }
      try await group.waitForAll()
    }
    #expect(origin.statistics.maximumInFlight <= 3)
    origin.stop()
  }

  @Test func everyCallerGetsOneEndingFromAnOriginThatFails() async throws {
    let seed = UInt64.random(in: 0 ... .max)
    print("seed \(seed)")
    let origin = try origin(
      count: 12,
      faults: Faults(rates: FaultRates(fail: 0.1, drop: 0.1, truncate: 0.1), seed: seed)
    )
    defer { withExtendedLifetime(origin) {} }
    let urls = origin.urls
    let folder = try TemporaryDirectory()
    let pipeline = ImagePipeline(
      options: PipelineOptions(memory: .steady, disk: DiskOptions(directory: folder.path))
    )
    let endings = Recorder<Bool>()
    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<16 {
        group.addTask {
          var random = SeededGenerator(seed: seed &+ UInt64(worker))
          for _ in 0..<40 {
            let url = urls[Int.random(in: 0..<urls.count, using: &random)]
            let style = Style.circle(Double(Int.random(in: 8...12, using: &random)))
            var request = ImageRequest(location: url, style: style)
            if Int.random(in: 0..<4, using: &random) == 0 { request.caching.policy = .reload }
            let task = pipeline.task(for: request)
            if Bool.random(using: &random) { task.priority = .high }
            if Int.random(in: 0..<4, using: &random) == 0 { task.cancel() }
            do throws(ImageError) {
              let response = try await task.response
              endings.add(try response.image.width == style.width)
            } catch {
              endings.add(true)
            }
          }
        }
      }
    }
    #expect(endings.items.count == 640)
    #expect(endings.items.allSatisfy { $0 })
    // Work that its last caller left ends a little later.
    try await until { pipeline.activity.sources == 0 }
    origin.stop()
  }
}

extension Style {
  /// The pixels across at scale 1.
  fileprivate var width: Int {
    get throws(ImageError) {
      do throws(StyleError) {
        guard case .cover(let size) = try fitting(scale: 1) else { return 0 }
        return size.width
      } catch {
        throw .style(error)
      }
    }
  }
}
