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
