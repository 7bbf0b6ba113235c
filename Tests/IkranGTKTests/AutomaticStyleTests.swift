import CGTK
import FoundationEssentials
import IkranGTK
import IkranSystem
import IkranTesting
import Support
import Testing

extension GTKTests {
  /// Pictures whose view chooses their size.
  @Suite @MainActor
  struct AutomaticStyleTests {
    private let transport: FakeTransport
    private let pipeline: ImagePipeline

    /// Every address has a picture of 600 × 300 pixels.
    init() throws {
      try Display.open()
      let file = try TestURL.picture(1, width: 600, height: 300).encoded(as: .png)
      transport = FakeTransport(body: file)
      pipeline = ImagePipeline.deterministic(transport: transport)
    }

    private func show(
      _ view: ImageTarget,
      _ number: Int = 1,
      _ mode: ContentMode = .contain
    ) throws {
      let options = DisplayOptions(contentMode: mode)
      view.setImage(ImageRequest(TestURL.face(number)), from: pipeline, options: options)
      try Display.run { view.state.isShown }
    }

    /// A picture in a box that gives it no size.
    private func loose(_ orientation: GtkOrientation) throws -> (
      box: Window, picture: Window.Widget
    ) {
      let box = try #require(gtk_box_new(orientation, 0))
      let picture = try #require(gtk_picture_new())
      gtk_box_append(
        UnsafeMutableRawPointer(box).assumingMemoryBound(to: GtkBox.self),
        picture
      )
      return (try Window(box, width: 200, height: 200), picture)
    }

    /// A window with a place that has its size without a picture.
    private func fixed(_ side: Int) throws -> (window: Window, picture: Window.Widget) {
      let place = try #require(gtk_box_new(GTK_ORIENTATION_VERTICAL, 0))
      let picture = try #require(gtk_picture_new())
      gtk_widget_set_parent(picture, place)
      let layout = gtk_custom_layout_new(
        nil,
        { _, _, _, least, natural, _, _ in
          least?.pointee = 0
          natural?.pointee = 0
        },
        { place, width, height, _ in
          gtk_widget_allocate(gtk_widget_get_first_child(place), width, height, -1, nil)
        }
      )
      gtk_widget_set_layout_manager(place, layout)
      return (try Window(place, width: side, height: side), picture)
    }

    private func resize(_ window: Window, _ side: Int) throws {
      gtk_widget_set_size_request(window.widget, CInt(side), CInt(side))
      try Display.run { gtk_widget_get_width(window.widget) == side }
      try window.drawFrames(2)
    }

    @Test func aPictureHasAsManyPixelsAsItsViewRoundedUp() throws {
      let window = try Window(width: 100, height: 100)
      let view = ImageTarget(window.widget)
      try show(view)
      #expect(view.image?.size == PixelSize(width: 112, height: 56))
      try window.drawFrames(1)
      #expect(try window.pixels().middle == TestURL.color(1))
    }

    @Test func aPictureThatCoversItsViewHasAllOfIt() throws {
      let window = try Window(width: 100, height: 100)
      let view = ImageTarget(window.widget)
      try show(view, 1, .cover)
      #expect(view.image?.size == PixelSize(width: 224, height: 112))
      try show(view, 1, .stretch)
      #expect(view.image?.size == PixelSize(width: 224, height: 112))
    }

    @Test func aPictureInItsOwnSizeHasAllItsPixels() throws {
      let window = try Window(width: 100, height: 100)
      let view = ImageTarget(window.widget)
      try show(view, 1, .center)
      #expect(view.image?.size == PixelSize(width: 600, height: 300))
    }

    @Test func aStyleOfTheProgramIsUsed() throws {
      let window = try Window(width: 100, height: 100)
      let view = ImageTarget(window.widget)
      let request = ImageRequest(TestURL.face(1), style: .original)
      view.setImage(request, from: pipeline)
      try Display.run { view.state.isShown }
      #expect(view.image?.size == PixelSize(width: 600, height: 300))
    }

    @Test func noViewGrowsByItsPicture() throws {
      for mode in [ContentMode.contain, .cover, .stretch, .scaleDown] {
        let window = try Window(width: 100, height: 70)
        try show(ImageTarget(window.widget), 1, mode)
        try window.drawFrames(3)
        #expect(gtk_widget_get_width(window.widget) == 100)
        #expect(gtk_widget_get_height(window.widget) == 70)
        window.close()
      }
    }

    @Test func aViewThatGrowsGetsMorePixels() throws {
      let (window, picture) = try fixed(100)
      let view = ImageTarget(picture)
      try show(view)
      try resize(window, 200)
      try Display.run { view.state.isShown && view.image?.width == 224 }
      #expect(transport.requests.count == 1)
    }

    @Test func aViewThatGrowsALittleDecodesNothing() throws {
      let (window, picture) = try fixed(100)
      let states = StateRecorder()
      let view = ImageTarget(picture)
      view.setImage(ImageRequest(TestURL.face(1)), from: pipeline, options: states.options)
      try Display.run { view.state.isShown }
      let before = states.names
      try resize(window, 112)
      try resize(window, 70)
      #expect(states.names == before)
      #expect(view.image?.width == 112)
    }

