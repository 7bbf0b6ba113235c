import CGTK
@testable import IkranGTK
import IkranTesting
import Support
import Testing

extension GTKTests {
  /// What is seen until the image is there, and how that gives way to it.
  @Suite @MainActor
  struct PlaceholderTests {
    private let door = Latch()
    private let pipeline: ImagePipeline

    init() throws {
      try Display.open()
      pipeline = .deterministic(transport: TestURL.origin(door))
    }

    private let green = Color(red: 0, green: 160, blue: 0)

    @Test func aPlaceholderHasTheShapeOfItsStyle() throws {
      let window = try Window(width: 32, height: 32)
      ImageTarget(window.widget).setImage(
        ImageRequest(TestURL.face(1), style: .circle(32)),
        from: pipeline,
        options: DisplayOptions(placeholder: .color(green))
      )
      try window.drawFrames(2)
      let pixels = try window.pixels()
      #expect(pixels.middle == green)
      #expect(pixels.color(x: 0, y: 0)?.alpha == 0)
      #expect(pixels.color(x: 16, y: 0)?.alpha ?? 0 > 0)
    }

    @Test func aWidgetHasTheSizeOfItsStyleBeforeTheImageIsThere() throws {
      let window = try Window(width: 1, height: 1)
      let view = ImageTarget(window.widget)
      let request = ImageRequest(TestURL.face(1), style: .rectangle(width: 40, height: 30))
      view.setImage(request, from: pipeline)
      try window.drawFrames(2)
      #expect(gtk_widget_get_width(window.widget) == 40)
      #expect(gtk_widget_get_height(window.widget) == 30)
      door.open()
      try Display.run { view.state.isShown }
      try window.drawFrames(2)
      #expect(gtk_widget_get_width(window.widget) == 40)
    }

