import CGTK
import IkranGTK
import IkranTesting
import Support
import Testing

extension GTKTests {
  /// Images that a widget loads, and the program takes.
  @Suite @MainActor
  struct HandedImageTests {
    @MainActor private final class Taken {
      var colors: [Color?] = []
    }

    private let door = Latch()
    private let pipeline: ImagePipeline
    private let green = Color(red: 0, green: 160, blue: 0)
    private let taken = Taken()

    init() throws {
      try Display.open()
      pipeline = .deterministic(transport: TestURL.origin(door))
    }

    private var options: DisplayOptions {
      var options = DisplayOptions(placeholder: .color(green), transition: .fade())
      options.onImage = { [taken] image, _ in taken.colors.append(image.middle) }
      return options
    }

    private func request(_ number: Int) -> ImageRequest {
      var request = ImageRequest(TestURL.face(number), style: .small)
      request.scale = 1
      return request
    }

    @Test func theProgramTakesTheImageAndTheWidgetKeepsItsPlaceholder() throws {
      let window = try Window(width: 16, height: 16)
      let view = ImageTarget(window.widget)
      let states = StateRecorder()
      var options = options
      options.onChange = states.options.onChange
      view.setImage(request(1), from: pipeline, options: options)
      #expect(taken.colors == [])
      door.open()
      try Display.run { view.state.isLoaded }
      #expect(taken.colors == [TestURL.color(1)])
      #expect(states.names.first == "loading")
      #expect(states.names.last == "loaded network")
      #expect(view.image == nil)
      try window.drawFrames(2)
      #expect(try window.pixels().middle == green)
    }

    @Test func anImageInMemoryIsHandedOverWithinTheCallEachTime() throws {
      pipeline.store(try TestURL.picture(3), for: request(3))
      let window = try Window(width: 16, height: 16)
      let view = ImageTarget(window.widget)
      view.setImage(try TestURL.picture(2))
      for _ in 0..<2 { view.setImage(request(3), from: pipeline, options: options) }
      #expect(taken.colors == [TestURL.color(3), TestURL.color(3)])
      try window.drawFrames(1)
      #expect(try window.pixels().middle == green)
    }

    @Test(arguments: [true, false])
    func anImageThatIsReplacedOrClearedNeverComes(isReplaced: Bool) throws {
      let window = try Window(width: 16, height: 16)
      let view = ImageTarget(window.widget)
      view.setImage(request(1), from: pipeline, options: options)
      try Display.run { pipeline.downloads.running == 1 }
      if !isReplaced { view.clearImage() }
      view.setImage(request(2), from: pipeline)
      door.open()
      try Display.run { view.state.isShown }
      #expect(taken.colors == [])
    }

    @Test func theWidgetShowsWhatTheProgramMadeOfIt() throws {
      let window = try Window(width: 16, height: 16)
      let view = ImageTarget(window.widget)
      var options = options
      let own = try TestURL.picture(9)
      options.onImage = { [options] image, animation in
        options.onImage?(image, animation)
        view.setImage(own, options: options)
      }
      options.transition = nil
      view.setImage(request(1), from: pipeline, options: options)
      door.open()
      try Display.run { view.state.isShown }
      try window.drawFrames(1)
      #expect(try window.pixels().middle == TestURL.color(9))
      #expect(taken.colors == [TestURL.color(1)])
    }

    @Test func withoutTheOptionTheSameImageIsShown() throws {
      pipeline.store(try TestURL.picture(3), for: request(3))
      let window = try Window(width: 16, height: 16)
      let view = ImageTarget(window.widget)
      view.setImage(request(3), from: pipeline, options: options)
      view.setImage(request(3), from: pipeline)
      #expect(view.state.isShown)
      try window.drawFrames(1)
      #expect(try window.pixels().middle == TestURL.color(3))
    }

    @Test func aViewThatHasGrownHandsOverALargerImage() throws {
      let window = try Window(width: 16, height: 16)
      let view = ImageTarget(window.widget)
      var widths: [Int] = []
      var options = options
      options.onImage = { image, _ in widths.append(image.width) }
      let large = ImagePipeline.deterministic(
        transport: FakeTransport { (request, _) async throws(TransportError) in
          guard let file = try? TestURL.file(1, side: 300) else {
            throw .invalidURL(request.url)
          }
          return TransportResponse(status: 200, headers: .fresh, body: file, url: request.url)
        }
      )
      view.setImage(ImageRequest(TestURL.face(1)), from: large, options: options)
      try Display.run { view.state.isLoaded }
      gtk_widget_set_size_request(window.widget, 96, 96)
      try Display.run { widths.count == 2 }
      #expect(try #require(widths.first) < 96)
      #expect(try #require(widths.last) >= 96)
    }
  }
}
