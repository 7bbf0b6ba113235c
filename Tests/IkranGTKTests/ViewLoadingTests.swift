import CGTK
import FoundationEssentials
import IkranGTK
import IkranTesting
import Support
import Testing

extension GTKTests {
  /// When loads begin, end and are cancelled.
  @Suite @MainActor
  struct ViewLoadingTests {
    private let transport = TestURL.origin()
    private let pipeline: ImagePipeline

    init() throws {
      try Display.open()
      pipeline = .deterministic(transport: transport)
    }

    private func request(_ number: Int) -> ImageRequest {
      ImageRequest(TestURL.face(number), style: .small)
    }

    private func remember(_ number: Int) throws {
      var request = request(number)
      request.scale = 1
      pipeline.store(try TestURL.picture(number), for: request)
    }

    @Test func anImageInMemoryIsShownWithinTheCall() throws {
      try remember(1)
      let window = try Window(width: 16, height: 16)
      let states = StateRecorder()
      let view = ImageTarget(window.widget)
      view.setImage(request(1), from: pipeline, options: states.options)
      #expect(states.names == ["shown memory"])
      try window.drawFrames(1)
      #expect(try window.pixels().middle == TestURL.color(1))
      #expect(transport.requests.isEmpty)
    }

    @Test func anImageOfATableIsShownWithinTheCall() async throws {
      let folder = try TemporaryDirectory()
      let first = ImagePipeline.deterministic(transport: transport, folder: folder.path)
      var stored = request(1)
      stored.scale = 1
      _ = try await first.image(for: stored)
      await first.finishWriting()
      let second = ImagePipeline.deterministic(transport: FakeTransport(), folder: folder.path)
      let window = try Window(width: 16, height: 16)
      let states = StateRecorder()
      ImageTarget(window.widget).setImage(request(1), from: second, options: states.options)
      #expect(states.names == ["shown table"])
      try window.drawFrames(1)
      #expect(try window.pixels().middle == TestURL.color(1))
    }

    @Test func anImageThatIsNowhereIsLoaded() throws {
      let window = try Window(width: 16, height: 16)
      let states = StateRecorder()
      let view = ImageTarget(window.widget)
      view.setImage(request(1), from: pipeline, options: states.options)
      #expect(view.state.isLoading)
      #expect(view.url == TestURL.face(1))
      try Display.run { view.state.isShown }
      #expect(states.names.first == "loading")
      #expect(states.names.last == "shown network")
      try window.drawFrames(1)
      #expect(try window.pixels().middle == TestURL.color(1))
    }

    @Test func ofManyImagesWithinAFrameOnlyTheLastIsLoaded() throws {
      let window = try Window(width: 16, height: 16)
      let view = ImageTarget(window.widget)
      for number in 0..<100 { view.setImage(request(number), from: pipeline) }
      try Display.run { view.state.isShown }
      #expect(transport.urls == [TestURL.face(99).absoluteString])
    }

    @Test func aClosureHearsOfTheSameImageAndTakesIt() throws {
      let window = try Window(width: 16, height: 16)
      let view = ImageTarget(window.widget)
      let request = ImageRequest(TestURL.face(7), style: .small)
      view.setImage(request, from: pipeline)
      #expect(view.image == nil)
      try Display.run { view.state.isShown }
      var colors: [Color?] = []
      let options = DisplayOptions(onChange: { [pipeline] _ in
        colors.append(view.image?.middle)
        // It asks again, and no endless loop begins.
        view.setImage(request, from: pipeline)
      })
      view.setImage(request, from: pipeline, options: options)
      #expect(colors == [TestURL.color(7)])
    }

    @Test func theSameImageAgainChangesNothing() throws {
      let window = try Window(width: 16, height: 16)
      let states = StateRecorder()
      let view = ImageTarget(window.widget)
      for _ in 0..<3 { view.setImage(request(1), from: pipeline, options: states.options) }
      try Display.run { view.state.isShown }
      #expect(transport.requests.count == 1)
      #expect(states.names.filter { $0 == "loading" }.count == 1)
      #expect(states.names.filter { $0.hasPrefix("shown") }.count == 1)
    }