    @Test func aViewThatShrinksMuchGetsFewerPixels() throws {
      let (window, picture) = try fixed(200)
      let view = ImageTarget(picture)
      try show(view)
      #expect(view.image?.width == 224)
      try resize(window, 40)
      try Display.run { view.state.isShown && view.image?.width == 40 }
    }

    @Test func aSmallPictureIsLoadedOnceForAllSizes() throws {
      let pipeline = ImagePipeline.deterministic(transport: TestURL.origin())
      let (window, picture) = try fixed(100)
      let states = StateRecorder()
      let view = ImageTarget(picture)
      view.setImage(ImageRequest(TestURL.face(2)), from: pipeline, options: states.options)
      try Display.run { view.state.isShown }
      let before = states.names
      try resize(window, 200)
      #expect(view.image?.width == 16)
      #expect(states.names == before)
    }

    @Test func theSameImageInAViewThatShrankALittleStays() throws {
      let (window, picture) = try fixed(100)
      let view = ImageTarget(picture)
      try show(view)
      try resize(window, 90)
      let states = StateRecorder()
      view.setImage(ImageRequest(TestURL.face(1)), from: pipeline, options: states.options)
      #expect(states.names == ["shown network"])
      #expect(view.image?.width == 112)
    }

    @Test func anotherImageInTheSameViewIsAsLargeAsThat() throws {
      let (window, picture) = try fixed(100)
      let view = ImageTarget(picture)
      try show(view)
      try resize(window, 80)
      try show(view, 2)
      #expect(view.image?.width == 80)
    }

    @Test func aPictureThatIsInMemoryIsShownWithinTheCall() throws {
      let first = try Window(width: 100, height: 100)
      try show(ImageTarget(first.widget))
      let second = try Window(width: 98, height: 98)
      let view = ImageTarget(second.widget)
      view.setImage(ImageRequest(TestURL.face(1)), from: pipeline)
      #expect(view.state.isShown)
    }

    @Test func nothingIsLoadedBeforeTheViewHasASize() throws {
      let picture = try #require(gtk_picture_new())
      g_object_ref_sink(picture)
      defer { g_object_unref(picture) }
      let view = ImageTarget(picture)
      view.setImage(ImageRequest(TestURL.face(1)), from: pipeline)
      #expect(view.state.isLoading)
      let window = try Window(picture, width: 50, height: 50)
      try Display.run { view.state.isShown }
      #expect(view.image?.width == 56)
      window.close()
    }

    @Test func aViewWithoutHeightIsAsHighAsItsPicture() throws {
      let (window, picture) = try loose(GTK_ORIENTATION_VERTICAL)
      let view = ImageTarget(picture)
      try show(view)
      #expect(view.image?.size == PixelSize(width: 224, height: 112))
      try window.drawFrames(4)
      #expect(gtk_widget_get_width(picture) == 200)
      #expect(gtk_widget_get_height(picture) == 100)
      #expect(view.image?.size == PixelSize(width: 224, height: 112))
    }

    @Test func itsHeightFollowsEachPicture() throws {
      let file = try TestURL.picture(1, width: 300, height: 600).encoded(as: .png)
      let (window, picture) = try loose(GTK_ORIENTATION_VERTICAL)
      let view = ImageTarget(picture)
      try show(view)
      try window.drawFrames(4)
      view.setImage(ImageRequest(data: file, id: "tall"), from: pipeline)
      try Display.run { view.state.isShown }
      #expect(view.image?.size == PixelSize(width: 224, height: 448))
    }

    @Test func aViewWithoutAnySizeIsNoLargerThanItsWindow() throws {
      let (window, picture) = try loose(GTK_ORIENTATION_VERTICAL)
      gtk_widget_set_halign(picture, GTK_ALIGN_START)
      try window.drawFrames(2)
      let view = ImageTarget(picture)
      try show(view)
      // The window has 260 points each way.
      #expect(view.image?.width == 320)
      try window.drawFrames(4)
      #expect(gtk_widget_get_width(picture) == 200)
    }

    @Test func anIconTakesWhatAnIconHas() throws {
      let icon = try #require(gtk_image_new())
      gtk_image_set_pixel_size(OpaquePointer(icon), 48)
      let window = try Window(icon, width: 48, height: 48)
      let view = ImageTarget(icon)
      try show(view)
      #expect(view.image?.size == PixelSize(width: 48, height: 24))
      window.close()
    }

    @Test func aButtonsPictureIsAsLargeAsItsPlaceInTheButton() throws {
      let button = try #require(gtk_button_new())
      let window = try Window(button, width: 120, height: 120)
      let view = ImageTarget(button)
      try show(view)
      try window.drawFrames(3)
      try Display.run { view.state.isShown }
      let width = try #require(view.image?.width)
      #expect(width >= 96 && width <= 128)
      window.close()
    }

