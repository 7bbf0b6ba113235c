import Ikran
import Support
import Testing

/// The code of the article "Animated images".
@MainActor @Suite(.timeLimit(.minutes(10)))
struct AnimatedImagesTests {
  /// A view of the program's own, with a frame clock.
  @MainActor private final class View {
    var tick: ((Duration) -> Void)?
    func onTick(_ tick: @escaping (Duration) -> Void) { self.tick = tick }
  }

  private let request = ImageRequest(location: "http://example.test/a.webp", style: .circle(16))
  private let view = View()
  private let shown = Recorder<Bitmap>()
  private let played = Recorder<ImageResponse>()
  private let pipeline: ImagePipeline

  init() throws {
    let bytes = try Fixtures.bytes("animation-3-frames.webp")
    pipeline = ImagePipeline(options: .steady, transport: FakeTransport(body: bytes))
  }

  private func show(_ image: Bitmap) { shown.add(image) }
  private func play(_ response: ImageResponse) { played.add(response) }
  private func say(_ text: String) { Issue.record("\(text)") }

  @Test func aPlayerShowsFrames() async throws {
    // The view holds the player, whose handler holds the view.
    defer { view.tick = nil }
    let response = try await pipeline.response(for: request)
    show(response.image)
    if let animation = response.animation {
      let player = Player(animation) { event in
        if case .frame(_, let image) = event { show(image) }
      }
      player.play()
      view.onTick { time in player.advance(to: time) }
      let tick = try #require(view.tick)
      for (frame, time) in [(0, 0), (1, 41), (2, 121)] {
        // The decoder may need a moment.
        repeat {
          tick(.milliseconds(time))
          await Task.yield()
        } while player.shownFrame != frame
      }
      player.options = PlaybackOptions(rate: 0.5, direction: .bounce, loops: .times(3))
      player.seek(toFrame: 0)
      #expect(player.frame == 0)
    }
    #expect(shown.items.count == 4)
  }

  @Test func eventsBringThePlayableImage() async {
    for await event in pipeline.events(for: request) {
      switch event {
      case .preview(let response), .finished(let response): play(response)
      case .failed(let error): say("\(error)")
      default: break
      }
    }
    #expect(played.items.last?.animation?.frameCount == 3)
  }
}
