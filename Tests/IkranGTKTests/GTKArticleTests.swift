import CGTK
import FoundationEssentials
import IkranGTK
import Support
import Testing

extension GTKTests {
  /// The code of the article "Pictures on GTK 4 widgets".
  @Suite @MainActor
  struct GTKArticleTests {
    private let pipeline = ImagePipeline.deterministic(transport: TestURL.origin())
    private let url = TestURL.face(1)

    @Test func allOfItIsCompiled() throws {
      let programs = ["PictureWindow", "FaceList", "MemberRow"]
      let missing = try Article("GTKViews")
        .lines(missingIn: "IkranGTKTests/GTKArticleTests", programs: programs)
      #expect(missing == [])
    }

    @Test func theViewOfTheOverviewShowsItsImage() throws {
      let window = try Window(width: 48, height: 48)
      let picture = window.widget
      let hash = try TestURL.picture(1).thumbHash()
      do {
        let view = ImageTarget(picture)
        var request = ImageRequest(url, style: .circle(48))
        request.filters = [.grayed()]
        view.setImage(
          request,
          from: pipeline,
          options: DisplayOptions(
            placeholder: .thumbHash(hash),
            failure: .color(.black),
            indicator: .progress,
            transition: .fade(),
            contentMode: .cover
          )
        )
        ImageTarget(picture, slot: .hovered).setImage(
          url,
          style: .circle(48),
          filters: [.brightness(0.1)]
        )
        try Display.run { view.state.isShown }
      }
    }

    @Test func aClosureFindsThePixels() throws {
      let window = try Window(width: 48, height: 48)
      let view = ImageTarget(window.widget)
      var sizes: [PixelSize] = []
      func print(_ size: PixelSize) { sizes.append(size) }
      var options = DisplayOptions()
      options.onChange = { state in
        if case .shown = state, let image = view.image { print(image.size) }
      }
      let request = ImageRequest(url, style: .circle(48))
      view.setImage(request, from: pipeline, options: options)
      try Display.run { view.state.isShown }
      #expect(sizes == [PixelSize(width: 48, height: 48)])
    }

    @Test func theCallsOfOtherBindingsTakeTheirPointers() throws {
      func update(_ widget: OpaquePointer, with url: URL) {
        MainActor.assumeIsolated { ImageTarget(widget).setImage(url, style: .circle(48)) }
      }
      func inspect(_ widget: UnsafeMutableRawPointer, _ url: URL) {
        MainActor.assumeIsolated { ImageTarget(widget).setImage(url, style: .circle(48)) }
      }
      let window = try Window(width: 48, height: 48)
      // A file that is not there: nothing is loaded from a network.
      update(OpaquePointer(window.widget), with: URL(filePath: "/nowhere/1"))
      #expect(ImageTarget(window.widget).url == URL(filePath: "/nowhere/1"))
      inspect(UnsafeMutableRawPointer(window.widget), URL(filePath: "/nowhere/2"))
      #expect(ImageTarget(window.widget).url == URL(filePath: "/nowhere/2"))
      ImageTarget(window.widget).cancelImage()
    }
  }
}
