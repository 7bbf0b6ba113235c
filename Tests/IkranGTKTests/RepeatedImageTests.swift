import CGTK
import FoundationEssentials
@testable import IkranGTK
import IkranTesting
import Support
import Testing

extension GTKTests {
  /// The same image again: what the caches, the request or the options have instead by now.
  @Suite @MainActor
  struct RepeatedImageTests {
    private let transport = TestURL.origin()
    private let pipeline: ImagePipeline

    init() throws {
      try Display.open()
      pipeline = .deterministic(transport: transport)
    }

    private func request(_ number: Int, scale: Double? = nil) -> ImageRequest {
      var request = ImageRequest(TestURL.face(number), style: .small)
      request.scale = scale
      return request
    }

    @Test func anImageThatWasReplacedInMemoryIsReplacedInTheView() throws {
      let window = try Window(width: 16, height: 16)
      let view = ImageTarget(window.widget)
      for number in [1, 2] {
        pipeline.store(try TestURL.picture(number), for: request(0, scale: 1))
        view.setImage(request(0), from: pipeline)
        #expect(view.state.isShown)
        #expect(view.image?.middle == TestURL.color(number))
      }
      #expect(transport.requests.isEmpty)
    }

    @Test func anImageThatNoCacheHasIsLoadedWhileTheOldOneIsShown() async throws {
      let window = try Window(width: 16, height: 16)
      let view = ImageTarget(window.widget)
      view.setImage(request(1), from: pipeline)
      try Display.run { view.state.isShown }
      await pipeline.removeAll()
      view.setImage(request(1), from: pipeline)
      #expect(view.state.isLoading)
      #expect(view.image?.middle == TestURL.color(1))
      try Display.run { view.state.isShown }
      #expect(transport.requests.count == 2)
    }

    @Test func aStaleImageIsRequestedAgain() throws {
      let clock = ManualClock()
      let transport = FakeTransport(clock: clock) { (request, _) async throws(TransportError) in
        guard let file = try? TestURL.file(1) else { throw .invalidURL(request.url) }
        let headers = [HeaderField("Cache-Control", "max-age=10")]
        return TransportResponse(status: 200, headers: headers, body: file, url: request.url)
      }
      let pipeline = ImagePipeline.deterministic(transport: transport, clock: clock)
      let window = try Window(width: 16, height: 16)
      let view = ImageTarget(window.widget)
      for count in 1...2 {
        view.setImage(request(1), from: pipeline)
        try Display.run { view.state.isShown }
        #expect(transport.requests.count == count)
        clock.advance(by: .seconds(3600))
      }
    }

    @Test func aRequestThatMayDoMoreIsNotTheSame() throws {
      let plain = request(1)
      var cached = plain
      cached.caching.policy = .onlyCached
      var second = plain
      second.transfer.fallbacks = [TestURL.face(2)]
      let identities = [plain, cached, second]
        .map { LayerSource.request($0, pipeline).identity(1) }
      #expect(Set(identities).count == 3)
    }

    @Test func aHigherPriorityIsThatOfTheLoadUnderWay() throws {
      let gate = Latch()
      let slow = TestURL.origin(gate)
      let pipeline = ImagePipeline.deterministic(transport: slow)
      pipeline.maximumConcurrentDownloads = 1
      let windows = try (0..<3).map { _ in try Window(width: 16, height: 16) }
      let views = windows.map { ImageTarget($0.widget) }
      views[0].setImage(request(0), from: pipeline)
      try Display.run { pipeline.downloads.running == 1 }
      var urgent = request(2)
      urgent.priority = .low
      views[2].setImage(urgent, from: pipeline)
      views[1].setImage(request(1), from: pipeline)
      try Display.run { pipeline.downloads.waiting == 2 }
      urgent.priority = .high
      views[2].setImage(urgent, from: pipeline)
      gate.open()
      try Display.run { views.allSatisfy { $0.state.isShown } }
      #expect(slow.urls == [0, 2, 1].map { TestURL.face($0).absoluteString })
    }

    @Test func anotherPlaceholderIsSeenWhileTheImageLoads() throws {
      let gate = Latch()
      defer { gate.open() }
      let pipeline = ImagePipeline.deterministic(transport: TestURL.origin(gate))
      let window = try Window(width: 16, height: 16)
      let view = ImageTarget(window.widget)
      for gray: UInt8 in [226, 62] {
        let color = Color(red: gray, green: gray, blue: gray)
        let options = DisplayOptions(placeholder: .color(color))
        view.setImage(request(1), from: pipeline, options: options)
        try window.drawFrames(2)
        #expect(try window.pixels().middle == color)
      }
    }

    @Test func otherPlaybackOptionsHaveAnotherPlayer() throws {
      let file = try Fixtures.bytes("animation-3-frames.webp")
      let pipeline = ImagePipeline.deterministic(transport: FakeTransport(body: file))
      let window = try Window(width: 16, height: 16)
      let view = ImageTarget(window.widget)
      view.setImage(request(1), from: pipeline)
      try Display.run { view.state.isShown }
      let first = try #require(view.player)
      var options = DisplayOptions()
      options.playback.playsAutomatically = false
      view.setImage(request(1), from: pipeline, options: options)
      let second = try #require(view.player)
      #expect(first !== second)
      #expect(second.state == .stopped)
    }

    @Test func anImageThatArrivedWhileItsWidgetWasHiddenIsThereWithTheWidget() throws {
      let window = try Window(width: 16, height: 16)
      gtk_widget_set_visible(window.widget, 0)
      let view = ImageTarget(window.widget)
      view.setImage(request(1), from: pipeline)
      pipeline.store(try TestURL.picture(1), for: request(1, scale: 1))
      gtk_widget_set_visible(window.widget, 1)
      try Display.run { gtk_widget_get_mapped(window.widget) != 0 }
      #expect(view.state.isShown)
      #expect(transport.requests.isEmpty)
    }

    @Test func aLoadThatThePipelineCancelledBeginsAgainWithTheWidget() throws {
      let gate = Latch()
      let slow = TestURL.origin(gate)
      let pipeline = ImagePipeline.deterministic(transport: slow)
      let window = try Window(width: 16, height: 16)
      let view = ImageTarget(window.widget)
      view.setImage(request(1), from: pipeline)
      try Display.run { pipeline.downloads.running == 1 }
      pipeline.cancelAll()
      try Display.run { view.state.hasFailed }
      gate.open()
      gtk_widget_set_visible(window.widget, 0)
      gtk_widget_set_visible(window.widget, 1)
      try Display.run { view.state.isShown }
    }
  }
}