    @Test func aMonitorOfTwoPixelsPerPointGetsTwiceAsMany() throws {
      let window = try Window(width: 100, height: 100)
      let view = ImageTarget(window.widget)
      try show(view)
      try Display.setScale(2)
      defer { try? Display.setScale(1) }
      try Display.run { view.state.isShown && view.image?.width == 224 }
      window.close()
    }

    @Test func filtersStay() throws {
      let window = try Window(width: 100, height: 100)
      let view = ImageTarget(window.widget)
      var request = ImageRequest(TestURL.face(1))
      request.filters = [.grayed()]
      view.setImage(request, from: pipeline)
      try Display.run { view.state.isShown }
      let middle = try #require(try window.pixels().middle)
      #expect(middle.red == middle.green && middle.green == middle.blue)
      #expect(view.image?.width == 112)
    }

    @Test func aViewThatGrowsAgainDuringALoadGetsThePixelsOfTheLastSize() throws {
      let file = try TestURL.picture(1, width: 600, height: 300).encoded(as: .png)
      let (door, isFirst) = (Latch(), Guarded(true))
      let transport = FakeTransport { (request, _) async throws(TransportError) in
        let passes = isFirst.withLock { isFirst in
          defer { isFirst = false }
          return isFirst
        }
        if !passes, await !door.wait() { throw .cancelled }
        return TransportResponse(status: 200, headers: .fresh, body: file, url: request.url)
      }
      let pipeline = ImagePipeline.deterministic(transport: transport)
      let (window, picture) = try fixed(100)
      let view = ImageTarget(picture)
      var request = ImageRequest(TestURL.face(1))
      request.caching.policy = .reload
      view.setImage(request, from: pipeline)
      try Display.run { view.state.isShown }
      try resize(window, 150)
      try Display.run { view.state.isLoading }
      try resize(window, 300)
      door.open()
      try Display.run { view.state.isShown }
      #expect(view.image?.width == 320)
    }

    @Test func aViewThatAnotherStyleMadeSmallHasTheRoomOfItsLayout() throws {
      let file = try TestURL.picture(1, width: 300, height: 600).encoded(as: .png)
      let (window, picture) = try loose(GTK_ORIENTATION_VERTICAL)
      let view = ImageTarget(picture)
      let style = Style.rectangle(width: 40, height: 40)
      view.setImage(ImageRequest(TestURL.face(2), style: style), from: pipeline)
      try Display.run { view.state.isShown }
      try window.drawFrames(3)
      try show(view)
      #expect(view.image?.size == PixelSize(width: 224, height: 112))
      try window.drawFrames(3)
      view.setImage(ImageRequest(data: file, id: "tall"), from: pipeline)
      try Display.run { view.state.isShown }
      #expect(view.image?.size == PixelSize(width: 224, height: 448))
    }

    @Test func aCopyOfThePaintableDoesNotChangeTheSizeOfItsView() throws {
      let file = try TestURL.picture(1, width: 300, height: 600).encoded(as: .png)
      let tall = ImageRequest(data: file, id: "tall")
      let (window, picture) = try fixed(100)
      let view = ImageTarget(picture)
      view.setImage(tall, from: pipeline)
      try Display.run { view.state.isShown }
      try show(view)
      try window.drawFrames(2)
      let paintable = gtk_picture_get_paintable(OpaquePointer(picture))
      let copy = try #require(gdk_paintable_get_current_image(paintable))
      g_object_unref(UnsafeMutableRawPointer(copy))
      view.setImage(tall, from: pipeline)
      #expect(view.state.isShown)
      #expect(view.image?.size == PixelSize(width: 56, height: 112))
    }

    @Test func aButtonDoesNotGrowByItsPicture() throws {
      let button = try #require(gtk_button_new())
      let window = try Window(button, width: 120, height: 120)
      let before = (gtk_widget_get_width(button), gtk_widget_get_height(button))
      let view = ImageTarget(button)
      let file = try TestURL.picture(1, width: 300, height: 300).encoded(as: .png)
      view.setImage(ImageRequest(data: file, id: "square"), from: pipeline)
      try Display.run { view.state.isShown }
      try window.drawFrames(3)
      #expect((gtk_widget_get_width(button), gtk_widget_get_height(button)) == before)
      window.close()
    }

    @Test func aFileOfTwoPixelsPerPointIsShownInItsOwnSizeWhereThatIsSmaller() throws {
      let window = try Window(width: 400, height: 200)
      let view = ImageTarget(window.widget)
      let url = try #require(URL(string: "https://example.test/face@2x.png"))
      let options = DisplayOptions(contentMode: .scaleDown)
      view.setImage(ImageRequest(url), from: pipeline, options: options)
      try Display.run { view.state.isShown }
      #expect(view.image?.size == PixelSize(width: 600, height: 300))
      try window.drawFrames(2)
      let pixels = try window.pixels()
      #expect(pixels.color(x: 200, y: 100) == TestURL.color(1))
      #expect(pixels.color(x: 40, y: 100)?.alpha == 0)
    }
  }
}
