import CPeers
import Glibc
import Ikran
import IkranPlayback

/// Animations that play in real time, and one that is sought.
enum AnimationPlayback {
  private static let seconds = 5.0
  private static let playerCount = 20

  /// Plays 20 animations at their own rate, from their first frame, driven 60 times a second as by
  /// a view's frame clock.
  ///
  /// Reports the processor time of all threads as a part of one core, and how many of the frames
  /// that were due were shown.
  static func play(
    _ name: String,
    _ bytes: [UInt8],
    byteLimit: Int?,
    into report: inout Report
  ) throws {
    let store = AnimationStore(byteLimit: byteLimit)
    let players = try (0..<playerCount).map { _ in Player(try animation(bytes, store)) }
    let shown = Counter()
    for player in players {
      player.onEvent = { if case .frame = $0 { shown.count += 1 } }
      player.play()
    }
    let (began, busy) = (peers_nanoseconds(), peers_cpu_nanoseconds())
    var tick = 0.0
    while tick < seconds * 60 {
      let now = peers_nanoseconds() - began
      for player in players { player.advance(to: .nanoseconds(Int64(now))) }
      tick = max(tick + 1, (Double(now) * 60 / 1e9).rounded(.up))
      let left = tick / 60 * 1e9 - Double(peers_nanoseconds() - began)
      if left > 0 { usleep(UInt32(left / 1000)) }
    }
    let passed = Double(peers_nanoseconds() - began)
    let used = Double(peers_cpu_nanoseconds() - busy)
    report.add(name, value: 100 * used / passed, unit: "% of one core")
    let due = Double(playerCount) * passed / 40e6
    report.add("\(name).shown", value: 100 * Double(shown.count) / due, unit: "% of the frames due")
    let kept = withExtendedLifetime(players) { store.byteCount >> 20 }
    report.note("\(name): \(kept) of \(store.byteLimit >> 20) MiB for \(playerCount) animations")
  }

  /// Goes to any frame of an animation all of whose frames are kept, and takes its picture.
  static func seek(_ name: String, _ bytes: [UInt8], into report: inout Report) throws {
    let animation = try animation(bytes, AnimationStore(byteLimit: 64 << 20))
    animation.buffering = .all
    let player = Player(animation)
    // One that stands decodes nothing ahead.
    player.play()
    player.advance(to: .zero)
    for frame in 0..<animation.frameCount {
      while animation.frame(at: frame) == nil { usleep(1000) }
    }
    var random: UInt32 = 1
    let job = {
      random = random &* 1_664_525 &+ 1_013_904_223
      let frame = Int(random >> 16) % AnimationFiles.frameCount
      player.seek(toFrame: frame)
      player.advance(to: .zero)
      guard player.shownFrame == frame else { throw FrameNotShown() }
    }
    report.add(name, try Harness.measure([Contender("Ikran", job: job)]), unit: "µs", scale: 1e-3)
  }

  private static func animation(_ bytes: [UInt8], _ store: AnimationStore) throws -> Animation {
    guard let source = try CodecList.standard.frames(of: bytes) else { throw PeerEnded() }
    return try Animation(source, store: store)
  }

  private final class Counter {
    var count = 0
  }

  /// A frame that is kept was not shown at once.
  private struct FrameNotShown: Error {}
}
