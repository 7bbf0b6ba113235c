import Ikran
import IkranTesting
import IkranTransport
import Support
import Testing

/// Lists of images whose host cannot be reached.
@Suite("Dead hosts", .timeLimit(.minutes(10)))
struct DeadHostTests {
  private let clock = ManualClock()
  private let transport: FakeTransport
  private let png: [UInt8]

  init() throws {
    transport = FakeTransport(clock: clock)
    png = try Square.png(50)
  }

  /// A pipeline with the default retries and memory of failures.
  private func pipeline(
    _ change: (inout PipelineOptions) -> Void = { _ in }
  ) -> ImagePipeline {
    .deterministic(transport: transport) {
      $0.network = NetworkOptions()
      change(&$0)
    }
  }

  private func request(_ name: Int, host: String = "dead.test") -> ImageRequest {
    ImageRequest(location: "http://\(host)/\(name).png", style: .circle(8))
  }

  /// How each of some requests ends, which are made together; every wait passes at once.
  private func errors(
    _ pipeline: ImagePipeline,
    _ numbers: Range<Int>
  ) async throws -> [Int: ImageError] {
    let (errors, ended) = (Recorder<(Int, ImageError?)>(), Counter())
    for number in numbers {
      Task {
        do throws(ImageError) {
          _ = try await pipeline.image(for: request(number))
          errors.add((number, nil))
        } catch {
          errors.add((number, error))
        }
        ended.add()
      }
    }
    while ended.count < numbers.count {
      try Task.checkCancellation()
      if clock.sleepers > 0 { clock.advance(by: .milliseconds(50)) }
      await Task.yield()
    }
    return errors.items.reduce(into: [:]) { $0[$1.0] = $1.1 }
  }

  @Test(arguments: [
    TransportError.cannotConnect("dead.test"), .hostNotFound("dead.test"),
    .timedOut(after: .seconds(10)), .tooSlow(MinimumSpeed(bytesPerSecond: 100, over: .seconds(15))),
  ])
  func aListEndsAfterAFewFailures(failure: TransportError) async throws {
    transport.respond(with: .failure(failure))
    let errors = try await errors(pipeline(), 0..<200)
    #expect(transport.urls.count <= 40)
    #expect(errors.count == 200)
    #expect(
      errors.allSatisfy { number, error in
        error == .transport(failure, url: "http://dead.test/\(number).png")
      }
    )
  }

  @Test func oneRequestAtATimeFindsOutWhetherTheHostIsBack() async throws {
    transport.respond(with: .failure(.cannotConnect("dead.test")))
    let pipeline = pipeline()
    _ = try await errors(pipeline, 0..<20)
    // The longest pause: how often it was doubled depends on the order of the failures.
    clock.advance(by: .seconds(30))
    let before = transport.urls.count
    // The first one tries, and its failure ends it and the others.
    #expect(try await errors(pipeline, 20..<40).count == 20)
    #expect(transport.urls.count == before + 1)
    transport.respond(with: .ok(png))
    clock.advance(by: .seconds(30))
    _ = try await pipeline.image(for: request(40))
    #expect(try await errors(pipeline, 41..<60).isEmpty)
  }

  @Test func theFirstByteOfAHostOpensIt() async throws {
    let (isBack, rest) = (Counter(), Latch())
    let transport = FakeTransport(clock: clock) { [png] request, progress throws(TransportError) in
      guard isBack.count > 0 else { throw .cannotConnect("dead.test") }
      if request.url.hasSuffix("/20.png") {
        progress(TransferProgress(received: 1, expected: png.count))
        _ = await rest.wait()
      }
      return TransportResponse(status: 200, headers: .fresh, body: png, url: request.url)
    }
    let pipeline = ImagePipeline.deterministic(transport: transport) {
      $0.network = NetworkOptions()
      $0.network.queue.maximumSilence = nil
      // The requests below move the clock while the probe waits.
      $0.network.timeout = .seconds(1_000_000)
    }
    _ = try await errors(pipeline, 0..<20)
    // The longest pause: how often it was doubled depends on the order of the failures.
    clock.advance(by: .seconds(30))
    isBack.add()
    let probe = Task { try await pipeline.image(for: request(20)) }
    await rest.arrivals(1)
    // The rest of its body is still to come.
    #expect(try await errors(pipeline, 21..<30).isEmpty)
    rest.open()
    _ = try await probe.value
  }

  @Test func otherHostsAndFailuresLaterAreNotConcerned() async throws {
    transport.respond(with: .failure(.cannotConnect("dead.test")))
    let pipeline = pipeline()
    _ = try await errors(pipeline, 0..<20)
    transport.respond(with: .ok(png))
    _ = try await pipeline.image(for: request(0, host: "live.test"))
  }

  @Test func aNetworkThatWakesUpLosesNoImage() async throws {
    let wakesUp = clock.now.advanced(by: .milliseconds(300))
    let transport = FakeTransport(clock: clock) { [clock, png] request, _ throws(TransportError) in
      guard clock.now >= wakesUp else { throw .hostNotFound("dead.test") }
      return TransportResponse(status: 200, headers: .fresh, body: png, url: request.url)
    }
    let pipeline = ImagePipeline.deterministic(transport: transport) {
      $0.network = NetworkOptions(retry: .fixed(maximum: 2, delay: .milliseconds(250)))
    }
    #expect(try await errors(pipeline, 0..<20).isEmpty)
  }

  @Test func aServerThatRespondsIsNoDeadHost() async throws {
    transport.respond(with: .status(500))
    let count = 40
    #expect(try await errors(pipeline(), 0..<count).count == count)
    #expect(transport.urls.count == 3 * count)
  }
}
