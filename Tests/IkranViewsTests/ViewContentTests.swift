import Ikran
import IkranPlayback
import IkranTesting
import IkranViews
import Support
import Testing

/// What is seen before and while an image comes, and in which state of a view.
@Suite(.timeLimit(.minutes(1))) @MainActor
struct ViewContentTests {
  private let loop = FakeLoop()
  private let host: FakeHost
  private let pipeline = ImagePipeline.deterministic(transport: Face.origin())
  private let green = Color(red: 0, green: 160, blue: 0)

  init() { host = FakeHost(loop) }

  private func keep(_ number: Int) throws {
    var request = Face.request(number)
    request.scale = 1
    pipeline.store(try Face.picture(number), for: request)
  }

  @Test func aPlaceholderIsSeenUntilTheImageIsThere() async throws {
    let options = DisplayOptions(placeholder: .color(green))
    host.target().setImage(Face.request(1), from: pipeline, options: options)
    #expect(host.color == green)
    loop.advance(milliseconds: 16)
    try await loop.run { host.target().state.isShown }
    #expect(host.color == Face.color(1))
  }

  @Test func aFailureHasItsOwnPlaceholder() async throws {
    let pipeline = ImagePipeline.deterministic(transport: FakeTransport())
    let options = DisplayOptions(failure: .color(green))
    host.target().setImage(Face.request(1), from: pipeline, options: options)
    loop.advance(milliseconds: 16)
    try await loop.run { host.target().state.hasFailed }
    #expect(host.color == green)
  }

  @Test func theImageStandsInForTheNext() async throws {
    try keep(1)
    host.target().setImage(Face.request(1), from: pipeline)
    var options = DisplayOptions()
    options.standIns = [.present]
    host.target().setImage(Face.request(2), from: pipeline, options: options)
    #expect(host.color == Face.color(1))
    loop.advance(milliseconds: 16)
    try await loop.run { host.target().state.isShown }
    #expect(host.color == Face.color(2))
  }

  @Test func aStandInIsLoadedAlongWithTheImage() async throws {
    let door = Latch()
    let slow = ImagePipeline.deterministic(
      transport: FakeTransport { (request, _) async throws(TransportError) in
        if request.url.hasSuffix("/1"), await !door.wait() { throw .cancelled }
        return try Face.response(to: request)
      }
    )
    var options = DisplayOptions()
    options.standIns = [.request(Face.request(2))]
    host.target().setImage(Face.request(1), from: slow, options: options)
    loop.advance(milliseconds: 16)
    try await loop.run { host.color == Face.color(2) }
    #expect(host.target().state.isLoading)
    #expect(host.target().image == nil)
    door.open()
    try await loop.run { host.target().state.isShown }
    #expect(host.color == Face.color(1))
  }

  @Test func aTransitionGoesByTheFrames() async throws {
    var transition = Transition.fade(.milliseconds(160))
    transition.isEased = false
    let options = DisplayOptions(placeholder: .color(green), transition: transition)
    host.target().setImage(Face.request(1), from: pipeline, options: options)
    loop.advance(milliseconds: 16)
    try await loop.run { host.target().state.isShown }
    loop.advance(milliseconds: 16)
    #expect(host.moment?.change?.progress == 0)
    loop.advance(milliseconds: 80)
    let change = try #require(host.moment?.change)
    #expect(change.progress == 0.5)
    #expect(change.from?.picture.bitmap.middle == green)
    loop.advance(milliseconds: 96)
    #expect(host.moment?.change == nil)
    #expect(loop.followerCount == 0)
  }

  @Test func aStateMayWaitForTheEndOfATransition() async throws {
    var transition = Transition.fade(.milliseconds(160))
    transition.endsBeforeShown = true
    let options = DisplayOptions(transition: transition)
    host.target().setImage(Face.request(1), from: pipeline, options: options)
    loop.advance(milliseconds: 16)
    try await loop.run { host.target().image != nil }
    #expect(host.target().state.isLoading)
    loop.advance(milliseconds: 192)
    #expect(host.target().state.isShown)
  }

  @Test func anImageInMemoryHasNoTransition() throws {
    try keep(1)
    let options = DisplayOptions(placeholder: .color(green), transition: .fade())
    host.target().setImage(Face.request(1), from: pipeline, options: options)
    #expect(host.moment?.change == nil)
  }

