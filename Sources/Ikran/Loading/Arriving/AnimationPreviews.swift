import IkranCodecs
import IkranPlayback
import IkranStores
import IkranTransport

/// The animations of a file that is being downloaded: what has arrived plays while the rest comes.
///
/// It looks at the bytes on a thread of the decode pool, whenever they have grown by an eighth, and
/// only as long as a request listens.
final class AnimationPreviews: Sendable {
  /// A request that listens.
  struct Listener: Sendable {
    let id: Int
    let drawing: SourceLoad.Drawing
    let subscription: Subscription
  }

  /// When the next look is due; the transport's thread waits for nothing longer.
  private struct Looks {
    var lastCount = 0
    var nextCount = AnimationPreviews.firstCount
    /// Counts transfers that began again.
    var restarts = 0
    var isLooking = false
    var isOver = false
  }

  private struct State {
    /// The bytes that were looked at last.
    var bytes: [UInt8] = []
    /// What they hold.
    var source: (any FrameSource)?
    var isOver = false
    var animations: [StyledKey: Animation] = [:]
    /// The requests that have seen a first frame.
    var notified: Set<Int> = []
  }

  private static let firstCount = 2048

  private let looks = Guarded(Looks())
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
    // Of a JPEG there is one frame.
    let isStill = count > 1 && body[0] == 0xFF && body[1] == 0xD8
    let restarts = looks.withLock { looks -> Int? in
      // A transfer that began again has less than before.
      if count < looks.lastCount {
        looks.nextCount = Self.firstCount
        looks.restarts += 1
      }
      looks.lastCount = count
      let isDue = !looks.isOver && !looks.isLooking && count >= looks.nextCount
      guard isDue, !isStill else { return nil }
      looks.isLooking = true
      return looks.restarts
    }
    guard let restarts else { return }
    let bytes = body.copied()
    stages.computing.later { [self, bytes] in
      look(at: bytes)
      looks.withLock { looks in
        looks.isLooking = false
        guard looks.restarts == restarts else { return }
        looks.nextCount = bytes.count + max(4096, bytes.count / 8)
      }
    }
  }

  private func look(at bytes: [UInt8]) {
    let known = state.withLock { $0.bytes }
    // The same file from its beginning, after a transfer that broke off: nothing is new yet.
    if bytes.count <= known.count, known.starts(with: bytes) { return }
    guard let source = frames(of: bytes) else { return }
    if !bytes.starts(with: known) { end(isWhole: false, isLast: false) }
    let listeners = listeners()
    let keys = Dictionary(listeners.map { ($0.drawing.key, $0.drawing) }) { first, _ in first }
    let started = state.withLock { state -> [(Listener, Animation)] in
      guard !state.isOver else { return [] }
      (state.bytes, state.source) = (bytes, source)
      for animation in state.animations.values { animation.update(with: source) }
      for key in keys.keys where state.animations[key] == nil {
        state.animations[key] = try? Animation(source, style: key.style, scale: key.scale)
      }
      return listeners.compactMap { listener in
        guard let animation = state.animations[listener.drawing.key],
          state.notified.insert(listener.id).inserted
        else { return nil }
        return (listener, animation)
      }
    }
    for (listener, animation) in started {
      notify(listener, of: animation, encodedBytes: bytes.count)
    }
  }

  private func frames(of bytes: [UInt8]) -> (any FrameSource)? {
    let limits = stages.options.decoding.limits
    let frames = try? stages.codecs.frames(
      of: bytes,
      as: format,
      isPrefix: true,
      limits: limits
    )
    return frames ?? nil
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
    looks.withLock { $0.isOver = true }
    return state.withLock { state -> Animation? in
      state.isOver = true
      guard body.starts(with: state.bytes) else { return nil }
      let animation = state.animations.removeValue(forKey: key)
      animation?.update(with: source)
      return animation
    }
  }

  /// Ends the animations that are left, as no more of them will arrive.
  ///
  /// `isWhole` is false when the file has broken off, and `isLast` when another one follows.
  func end(isWhole: Bool, isLast: Bool = true) {
    if isLast { looks.withLock { $0.isOver = true } }
    state.withLock { state in
      state.isOver = state.isOver || isLast
      if let source = state.source {
        let ended = EndedFrames(source, isWhole: isWhole, byteCount: state.bytes.count)
        for animation in state.animations.values { animation.update(with: ended) }
      }
      (state.animations, state.notified) = ([:], [])
      (state.bytes, state.source) = ([], nil)
    }
  }
}

/// The frames that had arrived of a file when the transfer ended.
private struct EndedFrames: FrameSource {
  let info: AnimationInfo
  private let source: any FrameSource

  init(_ source: any FrameSource, isWhole: Bool, byteCount: Int) {
    self.source = source
    var info = source.info
    info.end = isWhole ? .complete : .broken(.truncated(info.format, offset: byteCount))
    self.info = info
  }

  func makeComposer() -> sending any FrameComposer { source.makeComposer() }
}

extension [UInt8] {
  /// A copy in memory of its own: the transport goes on appending to the original.
  borrowing func copied() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    bytes.append(contentsOf: copy self)
    return bytes
  }
}
