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