  @Test func anIndicatorTurnsWhileTheImageIsOnItsWay() async throws {
    let options = DisplayOptions(indicator: .spinner)
    host.target().setImage(Face.request(1), from: pipeline, options: options)
    let layer = host.slots.layer(for: .image)
    #expect(layer.indicator(at: 250_000)?.start == 0.25)
    #expect(loop.followerCount == 1)
    loop.advance(milliseconds: 16)
    try await loop.run { host.target().state.isShown }
    #expect(layer.indicator(at: 250_000) == nil)
  }

  @Test func theSlotOfAStateIsDrawnInThatState() throws {
    for (number, slot) in [ImageTarget.Slot.image, .hovered, .pressed].enumerated() {
      try keep(number)
      host.target(slot).setImage(Face.request(number), from: pipeline)
    }
    #expect(host.color == Face.color(0))
    host.states = [.hovered]
    #expect(host.color == Face.color(1))
    host.states = [.hovered, .pressed]
    #expect(host.color == Face.color(2))
  }

  @Test func theBackgroundIsBehindTheImage() throws {
    for (number, slot) in [ImageTarget.Slot.image, .background].enumerated() {
      try keep(number)
      host.target(slot).setImage(Face.request(number), from: pipeline)
    }
    #expect(host.slots.drawn.map(\.slot) == [.background, .image])
  }

  @Test func oneSlotIsCancelledAlone() async throws {
    host.target(.image).setImage(Face.request(1), from: pipeline)
    host.target(.hovered).setImage(Face.request(2), from: pipeline)
    host.target(.hovered).cancelImage()
    loop.advance(milliseconds: 16)
    try await loop.run { host.target(.image).state.isShown }
    #expect(host.target(.hovered).state.isEmpty)
  }

  @Test func aViewOfTheProgramsIsSeenWhileTheImageIsNot() async throws {
    let (placeholder, indicator) = (FakeAttachedView(), FakeAttachedView())
    let layer = host.slots.layer(for: .image)
    layer.attach(placeholder, while: .noImage)
    layer.attach(indicator, while: .loading)
    #expect(placeholder.isVisible && !indicator.isVisible)
    host.target().setImage(Face.request(1), from: pipeline)
    #expect(placeholder.isVisible && indicator.isVisible)
    loop.advance(milliseconds: 16)
    try await loop.run { host.target().state.isShown }
    #expect(!placeholder.isVisible && !indicator.isVisible)
    host.slots.end()
    #expect(placeholder.references == 0 && indicator.references == 0)
  }

  @Test func aHandedImageIsNotDrawn() async throws {
    var options = DisplayOptions(placeholder: .color(green))
    let images = Recorder<Color?>()
    options.onImage = { image, _ in images.add(image.middle) }
    host.target().setImage(Face.request(1), from: pipeline, options: options)
    loop.advance(milliseconds: 16)
    try await loop.run { host.target().state.isLoaded }
    #expect(images.items == [Face.color(1)])
    #expect(host.color == green)
  }

  @Test func theSameImageAgainRedrawsNothing() throws {
    try keep(1)
    host.target().setImage(Face.request(1), from: pipeline)
    let changes = host.changes
    host.target().setImage(Face.request(1), from: pipeline)
    #expect(host.changes == changes)
  }

  @Test func aStateAsksForNoNewPicture() throws {
    for (number, slot) in [ImageTarget.Slot.image, .hovered].enumerated() {
      try keep(number)
      host.target(slot).setImage(Face.request(number), from: pipeline)
    }
    let count = host.changes.count
    host.states = [.hovered]
    #expect(Set(host.changes[count...]) == [.state])
  }

  @Test func aHostChoosesWhichSlotsAreSeen() throws {
    let control = ImageTarget.Slot.control(.init(states: 4, isBackground: true))
    for (number, slot) in [ImageTarget.Slot.image, control, .background].enumerated() {
      try keep(number)
      host.target(slot).setImage(Face.request(number), from: pipeline)
    }
    _ = host.target(.hovered)
    var filled: [ImageTarget.Slot] = []
    host.choice = { slots in
      filled = slots
      return [control, .image, .hovered]
    }
    #expect(host.slots.drawn.map(\.slot) == [control, .image])
    #expect(filled == [.image, control, .background])
  }

  @Test func aSlotThatAViewHasNotFails() throws {
    host.missingSlots = [.checked]
    host.target(.checked).setImage(Face.request(1), from: pipeline)
    #expect(host.target(.checked).state.hasFailed)
    try keep(1)
    host.target().setImage(Face.request(1), from: pipeline)
    #expect(host.target().state.isShown)
  }
}
