import IkranCodecs
import IkranPlayback
import IkranSystem
import IkranTransport

/// The animations of a file that is being downloaded: what has arrived plays while the rest comes.
///
/// It scans the bytes on a thread of the decode pool, whenever they have grown by an eighth, and
/// only as long as a request listens.
final class AnimationPreviews: Sendable {
  /// A request that listens.
  struct Listener: Sendable {
    let id: SourceLoad.SubscriberID
    let renderTarget: SourceLoad.RenderTarget
    let subscription: Subscription
  }

  /// When the next scan of the bytes is due; the transport's thread waits for nothing longer.
  private struct Schedule {
    var lastCount = 0
    var nextCount = AnimationPreviews.firstCount
    /// Counts transfers that began again.
    var restarts = 0
    var isScanning = false
    var isOver = false
  }

  private struct State {
    /// The bytes that were scanned last.
    var bytes: [UInt8] = []
    /// The frames in them.
    var source: (any FrameSource)?
    var isOver = false
    var animations: [StyledKey: Animation] = [:]
    /// Counts what the animations are given: that is done without the lock, as it may call out.
    var updates = 0
    /// The requests that have seen a first frame, or will.
    var notified: Set<SourceLoad.SubscriberID> = []
    /// Those that make first frames.
    var tasks: [Task<Void, Never>] = []

    /// The number of an update.
    mutating func nextUpdate() -> Int {
      updates += 1
      return updates
    }
  }

  private static let firstCount = 2048

  private let schedule = Guarded(Schedule())
  private let state = Guarded(State())
  private let cancellation = JobCancellation()
  private let context: PipelineContext
  private let format: ImageFormat?
  private let listeners: @Sendable () -> [Listener]

  init(
    _ context: PipelineContext,
    format: ImageFormat?,
    listeners: @escaping @Sendable () -> [Listener]
  ) {
    (self.context, self.format, self.listeners) = (context, format, listeners)
  }

  /// Ends the scan that is being made, where that is in another process: no request waits.
  func cancel() { cancellation.cancel() }

  /// Begins a scan of the file so far if one is due, on the transport's thread.
  func update(file: borrowing [UInt8]) {
    let count = file.count
    // A JPEG has one frame.
    let isStill = count > 1 && file[0] == 0xFF && file[1] == 0xD8
    let restarts = schedule.withLock { schedule -> Int? in
      // A transfer that began again has less than before.
      if count < schedule.lastCount {
        schedule.nextCount = Self.firstCount
        schedule.restarts += 1
      }
      schedule.lastCount = count
      let isDue = !schedule.isOver && !schedule.isScanning && count >= schedule.nextCount
      guard isDue, !isStill else { return nil }
      schedule.isScanning = true
      return schedule.restarts
    }
    guard let restarts else { return }
    let bytes = file.copied()
    context.computing.later { [self, bytes] in
      scan(bytes)
      schedule.withLock { schedule in
        schedule.isScanning = false
        guard schedule.restarts == restarts else { return }
        schedule.nextCount = bytes.count + max(4096, bytes.count / 8)
      }
    }
  }

  private func scan(_ bytes: [UInt8]) {
    let seen = state.withLock { $0.bytes }
    // The same file from its beginning, after a transfer that broke off: nothing is new yet.
    if bytes.count <= seen.count, seen.starts(with: bytes) { return }
    guard let source = frames(of: bytes) else { return }
    if !bytes.starts(with: seen) { end(isWhole: false, isLast: false) }
    show(source, of: bytes)
  }

  /// Gives the requests that listen what has arrived; one scan at a time.
  private func show(_ source: any FrameSource, of bytes: [UInt8]) {
    let present = listeners()
    let (known, number) = state.withLock { state -> ([StyledKey: Animation], Int) in
      guard !state.isOver else { return ([:], 0) }
      (state.bytes, state.source) = (bytes, source)
      return (state.animations, state.nextUpdate())
    }
    guard number > 0 else { return }
    for animation in known.values { animation.update(with: source, number: number) }
    let keys = Set(present.map(\.renderTarget.key)).filter {
      known[$0] == nil && $0.playsWhileItArrives
    }
    let made = keys.compactMap { key in
      (try? Animation(source, style: key.animationStyle, scale: key.scale)).map { (key, $0) }
    }
    let started = state.withLock { state -> [(Listener, Animation)] in
      guard !state.isOver else { return [] }
      state.animations.merge(made) { old, _ in old }
      return present.compactMap { listener in
        guard let animation = state.animations[listener.renderTarget.key],
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
    let frames = try? context.codecs.frames(
      of: bytes,
      as: format,
      isPrefix: true,
      rules: context.options.decoding.rules,
      until: cancellation
    )
    return frames ?? nil
  }

  private func notify(_ listener: Listener, of animation: Animation, encodedBytes: Int) {
    let task = Task {
      guard let image = try? await animation.decodedFrame(at: 0) else { return }
      let cached = CachedImage(
        image,
        frames: animation.frameCount,
        encodedBytes: encodedBytes,
        animation: animation,
        body: nil
      )
      let loaded = LoadedImage(cached, from: .network)
      listener.subscription.report(loaded.response(listener.renderTarget.key, RequestMetrics()))
    }
    let isOver = state.withLock { state in
      if !state.isOver { state.tasks.append(task) }
      return state.isOver
    }
    if isOver { task.cancel() }
  }

  /// The animation that requests have seen, with all frames of the file; nil when none has, or what
  /// they saw was another file.
  func finish(_ source: any FrameSource, _ key: StyledKey, of body: [UInt8]) -> Animation? {
    schedule.withLock { $0.isOver = true }
    let (animation, number) = state.withLock { state -> (Animation?, Int) in
      state.isOver = true
      guard body.starts(with: state.bytes) else { return (nil, 0) }
      return (state.animations.removeValue(forKey: key), state.nextUpdate())
    }
    animation?.update(with: source, number: number)
    return animation
  }

  /// Ends the animations that are left, as no more of them will arrive, and cancels the tasks that
  /// still make first frames.
  ///
  /// `isWhole` is false when the file has broken off, and `isLast` when another one follows.
  func end(isWhole: Bool, isLast: Bool = true) {
    if isLast { schedule.withLock { $0.isOver = true } }
    let (old, number) = state.withLock { state -> (State, Int) in
      state.isOver = state.isOver || isLast
      let number = state.nextUpdate()
      let old = state
      (state.animations, state.notified, state.tasks) = ([:], [], [])
      (state.bytes, state.source) = ([], nil)
      return (old, number)
    }
    for task in old.tasks { task.cancel() }
    guard let source = old.source else { return }
    let ended = EndedFrames(source, isWhole: isWhole, byteCount: old.bytes.count)
    for animation in old.animations.values { animation.update(with: ended, number: number) }
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