    @Test func aWidgetThatIsNotOnDisplayLoadsNothingUntilItIs() throws {
      let window = try Window(width: 16, height: 16)
      gtk_widget_set_visible(window.widget, 0)
      let view = ImageTarget(window.widget)
      view.setImage(request(1), from: pipeline)
      try window.drawFrames(5)
      #expect(transport.requests.isEmpty)
      #expect(view.state.isLoading)
      gtk_widget_set_visible(window.widget, 1)
      try Display.run { view.state.isShown }
    }

    @Test func hidingAWidgetCancelsItsLoadAndShowingItBeginsAgain() throws {
      let gate = Latch()
      let slow = TestURL.origin(gate)
      let pipeline = ImagePipeline.deterministic(transport: slow)
      let window = try Window(width: 16, height: 16)
      let view = ImageTarget(window.widget)
      view.setImage(request(1), from: pipeline)
      try Display.run { slow.requests.count == 1 && pipeline.downloads.running == 1 }
      gtk_widget_set_visible(window.widget, 0)
      try Display.run { pipeline.downloads.running == 0 }
      #expect(view.state.isLoading)
      gtk_widget_set_visible(window.widget, 1)
      try Display.run { slow.requests.count == 2 }
      gate.open()
      try Display.run { view.state.isShown }
    }

    @Test func aCancelledLoadEndsAndIsNotShownLater() throws {
      let gate = Latch()
      let slow = TestURL.origin(gate)
      let pipeline = ImagePipeline.deterministic(transport: slow)
      let window = try Window(width: 16, height: 16)
      let view = ImageTarget(window.widget)
      view.setImage(request(1), from: pipeline)
      try Display.run { pipeline.downloads.running == 1 }
      view.cancelImage()
      #expect(view.state.isEmpty)
      try Display.run { pipeline.downloads.running == 0 }
      try window.drawFrames(3)
      #expect(view.state.isEmpty)
    }

    @Test func aFailureShowsItsPictureAndIsTriedAgainWhenItIsSetAgain() throws {
      let failing = FakeTransport()
      failing.respond(with: .status(404), .body(try TestURL.file(3)))
      let pipeline = ImagePipeline.deterministic(transport: failing)
      let window = try Window(width: 16, height: 16)
      let view = ImageTarget(window.widget)
      let red = Color(red: 255, green: 0, blue: 0)
      let options = DisplayOptions(placeholder: .color(.white), failure: .color(red))
      view.setImage(request(3), from: pipeline, options: options)
      try window.drawFrames(1)
      #expect(try window.pixels().middle == .white)
      try Display.run { view.state.hasFailed }
      try window.drawFrames(2)
      #expect(try window.pixels().middle == red)
      view.setImage(request(3), from: pipeline, options: options)
      try Display.run { view.state.isShown }
    }

    @Test func clearingShowsNothing() throws {
      try remember(1)
      let window = try Window(width: 16, height: 16)
      let view = ImageTarget(window.widget)
      view.setImage(request(1), from: pipeline)
      view.clearImage()
      #expect(view.url == nil)
      try window.drawFrames(2)
      #expect(try window.pixels().middle?.alpha == 0)
    }

    @Test func clearingACancelledImageForgetsItsURL() throws {
      let window = try Window(width: 16, height: 16)
      let view = ImageTarget(window.widget)
      view.setImage(request(1), from: pipeline)
      view.cancelImage()
      #expect(view.url == TestURL.face(1))
      view.clearImage()
      #expect(view.url == nil)
    }

    @Test func aWidgetMayEndWhileItsImageLoads() throws {
      let gate = Latch()
      let slow = TestURL.origin(gate)
      let pipeline = ImagePipeline.deterministic(transport: slow)
      let window = try Window(width: 16, height: 16)
      let view = ImageTarget(window.widget)
      view.setImage(request(1), from: pipeline)
      try Display.run { pipeline.downloads.running == 1 }
      window.close()
      try Display.run { pipeline.downloads.running == 0 }
      view.setImage(request(2), from: pipeline)
      view.cancelImage()
      #expect(view.state.isEmpty)
    }

