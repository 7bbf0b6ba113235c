import Glibc
import IkranStores
import IkranTransport
import Support
import Testing

@testable import Ikran

@Suite("Networks that cost money", .timeLimit(.minutes(10)))
struct MeteredNetworkTests {
  private let clock = ManualClock()

  /// What a network that is asked by a door answers, one after the other.
  private final class Answers: Sendable {
    private let left: Guarded<[Bool?]>
    private let door: ThreadLatch?
    let asked = Counter()

    init(_ answers: [Bool?], door: ThreadLatch? = nil) {
      left = Guarded(answers)
      self.door = door
    }

    @Sendable func next() -> Bool? {
      asked.add()
      door?.wait()
      return left.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
  }

  private func network(_ answers: Answers) -> MeteredNetwork {
    MeteredNetwork(now: { [clock] in clock.microseconds }, ask: answers.next)
  }

  @Test func nobodyWaitsForTheAnswer() async throws {
    let door = ThreadLatch()
    let answers = Answers([true], door: door)
    let network = network(answers)
    for _ in 0..<100 { #expect(!network.isMetered()) }
    door.open()
    try await until { network.isMetered() }
    #expect(answers.asked.count == 1)
  }

  @Test func anAnswerIsGoodForTenSeconds() async throws {
    let answers = Answers([true, false])
    let network = network(answers)
    try await until { network.isMetered() }
    clock.advance(by: .milliseconds(9_999))
    #expect(network.isMetered())
    #expect(answers.asked.count == 1)
    clock.advance(by: .milliseconds(1))
    #expect(network.isMetered())
    try await until { !network.isMetered() }
    #expect(answers.asked.count == 2)
  }

  @Test func aClockThatIsSetBackDelaysNoQuestion() async throws {
    let answers = Answers([true, false])
    let network = network(answers)
    try await until { network.isMetered() }
    clock.advance(by: .seconds(-3600))
    try await until { !network.isMetered() }
  }

  @Test func whereNobodyCanBeAskedNobodyIsAskedAgain() async throws {
    let answers = Answers([nil, true])
    let network = network(answers)
    for _ in 0..<5 {
      #expect(!network.isMetered())
      try await until { answers.asked.count == 1 }
      clock.advance(by: .seconds(60))
    }
    #expect(answers.asked.count == 1)
  }

  @Test(arguments: ["libikran-has-no-such-library.so.0", "libc.so.6"])
  func withoutGIONobodyCanBeAsked(library: String) {
    #expect(NetworkMonitor(library: library).isNetworkMetered() == nil)
  }

  @Test func aRequestThatDoesNotDependOnItAsksNobody() async throws {
    let answers = Answers([true])
    let transport = FakeTransport(body: try TestImages.png(width: 8, height: 8))
    let pipeline = pipeline(transport, answers)
    _ = try await pipeline.image(for: request("a"))
    _ = try await pipeline.image(for: request("b", .below(bytesPerSecond: 1, "http://a.test/c")))
    for mode in [LowDataMode.on, .off] {
      pipeline.lowDataMode = mode
      _ = try await pipeline.image(for: request("d-\(mode)", .onLowData("http://a.test/e-\(mode)")))
    }
    #expect(answers.asked.count == 0)
    #expect(transport.urls == ["a", "b", "e-on", "d-off"].map { "http://a.test/\($0)" })
  }

  @Test func theRequestThatAsksIsItselfNotKeptWaiting() async throws {
    let door = ThreadLatch()
    defer { door.open() }
    let transport = FakeTransport(body: try TestImages.png(width: 8, height: 8))
    let pipeline = pipeline(transport, Answers([true], door: door))
    let request = request("large", .onLowData("http://a.test/small"))
    _ = try await pipeline.image(for: request)
    #expect(transport.urls == ["http://a.test/large"])
  }

  @Test(arguments: [("0", "large"), ("1", "small")])
  func theEnvironmentOutranksTheNetwork(word: String, expected: String) async throws {
    let answers = Answers([word == "0"])
    let transport = FakeTransport(body: try TestImages.png(width: 8, height: 8))
    let pipeline = pipeline(transport, answers, ["IKRAN_LOW_DATA": word])
    _ = try await pipeline.image(for: request("large", .onLowData("http://a.test/small")))
    #expect(transport.urls == ["http://a.test/\(expected)"])
    #expect(answers.asked.count == 0)
  }

  private func pipeline(
    _ transport: FakeTransport,
    _ answers: Answers,
    _ environment: [String: String] = [:]
  ) -> ImagePipeline {
    ImagePipeline(
      options: .steady,
      transport: transport,
      clock: clock.pipelineClock,
      metered: network(answers),
      environment: { environment[$0] }
    )
  }

  private func request(_ name: String, _ alternatives: Alternative...) -> ImageRequest {
    var request = ImageRequest(location: "http://a.test/\(name)", style: .circle(4))
    request.transfer.alternatives = alternatives
    return request
  }
}

/// A process of its own for each test: GIO finds the bus by the environment.
@Suite(
  "The system's word on what the network costs",
  .timeLimit(.minutes(10)),
  .enabled(if: PrivateBus.isInstalled, "needs dbus-daemon and python3-gi"),
  .disabled(if: Sanitizer.watchesThreads, "ThreadSanitizer reports GLib's own threads")
)
struct MeteredBusTests {
  @Test func onANetworkThatCostsMoneyTheOtherSourceIsLoaded() async {
    await #expect(processExitsWith: .success) {
      let bus = try PrivateBus()
      try bus.say(.yes)
      setenv("DBUS_SYSTEM_BUS_ADDRESS", bus.address, 1)
      let clock = ManualClock()
      let transport = FakeTransport(body: try TestImages.png(width: 8, height: 8))
      let pipeline = ImagePipeline(
        options: .steady,
        transport: transport,
        clock: clock.pipelineClock
      )
      try await until { pipeline.metered.isMetered() }
      var request = ImageRequest(location: "http://a.test/large", style: .circle(4))
      request.transfer.alternatives = [.onLowData("http://a.test/small")]
      _ = try await pipeline.image(for: request)
      #expect(transport.urls == ["http://a.test/small"])

      try bus.say(.no)
      clock.advance(by: .seconds(10))
      try await until { !pipeline.metered.isMetered() }
      _ = try await pipeline.image(for: request)
      #expect(transport.urls == ["http://a.test/small", "http://a.test/large"])

      try bus.say(.yes)
      clock.advance(by: .seconds(10))
      try await until { pipeline.metered.isMetered() }
      withExtendedLifetime(bus) {}
    }
  }

  @Test func withoutABusNoNetworkIsMetered() async {
    await #expect(processExitsWith: .success) {
      setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/no/bus/here", 1)
      #expect(NetworkMonitor().isNetworkMetered() == false)
    }
  }
}
