import Ikran
import IkranPlayback
import IkranTesting
import IkranViews
import Support
import Testing

/// Animated images: one player for all views of an image, by the frames of their windows.
@Suite(.timeLimit(.minutes(1))) @MainActor
struct ViewPlayingTests {
  private let loop = FakeLoop()
  private let animation: Animation

  /// Three frames, of 40, 80 and 120 ms, twice.
  init() throws {
    let file = try Fixtures.bytes("animation-3-frames.webp")
    let frames = try #require(try CodecList.standard.frames(of: file))
    animation = try Animation(frames, style: .rectangle(width: 16, height: 16))
  }

  private func playing(
    _ count: Int,
    _ loops: PlaybackOptions.Loops = .forever
  ) async throws -> (hosts: [FakeHost], player: Player) {
    var options = DisplayOptions()
    options.playback.loops = loops
    let hosts = (0..<count).map { _ in FakeHost(loop) }
    for host in hosts { host.target().setImage(animation, options: options) }
    loop.advance(milliseconds: 16)
    try await loop.run { hosts.allSatisfy { $0.target().state.isShown } }
    return (hosts, try #require(hosts.first?.target().player))
  }

  /// Moves the time on as frames are decoded, until a condition holds.
  private func play(until condition: () -> Bool) async throws {
    try await until {
      if condition() { return true }
      loop.advance(milliseconds: 16)
      return condition()
    }
  }

  @Test func viewsOfOneImageShareAPlayer() async throws {
    let (hosts, player) = try await playing(2, .times(2))
    #expect(hosts[1].target().player === player)
    try await play { player.state == .ended }
    #expect(player.loop == 2)
  }

  @Test func itStandsWhileNoViewIsInSight() async throws {
    let (hosts, player) = try await playing(2)
    try await play { player.shownFrame != nil }
    for host in hosts { host.isInSight = false }
    loop.advance(milliseconds: 400)
    #expect(!player.isVisible)
    let (frame, round) = (player.frame, player.loop)
    loop.advance(milliseconds: 1_000)
    #expect(player.frame == frame && player.loop == round)
    hosts[1].isInSight = true
    try await play { player.loop > round }
  }

  @Test func itGoesOnByTheFramesOfAnotherWindow() async throws {
    let (hosts, player) = try await playing(2)
    hosts[1].frameClock = 2
    try await play { player.shownFrame != nil }
    hosts[0].slots.end()
    let round = player.loop
    try await play { player.loop > round }
  }

  @Test func itStandsWithTheLastView() async throws {
    let (hosts, player) = try await playing(1)
    try await play { player.shownFrame != nil }
    hosts[0].target().clearImage()
    #expect(!player.isVisible)
    #expect(hosts[0].target().player == nil)
  }

  @Test func framesAreRequestedByItsShortestOne() async throws {
    let (hosts, player) = try await playing(1)
    try await play { player.shownFrame != nil }
    #expect(Set(hosts[0].intervals) == [40])
  }

  @Test func itStandsWhileTheViewShowsAnotherSlot() async throws {
    let (hosts, player) = try await playing(1)
    try await play { player.shownFrame != nil }
    hosts[0].choice = { _ in [.pressed] }
    loop.advance(milliseconds: 400)
    #expect(!player.isVisible)
  }
}
