import FoundationEssentials
import Ikran
import IkranTesting
import IkranViews
import Support
import Testing

/// When loads begin, and what is shown of them.
@Suite(.timeLimit(.minutes(1))) @MainActor
struct ViewLoadingTests {
  private let loop = FakeLoop()
  private let transport = Face.origin()
  private let pipeline: ImagePipeline

  init() { pipeline = .deterministic(transport: transport) }

  private func keep(_ number: Int) throws {
    var request = Face.request(number)
    request.scale = 1
    pipeline.store(try Face.picture(number), for: request)
  }

  @Test func aLoadBeginsAFrameLater() async throws {
    let host = FakeHost(loop)
    host.target().setImage(Face.request(1), from: pipeline)
    loop.advance(milliseconds: 15)
    #expect(pipeline.downloads.running == 0)
    #expect(transport.requests.isEmpty)
    loop.advance(milliseconds: 1)
    try await loop.run { host.target().state.isShown }
    #expect(host.color == Face.color(1))
  }

  @Test func anImageInMemoryIsShownWithinTheCall() throws {
    try keep(1)
    let host = FakeHost(loop)
    host.target().setImage(Face.request(1), from: pipeline)
    #expect(host.target().state.isShown)
    #expect(host.color == Face.color(1))
  }

  @Test func aFlingLoadsNoMoreThanWhatItStopsAt() async throws {
    let host = FakeHost(loop)
    for number in 0..<1_000 {
      host.target().setImage(Face.request(number), from: pipeline)
    }
    loop.advance(milliseconds: 16)
    try await loop.run { host.target().state.isShown }
    #expect(transport.requests.count == 1)
    #expect(host.color == Face.color(999))
  }

  @Test func aViewThatIsUsedAgainNeverShowsTheImageBefore() async throws {
    let door = Latch()
    let pipeline = ImagePipeline.deterministic(transport: Face.origin(door))
    let host = FakeHost(loop)
    host.target().setImage(Face.request(1), from: pipeline)
    loop.advance(milliseconds: 16)
    try await loop.run { pipeline.downloads.running == 1 }
    host.target().setImage(Face.request(2), from: pipeline)
    loop.advance(milliseconds: 16)
    door.open()
    try await loop.run { host.target().state.isShown }
    #expect(host.color == Face.color(2))
    loop.advance(milliseconds: 100)
    #expect(host.color == Face.color(2))
  }

  @Test func anImageThatIsOnItsWayToTheViewIsNotShownAfterAnotherWasSet() async throws {
    let host = FakeHost(loop)
    var request = Face.request(1)
    request.scale = 1
    host.target().setImage(request, from: pipeline)
    loop.advance(milliseconds: 16)
    try await until { pipeline.cached(for: request) != nil && loop.hasJobs }
    host.target().setImage(Face.request(2), from: pipeline)
    try await loop.run { !loop.hasJobs }
    #expect(host.target().state.isLoading)
    #expect(host.color == nil)
  }

  @Test func whatIsOutOfSightBeginsAFrameAfterTheOthers() async throws {
    let pipeline = ImagePipeline.deterministic(transport: transport)
    pipeline.maximumConcurrentDownloads = 1
    pipeline.isSuspended = true
    let hosts = (0..<4).map { _ in FakeHost(loop) }
    for (number, host) in hosts.enumerated() {
      host.isInSight = number > 1
      host.target().setImage(Face.request(number), from: pipeline)
    }
    loop.advance(milliseconds: 16)
    try await loop.run { pipeline.downloads.waiting == 2 }
    loop.advance(milliseconds: 16)
    try await loop.run { pipeline.downloads.waiting == 4 }
    pipeline.isSuspended = false
    try await loop.run { hosts.allSatisfy { $0.target().state.isShown } }
    let order = transport.urls.compactMap { $0.split(separator: "/").last }
    #expect(Set(order.prefix(2)) == ["2", "3"])
  }

  @Test func aLoadEndsWhenTheViewLeavesTheDisplay() async throws {
    let pipeline = ImagePipeline.deterministic(transport: Face.origin(Latch()))
    let host = FakeHost(loop)
    host.target().setImage(Face.request(1), from: pipeline)
    loop.advance(milliseconds: 16)
    try await loop.run { pipeline.downloads.running == 1 }
    host.isOnDisplay = false
    try await loop.run { pipeline.downloads.running == 0 }
    #expect(host.target().state.isLoading)
  }

  @Test func aLoadBeginsWhenTheViewComesOnDisplay() async throws {
    let host = FakeHost(loop)
    host.isOnDisplay = false
    host.target().setImage(Face.request(1), from: pipeline)
    loop.advance(milliseconds: 100)
    #expect(transport.requests.isEmpty)
    host.isOnDisplay = true
    loop.advance(milliseconds: 16)
    try await loop.run { host.target().state.isShown }
  }