    @Test(arguments: [true, false])
    func hashesArePlaceholders(isThumb: Bool) throws {
      let picture = try TestURL.picture(30, side: 32)
      let placeholder: Placeholder =
        isThumb ? .thumbHash(try picture.thumbHash()) : .blurHash(try picture.blurHash())
      let window = try Window(width: 32, height: 32)
      for style in [Style.rectangle(width: 32, height: 32), .original] {
        ImageTarget(window.widget).setImage(
          ImageRequest(TestURL.face(1), style: style),
          from: pipeline,
          options: DisplayOptions(placeholder: placeholder, contentMode: .cover)
        )
        try window.drawFrames(2)
        let (shown, wanted) = (try #require(try window.pixels().middle), TestURL.color(30))
        #expect(abs(Int(shown.red) - Int(wanted.red)) < 24)
        #expect(abs(Int(shown.green) - Int(wanted.green)) < 24)
        #expect(abs(Int(shown.blue) - Int(wanted.blue)) < 24)
      }
    }

    @Test func aFailureWithoutAPlaceholderIsSeenOnlyWhenThereIsNoImage() throws {
      let transport = FakeTransport { [door] (request, _) async throws(TransportError) in
        if await !door.wait() { throw .cancelled }
        throw .invalidURL(request.url)
      }
      let window = try Window(width: 16, height: 16)
      let view = ImageTarget(window.widget)
      view.setImage(
        ImageRequest(TestURL.face(1), style: .small),
        from: .deterministic(transport: transport),
        options: DisplayOptions(failure: .color(green))
      )
      try Display.run { !transport.requests.isEmpty }
      try window.drawFrames(2)
      #expect(try window.pixels().middle?.alpha == 0)
      door.open()
      try Display.run { view.state.hasFailed }
      try window.drawFrames(2)
      #expect(try window.pixels().middle == green)
      #expect(view.image == nil)
    }

    @Test func widgetsWithOnePlaceholderShareItsDrawing() throws {
      let before = PlaceholderCache.shared.drawings
      let window = try Window(width: 16, height: 16)
      let picture = try TestURL.picture(37)
      for number in 0..<10 {
        let style = Style.circle(Double(number % 2 + 7))
        let options = DisplayOptions(placeholder: .picture(picture))
        let request = ImageRequest(TestURL.face(number), style: style)
        ImageTarget(window.widget).setImage(request, from: pipeline, options: options)
        try window.drawFrames(1)
      }
      #expect(PlaceholderCache.shared.drawings == before + 2)
    }

    @Test func aWidgetIsAPlaceholder() throws {
      let window = try Window(width: 16, height: 16)
      let spinner = try #require(gtk_spinner_new())
      g_object_ref_sink(UnsafeMutableRawPointer(spinner))
      defer { g_object_unref(UnsafeMutableRawPointer(spinner)) }
      let view = ImageTarget(window.widget)
      view.setPlaceholder(widget: spinner)
      view.setImage(ImageRequest(TestURL.face(1), style: .small), from: pipeline)
      #expect(gtk_widget_get_visible(spinner) != 0)
      door.open()
      try Display.run { view.state.isShown }
      #expect(gtk_widget_get_visible(spinner) == 0)
      view.clearImage()
      #expect(gtk_widget_get_visible(spinner) != 0)
      #expect(spinner.referenceCount == 2)
      window.close()
      #expect(spinner.referenceCount == 1)
    }

    @Test func aDamagedHashIsNothing() throws {
      let window = try Window(width: 16, height: 16)
      ImageTarget(window.widget).setImage(
        ImageRequest(TestURL.face(1), style: .small),
        from: pipeline,
        options: DisplayOptions(placeholder: .thumbHash([1, 2]))
      )
      try window.drawFrames(2)
      #expect(try window.pixels().middle?.alpha == 0)
    }

    @Test func anotherImageNeverLeavesTheOldOneOnDisplay() throws {
      door.open()
      let window = try Window(width: 16, height: 16)
      let view = ImageTarget(window.widget)
      view.setImage(ImageRequest(TestURL.face(1), style: .small), from: pipeline)
      try Display.run { view.state.isShown }
      view.setImage(ImageRequest(TestURL.face(2), style: .small), from: pipeline)
      #expect(try window.pixels().middle?.alpha == 0)
    }

    @Test(arguments: [DisplayOptions.Indicator.spinner, .progress])
    func anIndicatorIsDrawnWhileTheImageIsOnItsWay(indicator: DisplayOptions.Indicator) throws {
      let window = try Window(width: 64, height: 64)
      let view = ImageTarget(window.widget)
      view.setImage(
        ImageRequest(TestURL.face(1), style: .rectangle(width: 64, height: 64)),
        from: pipeline,
        options: DisplayOptions(indicator: indicator)
      )
      try window.drawFrames(2)
      let ring = try window.pixels()
      #expect(ring.middle?.alpha == 0)
      #expect((0..<64).contains { ring.color(x: $0, y: 32)?.alpha ?? 0 > 40 })
      door.open()
      try Display.run { view.state.isShown }
      try window.drawFrames(2)
      #expect(try window.pixels().middle == TestURL.color(1))
    }

    // MARK: - Transitions

    /// Shows image 1 in place of green with a transition, and returns what is seen halfway.
    private func halfway(_ transition: Transition) throws -> Bitmap {
      let window = try Window(width: 16, height: 16)
      let view = ImageTarget(window.widget)
      view.setImage(
        ImageRequest(TestURL.face(1), style: .small),
        from: pipeline,
        options: DisplayOptions(placeholder: .color(green), transition: transition)
      )
      try window.drawFrames(2)
      door.open()
      try Display.run { view.state.isShown }
      // A transition of a minute has hardly begun.
      try window.drawFrames(3)
      return try window.pixels()
    }

    @Test func aSlowFadeBeginsWithThePlaceholder() throws {
      let middle = try #require(try halfway(.fade(.seconds(60))).middle)
      #expect(abs(Int(middle.green) - 160) <= 2)
    }

    @Test(arguments: [
      Transition.fade(.milliseconds(22)), .slide(from: .left, .milliseconds(22)),
      .wipe(from: .top, .milliseconds(22)), .flip(from: .left, .milliseconds(22)),
      .custom(id: "none", .milliseconds(22)) { _ in Transition.Moment() },
    ])
    func aTransitionEndsWithTheImage(transition: Transition) throws {
      #expect(try halfway(transition).middle == TestURL.color(1))
    }

    @Test func imagesInMemoryAppearAtOnceUnlessTheTransitionIsForced() throws {
      var request = ImageRequest(TestURL.face(1), style: .small)
      request.scale = 1
      pipeline.store(try TestURL.picture(1), for: request)
      let window = try Window(width: 16, height: 16)
      var options = DisplayOptions(transition: .fade(.seconds(60)))
      let view = ImageTarget(window.widget)
      view.setImage(request, from: pipeline, options: options)
      try window.drawFrames(1)
      #expect(try window.pixels().middle == TestURL.color(1))
      view.clearImage()
      options.transition?.runsForCachedImages = true
      view.setImage(request, from: pipeline, options: options)
      try window.drawFrames(2)
      #expect(try window.pixels().middle?.alpha ?? 255 < 8)
    }
  }
}
