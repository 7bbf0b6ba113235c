import CGTK
import IkranGTK
import IkranTesting
import Support
import Testing

extension GTKTests {
  /// What is shown until an image is there, and when the state says that it is.
  @Suite @MainActor
  struct StandInTests {
    private let door = Latch()
    /// Nothing arrives before the door is open.
    private let pipeline: ImagePipeline
    private let window: Window
    private let view: ImageTarget

    init() throws {
      pipeline = ImagePipeline.deterministic(transport: TestURL.origin(door))
      window = try Window(width: 32, height: 32)
      view = ImageTarget(window.widget)
    }

    /// Has the images behind the door, but for the ninth, which another one holds back.
    private func held(_ small: Latch) -> ImagePipeline {
      let transport = FakeTransport { [door] (request, _) async throws(TransportError) in
        let number = TestURL.number(request.url)
        guard await (number == 9 ? small : door).wait(), let file = try? TestURL.file(number)
        else { throw .cancelled }
        return TransportResponse(status: 200, headers: .fresh, body: file, url: request.url)
      }
      return ImagePipeline.deterministic(transport: transport)
    }

    private func keep(_ number: Int, _ style: Style = .small, side: Int = 16) throws {
      var request = ImageRequest(TestURL.face(number), style: style)
      request.scale = 1
      pipeline.store(try TestURL.picture(number, side: side), for: request)
    }

    private func set(_ number: Int, _ options: DisplayOptions) {
      let request = ImageRequest(TestURL.face(number), style: .small)
      view.setImage(request, from: pipeline, options: options)
    }

    private var middle: Color? {
      get throws {
        try window.drawFrames(2)
        return try window.pixels().middle
      }
    }

    private func options(_ standIns: DisplayOptions.StandIn...) -> DisplayOptions {
      var options = DisplayOptions(placeholder: .color(.black))
      options.standIns = standIns
      return options
    }

    @Test func thePresentPictureStaysUntilTheNextIsThere() throws {
      try keep(1)
      set(1, DisplayOptions())
      set(2, options(.present))
      #expect(view.state.isLoading)
      #expect(view.image == nil)
      #expect(try middle == TestURL.color(1))
      door.open()
      try Display.run { view.state.isShown }
      #expect(try middle == TestURL.color(2))
    }

    @Test func aViewThatShowsNothingYetHasItsPlaceholder() throws {
      set(2, options(.present))
      #expect(try middle == Color.black)
      set(3, options(.present))
      #expect(try middle == Color.black)
    }

    @Test func thePresentPictureOutlivesSeveralImagesThatDoNotArrive() throws {
      try keep(1)
      set(1, DisplayOptions())
      set(2, options(.present))
      set(3, options(.present))
      #expect(try middle == TestURL.color(1))
    }

    @Test func afterAFailureTheFailuresPictureTakesItsPlace() throws {
      try keep(1)
      set(1, DisplayOptions())
      var options = options(.present)
      options.failure = .color(.white)
      let request = ImageRequest(TestURL.face(2), style: .rectangle(width: -1, height: 5))
      view.setImage(request, from: pipeline, options: options)
      door.open()
      try Display.run { view.state.hasFailed }
      #expect(try middle == Color.white)
    }

    @Test func theSameImageInAnotherStyleStandsInForIt() throws {
      let other = Style.rectangle(width: 4, height: 4)
      try keep(2, other, side: 4)
      set(2, options(.style(other), .present))
      #expect(view.state.isLoading)
      #expect(try middle == TestURL.color(2))
      // As large as the image will be.
      let pixels = try window.pixels()
      #expect(pixels.color(x: 9, y: 16) == TestURL.color(2))
    }

    @Test func theFirstStandInThatIsThereIsShown() throws {
      try keep(1)
      set(1, DisplayOptions())
      set(2, options(.style(.rectangle(width: 4, height: 4)), .present))
      #expect(try middle == TestURL.color(1))
    }