    @Test func anImageArrivesWhileFramesTakeAllOfTheTime() throws {
      let window = try Window(width: 64, height: 64)
      try window.makeFramesSlow()
      let view = ImageTarget(window.widget)
      view.setImage(request(1), from: pipeline, options: DisplayOptions(indicator: .spinner))
      try Display.run { view.state.isShown }
    }

    @Test func aViewMayCancelWhenItIsToldThatItLoads() throws {
      let window = try Window(width: 16, height: 16)
      let view = ImageTarget(window.widget)
      var options = DisplayOptions()
      options.onChange = { state in if state.isLoading { view.cancelImage() } }
      view.setImage(request(1), from: pipeline, options: options)
      #expect(view.state.isEmpty)
      try window.drawFrames(5)
      #expect(view.state.isEmpty)
      #expect(transport.requests.isEmpty)
    }

    @Test func aRequestThatReloadsIsSentEachTime() throws {
      let window = try Window(width: 16, height: 16)
      let view = ImageTarget(window.widget)
      var request = request(1)
      request.caching.policy = .reload
      for count in 1...3 {
        view.setImage(request, from: pipeline)
        try Display.run { view.state.isShown }
        #expect(transport.requests.count == count)
      }
    }

    @Test func theOptionsPlaceholderAndFailureAreThoseOfAnAvatarToo() throws {
      let window = try Window(width: 16, height: 16)
      let view = ImageTarget(window.widget)
      let door = Latch()
      let lost = FakeTransport { (request, _) async throws(TransportError) in
        guard await door.wait() else { throw .cancelled }
        throw .invalidURL(request.url)
      }
      let avatar = PlainAvatar(url: TestURL.face(4), placeholder: try TestURL.picture(9))
      let options = DisplayOptions(
        placeholder: .picture(try TestURL.picture(5)),
        failure: .picture(try TestURL.picture(6))
      )
      let pod = AvatarPod(.deterministic(transport: lost))
      view.setAvatar(avatar, from: pod, options: options)
      try Display.run { !lost.requests.isEmpty }
      try window.drawFrames(2)
      #expect(try window.pixels().middle == TestURL.color(5))
      #expect(view.image == nil)
      door.open()
      try Display.run { view.state.hasFailed }
      try window.drawFrames(2)
      #expect(try window.pixels().middle == TestURL.color(6))
    }

    @Test func avatarsWithoutAnImageShowTheirOwnPlaceholders() throws {
      let window = try Window(width: 16, height: 16)
      let view = ImageTarget(window.widget)
      let pod = AvatarPod(pipeline)
      let states = StateRecorder()
      var options = states.options
      options.failure = .color(.white)
      for number in [8, 9] {
        let avatar = PlainAvatar(url: nil, placeholder: try TestURL.picture(number))
        view.setAvatar(avatar, from: pod, options: options)
        try window.drawFrames(4)
        #expect(try window.pixels().middle == TestURL.color(number))
      }
      #expect(states.names.isEmpty)
    }

    @Test func withoutAURLTheOldImageGoesAndThePlaceholderIsShown() throws {
      let window = try Window(width: 16, height: 16)
      let view = ImageTarget(window.widget)
      view.setImage(request(1), from: pipeline)
      try Display.run { view.state.isShown }
      view.setImage(nil, style: .small, placeholder: .color(.white))
      #expect(view.state.isEmpty)
      #expect(view.image == nil)
      try window.drawFrames(2)
      #expect(try window.pixels().middle == .white)
    }

    @Test func anAvatarShowsItsPlaceholderAndThenItsImage() throws {
      let window = try Window(width: 16, height: 16)
      let view = ImageTarget(window.widget)
      let avatar = PlainAvatar(url: TestURL.face(4), placeholder: try TestURL.picture(9))
      view.setAvatar(avatar, from: AvatarPod(pipeline))
      try window.drawFrames(1)
      #expect(try window.pixels().middle == TestURL.color(9))
      try Display.run { view.state.isShown }
      try window.drawFrames(1)
      #expect(try window.pixels().middle == TestURL.color(4))
      let again = try Window(width: 16, height: 16)
      let states = StateRecorder()
      ImageTarget(again.widget).setAvatar(
        avatar,
        from: AvatarPod(pipeline),
        options: states.options
      )
      #expect(states.names == ["shown memory"])
    }
  }
}
