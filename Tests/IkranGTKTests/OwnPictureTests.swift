import CGTK
import IkranGTK
import IkranPlayback
import IkranTesting
import Support
import Testing

extension GTKTests {
  /// Pixels and frames that a program has itself.
  @Suite @MainActor
  struct OwnPictureTests {
    @MainActor private final class Repeating {
      var calls = 0
      var options = DisplayOptions()
    }

    init() throws { try Display.open() }

    @Test func pixelsAreShownWithinTheCall() throws {
      let window = try Window(width: 16, height: 16)
      let states = StateRecorder()
      let view = ImageTarget(window.widget)
      view.setImage(try TestURL.picture(3), options: states.options)
      #expect(states.names == ["shown data"])
      #expect(view.url == nil)
      try window.drawFrames(1)
      #expect(try window.pixels().middle == TestURL.color(3))
    }

    @Test func pixelsEndALoad() throws {
      let door = Latch()
      let transport = TestURL.origin(door)
      let pipeline = ImagePipeline.deterministic(transport: transport)
      let window = try Window(width: 16, height: 16)
      let view = ImageTarget(window.widget)
      view.setImage(ImageRequest(TestURL.face(1), style: .small), from: pipeline)
      try Display.run { transport.requests.count == 1 }
      view.setImage(try TestURL.picture(2))
      try Display.run { pipeline.downloads.running == 0 }
      door.open()
      try window.drawFrames(2)
      #expect(try window.pixels().middle == TestURL.color(2))
    }

    @Test func anImageOfAURLTakesTheirPlace() throws {
      let pipeline = ImagePipeline.deterministic(transport: TestURL.origin())
      let window = try Window(width: 16, height: 16)
      let view = ImageTarget(window.widget)
      view.setImage(try TestURL.picture(2))
      view.setImage(ImageRequest(TestURL.face(1), style: .small), from: pipeline)
      try Display.run { view.state.isShown }
      try window.drawFrames(1)
      #expect(try window.pixels().middle == TestURL.color(1))
    }

    @Test func theScaleSaysHowManyPixelsMakeAPoint() throws {
      let picture = try #require(gtk_picture_new())
      g_object_ref_sink(picture)
      defer { g_object_unref(picture) }
      for (scale, points) in [(1.0, 40), (2, 20), (0, 40), (-.infinity, 40)] {
        picture.setImage(try TestURL.picture(1, side: 40), scale: scale)
        var natural: CInt = 0
        gtk_widget_measure(picture, GTK_ORIENTATION_HORIZONTAL, -1, nil, &natural, nil, nil)
        #expect(natural == points, "\(scale)")
      }
    }

    @Test func aClosureThatSetsThemAgainEndsNowhere() throws {
      let window = try Window(width: 16, height: 16)
      let view = ImageTarget(window.widget)
      let picture = try TestURL.picture(1)
      let repeating = Repeating()
      repeating.options.onChange = { _ in
        repeating.calls += 1
        view.setImage(picture, options: repeating.options)
      }
      view.setImage(picture, options: repeating.options)
      #expect(repeating.calls == 1)
      repeating.options = DisplayOptions()
    }

    @Test func anIconIsAsLargeAsThePixels() throws {
      let image = try #require(gtk_image_new())
      g_object_ref_sink(image)
      defer { g_object_unref(image) }
      image.setImage(try TestURL.picture(1, side: 40), scale: 2)
      #expect(gtk_image_get_pixel_size(OpaquePointer(image)) == 20)
    }

    private func animation(_ buffering: FrameBuffering = .automatic) throws -> Animation {
      let file = try Fixtures.bytes("animation-3-frames.webp")
      let frames = try #require(try CodecList.standard.frames(of: file))
      let style = Style.rectangle(width: 16, height: 16)
      return try Animation(frames, style: style, buffering: buffering)
    }

    @Test func framesPlay() throws {
      let window = try Window(width: 16, height: 16)
      let view = ImageTarget(window.widget)
      view.setImage(try animation())
      try Display.run { view.state.isShown }
      let player = try #require(view.player)
      try Display.run { player.shownFrame == 2 }
    }

    @Test func framesThatAreSetAgainGoOn() throws {
      let window = try Window(width: 16, height: 16)
      let states = StateRecorder()
      let view = ImageTarget(window.widget)
      // The first frame is not kept.
      let animation = try animation(.none)
      view.setImage(animation, options: states.options)
      view.setImage(animation, options: states.options)
      try Display.run { view.state.isShown }
      let player = try #require(view.player)
      view.setImage(animation, options: states.options)
      #expect(view.player === player)
      #expect(states.names == ["loading", "shown data", "shown data"])
    }

    @Test func framesOfAHiddenWidgetComeWhenItIsShown() throws {
      let window = try Window(width: 16, height: 16)
      gtk_widget_set_visible(window.widget, 0)
      let view = ImageTarget(window.widget)
      view.setImage(try animation(.none))
      try window.drawFrames(3)
      #expect(view.state.isLoading)
      gtk_widget_set_visible(window.widget, 1)
      try Display.run { view.state.isShown }
    }
  }
}
