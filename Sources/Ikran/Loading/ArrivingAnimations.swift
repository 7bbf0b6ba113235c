import IkranCodecs
import IkranPlayback
import IkranStores
import IkranTransport

/// The animations of a file that is being downloaded: what has arrived plays while the rest comes.
///
/// It looks at the bytes on a thread of the decode pool, whenever they have grown by a quarter, and
/// only as long as a request listens.
final class ArrivingAnimations: Sendable {
  /// A request that listens.
  struct Listener: Sendable {
    let id: Int
    let drawing: SourceLoad.Drawing
    let subscription: Subscription
  }

  private struct State {
    /// The bytes that were looked at last.
    var bytes: [UInt8] = []
    var nextCount = ArrivingAnimations.firstCount
    var isLooking = false
    var isOver = false
    var animations: [StyledKey: Animation] = [:]
    /// The requests that have seen a first frame.
    var notified: Set<Int> = []
  }

  private static let firstCount = 2048

  private let state = Guarded(State())
  private let stages: LoadStages
  private let format: ImageFormat?
  private let listeners: @Sendable () -> [Listener]

  init(
    _ stages: LoadStages,
    _ format: ImageFormat?,
    _ listeners: @escaping @Sendable () -> [Listener]
  ) {
    (self.stages, self.format, self.listeners) = (stages, format, listeners)
  }

  /// Takes note of the body so far, on the transport's thread.
  func note(_ body: borrowing [UInt8]) {
    let count = body.count
    let isDue = state.withLock { state in
      // A transfer that began again has less than before.
      if count < state.bytes.count { state.nextCount = Self.firstCount }
      guard !state.isOver, !state.isLooking, count >= state.nextCount else { return false }
      state.isLooking = true
      return true
    }
    guard isDue else { return }
    // A copy of its own: the transport goes on appending to the other.
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    bytes.append(contentsOf: copy body)
    stages.computing.later { [self, bytes] in
      look(at: bytes)
      state.withLock { state in
        state.isLooking = false
        state.nextCount = bytes.count + max(4096, bytes.count / 4)
      }
    }
  }

  private func look(at bytes: [UInt8]) {
    guard let source = frames(of: bytes, isBeginning: true) else { return }
    for listener in listeners() {
      guard let animation = animation(for: listener, source, bytes) else { continue }
      notify(listener, of: animation, encodedBytes: bytes.count)
    }
  }

  private func frames(of bytes: [UInt8], isBeginning: Bool) -> (any FrameSource)? {
    let limits = stages.options.decoding.limits
    let frames = try? stages.codecs.frames(
      of: bytes,
      as: format,
      isBeginning: isBeginning,
      limits: limits
    )
    return frames ?? nil
  }

  /// The animation in a request's style, with what has arrived; nil when the request has seen it.
  private func animation(
    for listener: Listener,
    _ source: any FrameSource,
    _ bytes: [UInt8]
  ) -> Animation? {
    state.withLock { state in
      guard !state.isOver else { return nil }
      let key = listener.drawing.key
      if !bytes.starts(with: state.bytes) { (state.animations, state.notified) = ([:], []) }
      state.bytes = bytes
      if let known = state.animations[key] {
        known.update(with: source)
      } else {
        state.animations[key] = try? Animation(source, style: key.style, scale: key.scale)
      }
      guard state.notified.insert(listener.id).inserted else { return nil }
      return state.animations[key]
    }
  }

  private func notify(_ listener: Listener, of animation: Animation, encodedBytes: Int) {
    Task {
      guard let image = try? await animation.decodedFrame(at: 0) else { return }
      let cached = CachedImage(
        image,
        frames: animation.frameCount,
        encodedBytes: encodedBytes,
        animation: animation,
        body: nil
      )
      let loaded = LoadedImage(cached, from: .network)
      listener.subscription.report(loaded.response(listener.drawing.key, RequestMetrics()))
    }
  }

  /// The animation that requests have seen, with all frames of the file; nil when none has, or what
  /// they saw was another file.
  func finish(_ source: any FrameSource, _ key: StyledKey, of body: [UInt8]) -> Animation? {
    let animation = state.withLock { state -> Animation? in
      state.isOver = true
      guard body.starts(with: state.bytes) else { return nil }
      let animation = state.animations.removeValue(forKey: key)
      animation?.update(with: source)
      return animation
    }
    return animation
  }

  /// Ends the animations that are left, as no more of them will arrive.
  func end() {
    let (bytes, animations) = state.withLock { state in
      defer { state.animations = [:] }
      state.isOver = true
      return (state.bytes, Array(state.animations.values))
    }
    guard !animations.isEmpty, let source = frames(of: bytes, isBeginning: false) else { return }
    for animation in animations { animation.update(with: source) }
  }
}
