import Ikran
import IkranTesting
import IkranViews
import Support
import Testing

/// What a host says of its view: the formats it draws, its mode, its size, its window.
@Suite(.timeLimit(.minutes(1))) @MainActor
struct ViewHostTests {
  private let loop = FakeLoop()
  private let host: FakeHost
  private let pipeline = ImagePipeline.deterministic(transport: Face.origin())

  init() { host = FakeHost(loop) }

  private func keep(_ number: Int, _ style: Style = .small) throws {
    var request = Face.request(number, style)
    request.scale = 1
    pipeline.store(try Face.picture(number), for: request)
  }

  private func drawn(_ host: FakeHost) -> DrawableBitmap? { host.moment?.picture?.picture }

  // MARK: - Size

  @Test func aViewThatGetsItsSizeShowsAnImageInMemoryAtOnce() throws {
    try keep(1, .fit(width: 16, height: 16, enlarges: false))
    host.size = nil
    host.target().setImage(Face.request(1, .automatic), from: pipeline)
    #expect(host.target().state.isLoading)
    host.size = (16, 16)
    #expect(host.target().state.isShown)
    #expect(host.color == Face.color(1))
  }

  @Test func anImageInTheSizeOfAViewThatNeverHasOneFails() throws {
    host.size = nil
    host.sizeRefusal = .invalidRequest("no size")
    try keep(1)
    host.target().setImage(Face.request(1), from: pipeline)
    #expect(host.target().state.isShown)
    host.target().setImage(Face.request(1, .automatic), from: pipeline)
    guard case .failed(.invalidRequest("no size")) = host.target().state else {
      Issue.record("\(host.target().state)")
      return
    }
    #expect(host.color == nil)
    #expect(loop.followerCount == 0)
  }

  @Test func aPictureAsksForNoMoreThanItsPlaceHas() async throws {
    host.size = (17, 17)
    host.target().setImage(Face.request(1, .automatic), from: pipeline)
    loop.advance(milliseconds: 16)
    try await loop.run { host.target().state.isShown }
    let picture = try #require(host.moment?.picture)
    let width = try #require(picture.size?.width)
    #expect(width == 20)
    #expect(abs(width * picture.share - 17) < 1e-9)
  }

  // MARK: - Mode

  @Test func aPictureLiesAsTheViewSays() throws {
    host.contentMode = .cover
    try keep(1)
    host.target().setImage(Face.request(1), from: pipeline)
    #expect(host.slots.drawn.last?.content.mode == .ofView(.cover))
    host.contentMode = .stretch
    host.target().setImage(Face.request(1), from: pipeline)
    #expect(host.slots.drawn.last?.content.mode == .ofView(.stretch))
  }

  @Test func theModeOfTheOptionsTakesThePlaceOfTheViews() throws {
    host.contentMode = .cover
    try keep(1)
    let options = DisplayOptions(contentMode: .contain)
    host.target().setImage(Face.request(1), from: pipeline, options: options)
    #expect(host.slots.drawn.last?.content.mode == .chosen(.contain))
  }

  @Test func aViewWithoutAModeContainsItsPicture() {
    var options = DisplayOptions()
    #expect(options.contentMode == .contain)
    #expect(options.mode.chosen == nil)
    options.contentMode = .contain
    #expect(options.mode.chosen == .contain)
  }

  @Test func aCancelledLoadLeavesTheViewToTheProgram() throws {
    let layer = host.slots.layer(for: .image)
    host.target().setImage(Face.request(1), from: pipeline)
    #expect(!layer.isCancelled)
    host.target().cancelImage()
    #expect(layer.isCancelled)
    try keep(1)
    host.target().setImage(Face.request(1), from: pipeline)
    #expect(!layer.isCancelled)
    host.target().clearImage()
    #expect(!layer.isCancelled)
  }

  // MARK: - Pixels

  @Test(arguments: [PixelFormat.gray, .bgr555, .bgr, .bgrx])
  func aHostGetsTheFormatsThatItDraws(format: PixelFormat) throws {
    host.drawnFormats = [.bgra, .bgrx, .gray, .bgr555]
    let picture = try Face.picture(1).converted(to: format)
    host.target().setImage(picture)
    #expect(drawn(host)?.bitmap.format == (format == .bgr ? .bgrx : format))
  }

  @Test func grayIsConvertedForAHostThatDoesNotDrawIt() throws {
    host.target().setImage(try Face.picture(1).converted(to: .gray))
    #expect(drawn(host)?.bitmap.format == .bgr)
  }

  @Test func viewsOfTheSamePixelsShareTheirPicture() throws {
    let other = FakeHost(loop)
    try keep(1)
    for host in [host, other] { host.target().setImage(Face.request(1), from: pipeline) }
    let picture = try #require(drawn(host))
    #expect(picture === drawn(other))
    try keep(2)
    other.target().setImage(Face.request(2), from: pipeline)
    #expect(picture !== drawn(other))
  }

  @Test func aPictureEndsWithTheLastViewThatShowsIt() throws {
    let image = try Face.picture(1)
    host.target().setImage(image)
    weak let picture = drawn(host)
    #expect(picture != nil)
    host.target().clearImage()
    #expect(picture == nil)
    host.target().setImage(image)
    #expect(drawn(host) != nil)
  }

  @Test func hostsOfOtherFormatsDoNotShareAPicture() throws {
    let other = FakeHost(loop)
    other.drawnFormats = [.bgra, .bgrx]
    let image = try Face.picture(1)
    for host in [host, other] { host.target().setImage(image) }
    #expect(drawn(host)?.bitmap.format == .bgr)
    #expect(drawn(other)?.bitmap.format == .bgrx)
  }

  // MARK: - Windows

  @Test func aViewInAnotherWindowFollowsTheFramesOfThat() {
    let options = DisplayOptions(indicator: .spinner)
    host.target().setImage(Face.request(1), from: pipeline, options: options)
    #expect(loop.followerCount == 1)
    let other = FakeLoop()
    host.clock = other
    host.slots.frameClockDidChange()
    #expect(loop.followerCount == 0)
    #expect(other.followerCount == 1)
  }

  @Test func aViewThatDoesNotMoveFollowsNoFramesInAnotherWindow() throws {
    try keep(1)
    host.target().setImage(Face.request(1), from: pipeline)
    host.slots.frameClockDidChange()
    #expect(loop.followerCount == 0)
  }
}
