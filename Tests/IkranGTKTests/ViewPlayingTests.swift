import CGTK
import IkranGTK
import IkranTesting
import Support
import Testing

extension GTKTests {
  /// Animated images on widgets.
  @Suite @MainActor
  struct ViewPlayingTests {
    private let pipeline: ImagePipeline
    /// Three frames, of 40, 80 and 120 ms, twice.
    private let request: ImageRequest

    init() throws {
      try Display.open()
      let file = try Fixtures.bytes("animation-3-frames.webp")
      pipeline = .deterministic(transport: FakeTransport(body: file))
      request = ImageRequest(TestURL.face(1), style: .rectangle(width: 16, height: 16))
    }

    private func show(on window: Window) throws -> ImageTarget {
      let view = ImageTarget(window.widget)
      view.setImage(request, from: pipeline)
      try Display.run { view.state.isShown }
      return view
    }

    @Test func itPlaysByTheFramesOfTheWindow() throws {
      let window = try Window(width: 16, height: 16)
      let player = try #require(try show(on: window).player)
      try Display.run { player.shownFrame == 0 }
      let first = try window.pixels()
      try Display.run { player.shownFrame == 2 }
      try window.drawFrames(2)
      let third = try window.pixels()
      #expect(throws: PixelDifference.self) { try expectPixels(third, equal: first) }
      try Display.run { player.state == .ended }
      #expect(player.loop == 2)
    }

    @Test func viewsOfOneImageShareAPlayer() throws {
      let windows = try (0..<2).map { _ in try Window(width: 16, height: 16) }
      let views = try windows.map { try show(on: $0) }
      #expect(views[0].player === views[1].player)
      let player = try #require(views[0].player)
      // It goes on when the widget whose frames it followed has ended.
      try Display.run { player.shownFrame != nil }
      windows[0].close()
      let loop = player.loop
      try Display.run { player.loop > loop || player.state == .ended }
    }

    @Test func anAvatarPlaysAlsoWhenItHasJustArrived() throws {
      let window = try Window(width: 16, height: 16)
      let view = ImageTarget(window.widget)
      view.setAvatar(PlainAvatar(url: TestURL.face(1), placeholder: nil), from: AvatarPod(pipeline))
      try Display.run { view.state.isShown }
      let player = try #require(view.player)
      try Display.run { player.shownFrame == 2 }
    }

    @Test func itWaitsToBePlayedIfTheOptionsSaySo() throws {
      let window = try Window(width: 16, height: 16)
      let view = ImageTarget(window.widget)
      var options = DisplayOptions()
      options.playback.playsAutomatically = false
      view.setImage(request, from: pipeline, options: options)
      try Display.run { view.state.isShown }
      let player = try #require(view.player)
      try window.drawFrames(20)
      #expect(player.state == .stopped)
      #expect(player.frame == 0)
      player.play()
      try Display.run { player.shownFrame == 2 }
    }

    @Test func itStandsWhileItsWidgetIsNotOnDisplay() throws {
      let window = try Window(width: 16, height: 16)
      let player = try #require(try show(on: window).player)
      try Display.run { player.shownFrame != nil }
      gtk_widget_set_visible(window.widget, 0)
      #expect(!player.isVisible)
      let frame = player.frame
      try window.drawFrames(30)
      #expect(player.frame == frame)
      gtk_widget_set_visible(window.widget, 1)
      #expect(player.isVisible)
      try Display.run { player.state == .ended }
    }

    @Test func itStandsWhileItIsScrolledAway() throws {
      try Display.open()
      let (scrolled, box) = (gtk_scrolled_window_new(), gtk_box_new(GTK_ORIENTATION_VERTICAL, 0))
      let typed = UnsafeMutableRawPointer(box)?.assumingMemoryBound(to: GtkBox.self)
      let (space, picture) = (try #require(gtk_label_new("")), try #require(gtk_picture_new()))
      gtk_widget_set_size_request(space, 10, 2000)
      gtk_widget_set_size_request(picture, 16, 16)
      gtk_box_append(typed, space)
      gtk_box_append(typed, picture)
      gtk_scrolled_window_set_child(OpaquePointer(scrolled), box)
      let window = try Window(scrolled, width: 100, height: 100)
      let view = ImageTarget(picture)
      view.setImage(request, from: pipeline)
      try Display.run { view.state.isShown }
      let player = try #require(view.player)
      try window.drawFrames(20)
      #expect(!player.isVisible)
      #expect(player.frame == 0)
      let adjustment = gtk_scrolled_window_get_vadjustment(OpaquePointer(scrolled))
      gtk_adjustment_set_value(adjustment, 2000)
      try Display.run { player.shownFrame == 2 }
      gtk_adjustment_set_value(adjustment, 0)
      try Display.run { !player.isVisible || player.state == .ended }
    }

    @Test func itStandsWhileItsStateIsNotTheWidgets() throws {
      let window = try Window(width: 16, height: 16)
      let view = ImageTarget(window.widget, slot: .hovered)
      view.setImage(request, from: pipeline)
      try Display.run { view.state.isShown }
      let player = try #require(view.player)
      try window.drawFrames(20)
      #expect(player.frame == 0)
      gtk_widget_set_state_flags(window.widget, GTK_STATE_FLAG_PRELIGHT, 0)
      #expect(player.isVisible)
      try Display.run { player.shownFrame == 2 }
    }

    @Test func anotherImageEndsIt() throws {
      let window = try Window(width: 16, height: 16)
      let view = try show(on: window)
      weak let player = view.player
      view.clearImage()
      #expect(view.player == nil)
      try window.drawFrames(2)
      #expect(player == nil)
    }
  }
}
