import FoundationEssentials
import Ikran
import IkranGTK
import IkranTesting
import Support
import Testing

extension GTKTests {
  /// Images in the program's resources; GTK has some of its own.
  @Suite @MainActor
  struct ProgramResourceTests {
    private let path = "/org/gtk/libgtk/icons/16x16/actions/audio-volume-high.png"

    init() throws { try Display.open() }

    @Test func aResourceIsDecodedOnceAndKeptInMemoryAlone() async throws {
      let folder = try TemporaryDirectory()
      let request = ImageRequest(resource: path, style: .circle(8))
      let sources: [ImageSource] = [.data, .memory]
      for _ in 0..<2 {
        let pipeline = ImagePipeline.deterministic(
          transport: FakeTransport(),
          folder: folder.path
        )
        for source in sources {
          let response = try await pipeline.response(for: request)
          #expect(response.image.size == PixelSize(width: 8, height: 8))
          #expect(response.source == source)
        }
        await pipeline.finishWriting()
      }
    }

    @Test func aValueOfTheProgramsOwnTypeShowsItsImage() throws {
      struct Icon: ImageRequestConvertible {
        let path: String

        func imageRequest(style: Style) -> ImageRequest? {
          ImageRequest(resource: path, style: style)
        }
      }
      let window = try Window(width: 16, height: 16)
      let view = ImageTarget(window.widget)
      let pipeline = ImagePipeline.deterministic(transport: FakeTransport())
      view.setImage(of: Icon(path: path), style: .circle(8), from: pipeline)
      try Display.run { view.state.isShown }
      #expect(view.image?.size == PixelSize(width: 8, height: 8))
    }

    @Test(arguments: ["gresource://", "GResource:"])
    func aURLOfItsSchemeShowsIt(beginning: String) throws {
      let window = try Window(width: 16, height: 16)
      let view = ImageTarget(window.widget)
      let pipeline = ImagePipeline.deterministic(transport: FakeTransport())
      let encoded = path.replacing("-high", with: "%2D%68igh")
      let url = try #require(URL(string: beginning + encoded))
      var request = ImageRequest(url, style: .circle(8))
      request.scale = 1
      view.setImage(request, from: pipeline)
      try Display.run { view.state.isShown }
      #expect(view.image?.size == PixelSize(width: 8, height: 8))
      #expect(view.url == url)
      // It is the same image as by its path.
      var same = ImageRequest(resource: path, style: .circle(8))
      same.scale = 1
      #expect(pipeline.cached(for: same) != nil)
    }

    @Test func aURLKeepsTheOptionsOfItsRequest() throws {
      let window = try Window(width: 16, height: 16)
      let view = ImageTarget(window.widget)
      let pipeline = ImagePipeline.deterministic(transport: FakeTransport())
      var request = ImageRequest(try #require(URL(string: "gresource://" + path)))
      (request.style, request.scale, request.caching.stores) = (.circle(8), 2, [])
      view.setImage(request, from: pipeline)
      try Display.run { view.state.isShown }
      #expect(view.image?.size == PixelSize(width: 16, height: 16))
      var known = ImageRequest(resource: path, style: .circle(8))
      known.scale = 2
      #expect(pipeline.cached(for: known) == nil)
    }

    @Test func aURLOfNoneNamesIt() throws {
      let window = try Window(width: 16, height: 16)
      let view = ImageTarget(window.widget)
      let url = try #require(URL(string: "gresource://org/none.png"))
      let pipeline = ImagePipeline.deterministic(transport: FakeTransport())
      view.setImage(ImageRequest(url, style: .circle(8)), from: pipeline)
      try Display.run { view.state.hasFailed }
      guard case .failed(.source(let reason, _)) = view.state else {
        Issue.record("\(view.state)")
        return
      }
      #expect(reason.contains("“org/none.png”"))
    }

    @Test func aURLIsZoomed() throws {
      let window = try Window(width: 16, height: 16)
      let view = ZoomView(window.widget)
      let url = try #require(URL(string: "gresource://" + path))
      let pipeline = ImagePipeline.deterministic(transport: FakeTransport())
      view.show(ImageRequest(url), from: pipeline)
      try Display.run { if case .shown = view.state { true } else { false } }
      guard case .shown(let info) = view.state else {
        Issue.record("\(view.state)")
        return
      }
      #expect(info.size == PixelSize(width: 16, height: 16))
    }

    @Test(arguments: ["/org/none.png", "org/gtk", "", "/"])
    func whereThereIsNoneAnErrorNamesIt(path: String) async throws {
      let pipeline = ImagePipeline.deterministic(transport: FakeTransport())
      do throws(ImageError) {
        _ = try await pipeline.image(for: ImageRequest(resource: path))
        Issue.record("there is one")
      } catch {
        guard case .source(let reason, _) = error else { throw error }
        #expect(reason.contains("“\(path)”"))
      }
    }
  }
}