    @Test func anotherRequestIsLoadedAlongAndShownFirst() throws {
      let small = Latch()
      let pipeline = held(small)
      let options = options(.request(ImageRequest(TestURL.face(9), style: .small)))
      let request = ImageRequest(TestURL.face(2), style: .small)
      view.setImage(request, from: pipeline, options: options)
      #expect(try middle == Color.black)
      small.open()
      try Display.run { (try? middle) == TestURL.color(9) }
      #expect(view.state.isLoading)
      door.open()
      try Display.run { view.state.isShown }
      #expect(try middle == TestURL.color(2))
    }

    @Test func aStandInThatArrivesLateChangesNothing() throws {
      let small = Latch()
      let pipeline = held(small)
      let options = options(.request(ImageRequest(TestURL.face(9), style: .small)))
      let request = ImageRequest(TestURL.face(2), style: .small)
      view.setImage(request, from: pipeline, options: options)
      door.open()
      try Display.run { view.state.isShown }
      small.open()
      #expect(try middle == TestURL.color(2))
    }

    @Test func aViewThatChoosesItsSizeHasStandInsOfThatSize() throws {
      try keep(9, .fit(width: 32, height: 32, enlarges: false), side: 32)
      let options = options(.request(ImageRequest(TestURL.face(9))))
      view.setImage(ImageRequest(TestURL.face(2)), from: pipeline, options: options)
      #expect(try middle == TestURL.color(9))
      #expect(gtk_widget_get_width(window.widget) == 32)
    }

    @Test func theNextPictureFadesInOverThePresentOne() throws {
      try keep(1)
      set(1, DisplayOptions())
      var options = options(.present)
      options.transition = .fade(.seconds(60))
      set(2, options)
      door.open()
      try Display.run { view.state.isShown }
      #expect(try middle != TestURL.color(2))
    }

    @Test func theStateIsShownWhenTheTransitionHasEnded() throws {
      var options = DisplayOptions(transition: .fade(.milliseconds(100)))
      options.transition?.endsBeforeShown = true
      set(2, options)
      door.open()
      try Display.run { view.image != nil }
      #expect(view.state.isLoading)
      try Display.run { view.state.isShown }
      #expect(try middle == TestURL.color(2))
    }

    @Test func aStandInIsLoadedAgainWhereItsViewWasHidden() throws {
      let small = Latch()
      let pipeline = held(small)
      let options = options(.request(ImageRequest(TestURL.face(9), style: .small)))
      let request = ImageRequest(TestURL.face(2), style: .small)
      view.setImage(request, from: pipeline, options: options)
      gtk_widget_set_visible(window.widget, 0)
      gtk_widget_set_visible(window.widget, 1)
      small.open()
      try Display.run { (try? middle) == TestURL.color(9) }
      door.open()
      try Display.run { view.state.isShown }
    }

    @Test func aViewThatIsHiddenDuringATransitionIsShown() throws {
      var options = DisplayOptions(transition: .fade(.seconds(60)))
      options.transition?.endsBeforeShown = true
      set(2, options)
      door.open()
      try Display.run { view.image != nil }
      gtk_widget_set_visible(window.widget, 0)
      #expect(view.state.isShown)
    }

    @Test func anIndicatorOfTheProgramIsVisibleWhileTheImageLoads() throws {
      let spinner = try #require(gtk_spinner_new())
      g_object_ref_sink(spinner)
      defer { g_object_unref(spinner) }
      view.setIndicator(widget: spinner)
      #expect(gtk_widget_get_visible(spinner) == 0)
      set(2, DisplayOptions())
      #expect(gtk_widget_get_visible(spinner) != 0)
      door.open()
      try Display.run { view.state.isShown }
      #expect(gtk_widget_get_visible(spinner) == 0)
    }

    @Test func aWidgetForThePlaceholderIsHiddenBehindAStandIn() throws {
      let label = try #require(gtk_label_new("?"))
      g_object_ref_sink(label)
      defer { g_object_unref(label) }
      view.setPlaceholder(widget: label)
      try keep(1)
      set(1, DisplayOptions())
      set(2, options(.present))
      #expect(gtk_widget_get_visible(label) == 0)
    }
  }
}