  @Test func aCancelledLoadLeavesWhatIsShown() async throws {
    try keep(1)
    let host = FakeHost(loop)
    host.target().setImage(Face.request(1), from: pipeline)
    var options = DisplayOptions()
    options.standIns = [.present]
    host.target().setImage(Face.request(2), from: pipeline, options: options)
    host.target().cancelImage()
    loop.advance(milliseconds: 32)
    #expect(host.target().state.isEmpty)
    #expect(transport.requests.isEmpty)
    #expect(host.color == Face.color(1))
  }

  @Test func anotherScaleLoadsAnotherImage() async throws {
    let host = FakeHost(loop)
    host.target().setImage(Face.request(1), from: pipeline)
    loop.advance(milliseconds: 16)
    try await loop.run { host.target().state.isShown }
    #expect(host.target().image?.width == 16)
    host.scale = 2
    #expect(host.target().image?.width == 16)
    loop.advance(milliseconds: 16)
    try await loop.run { host.target().image?.width == 32 }
    #expect(transport.requests.count == 1)
  }

  @Test func anImageInTheSizeOfTheViewWaitsForThat() async throws {
    let host = FakeHost(loop)
    host.size = nil
    host.target().setImage(Face.request(1, .automatic), from: pipeline)
    loop.advance(milliseconds: 100)
    #expect(transport.requests.isEmpty)
    host.size = (20, 20)
    loop.advance(milliseconds: 48)
    try await loop.run { host.target().state.isShown }
    #expect(host.target().image?.width == 20)
  }

  @Test func aLargerViewLoadsALargerImage() async throws {
    let host = FakeHost(loop)
    host.target().setImage(Face.request(1, .automatic), from: pipeline)
    loop.advance(milliseconds: 16)
    try await loop.run { host.target().image?.width == 16 }
    host.size = (40, 40)
    loop.advance(milliseconds: 16)
    try await loop.run { host.target().image?.width == 40 }
  }

  @Test func aHostThatCannotShowSaysWhy() {
    let host = FakeHost(loop)
    host.refusal = .invalidRequest("it is a label")
    host.target().setImage(Face.request(1), from: pipeline)
    guard case .failed(.invalidRequest("it is a label")) = host.target().state else {
      Issue.record("\(host.target().state)")
      return
    }
  }

  @Test func whatOnlyTheHostCanReadKeepsItsURL() async throws {
    let host = FakeHost(loop)
    host.resolving = { request in
      request.address(in: "fake") == nil ? request : Face.request(7, request.style)
    }
    let url = try #require(URL(string: "fake:7"))
    host.target().setImage(ImageRequest(url, style: .small), from: pipeline)
    loop.advance(milliseconds: 16)
    try await loop.run { host.target().state.isShown }
    #expect(host.color == Face.color(7))
    #expect(host.target().url == url)
  }

  @Test func theSameImageAgainGoesOnLoading() async throws {
    let host = FakeHost(loop)
    host.target().setImage(Face.request(1), from: pipeline)
    loop.advance(milliseconds: 8)
    host.target().setImage(Face.request(1), from: pipeline)
    loop.advance(milliseconds: 8)
    try await loop.run { host.target().state.isShown }
    #expect(transport.requests.count == 1)
  }

  @Test func aClosureThatSetsAnotherImageIsHeardOnce() async throws {
    let host = FakeHost(loop)
    let states = Counter()
    var options = DisplayOptions()
    options.onChange = { [weak host, pipeline] state in
      guard state.isShown, let host else { return }
      states.add()
      host.target().setImage(Face.request(2), from: pipeline)
    }
    host.target().setImage(Face.request(1), from: pipeline, options: options)
    loop.advance(milliseconds: 16)
    try await loop.run { states.count == 1 }
    loop.advance(milliseconds: 16)
    try await loop.run { host.target().state.isShown }
    #expect(states.count == 1)
    #expect(host.color == Face.color(2))
  }

  @Test func nothingOfAViewIsKeptAfterItsEnd() async throws {
    let pipeline = ImagePipeline.deterministic(transport: Face.origin(Latch()))
    weak var weakHost: FakeHost?
    weak var layer: PictureLayer?
    do {
      let host = FakeHost(loop)
      (weakHost, layer) = (host, host.slots.layer(for: .image))
      host.target().setImage(Face.request(1), from: pipeline)
      loop.advance(milliseconds: 16)
      try await loop.run { pipeline.downloads.running == 1 }
      host.slots.end()
    }
    try await loop.run { weakHost == nil && layer == nil && pipeline.downloads.running == 0 }
  }
}
