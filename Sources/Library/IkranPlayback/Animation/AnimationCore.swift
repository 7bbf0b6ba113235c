import IkranCodecs
import IkranPixels
import IkranSystem

/// What all handles of one animation share: its frames, its window and its composer.
final class AnimationCore: Sendable {
  /// The state of the file, as far as it has arrived.
  struct Contents: Sendable {
    let source: any FrameSource
    /// What the source says about its frames; a source is not asked with the lock held.
    let info: AnimationInfo
    /// How long each frame is shown, in milliseconds.
    let durations: [Int]
    /// Counts the sources.
    var version = 1

    init(_ source: any FrameSource) {
      (self.source, info) = (source, source.info)
      durations = info.frames.map(\.duration)
    }
  }

  /// What a player gets when it asks for a frame.
  struct Showing: Sendable {
    var frame: Int?
    var bitmap: Bitmap?
    /// How many steps ago the frame was due.
    var late = 0
    /// Why the frame that is due cannot be decoded.
    var error: PlaybackError?
  }

  private struct State: Sendable {
    var contents: Contents
    var window: FrameWindow
    var frames: [Int: Bitmap] = [:]
    var errors: [Int: PlaybackError] = [:]
    /// nil before the first frame, and after another source has come.
    var composer: ComposerBox?
    /// Ends the decode under way.
    var cancellation: JobCancellation?
    var generation = 0
    /// The number of the newest source, where its owner counts them.
    var lastUpdate = 0
    var lastViewer: UInt64 = 0
    /// Counts decoded frames, sources and what wakes those who wait.
    var changes = 0
    /// Counts what was reported to the store, which may come to know it in another order.
    var demands = 0
    var watchers: [UInt64: CheckedContinuation<Void, Never>] = [:]

    /// The nearest kept frame from which `frame` may be composed.
    func seed(of frame: Int) -> (number: Int, bitmap: Bitmap)? {
      let info = contents.info
      let number = frames.keys.filter { $0 < frame && info.frames[$0].isBase }.max()
      guard let number, let bitmap = frames[number] else { return nil }
      return (number, bitmap)
    }

    /// The composer and its canvas, to be released, when there is nothing left to decode.
    mutating func takeIdleComposer() -> ComposerBox? {
      let isDone = !window.isMoving || window.kept.count == window.frameCount
      guard window.decoding == nil, isDone else { return nil }
      defer { composer = nil }
      return composer
    }

    /// What ends the decode under way, if no player is left that could show its frame.
    mutating func takeUnwanted() -> JobCancellation? {
      window.viewers.isEmpty ? cancellation.take() : nil
    }

    /// Ends a change: those who wait for one, to be resumed without the lock.
    mutating func takeWatchers() -> [CheckedContinuation<Void, Never>] {
      changes += 1
      defer { watchers = [:] }
      return Array(watchers.values)
    }
  }

  /// A composer and the last frame it was used for.
  private final class ComposerBox: @unchecked Sendable {  // one job at a time uses it: `decoding`
    let composer: any FrameComposer
    var last: Int?

    init(_ source: any FrameSource) { composer = source.makeComposer() }
  }

  let store: AnimationStore
  let style: FrameStyle
  /// The store's number for this animation.
  let id: UInt64
  private let state: Guarded<State>

  init(
    _ source: any FrameSource,
    _ style: FrameStyle,
    _ buffering: FrameBuffering,
    _ store: AnimationStore
  ) {
    self.store = store
    self.style = style
    let window = FrameWindow(
      frameCount: source.info.frames.count,
      frameBytes: style.byteCount(of: source.info),
      canvasBytes: FrameStyle.byteCount(of: source.info.size),
      byteLimit: 0,
      buffering: buffering
    )
    state = Guarded(State(contents: Contents(source), window: window))
    id = store.makeID()
    store.add(self)
    reportDemand()
  }

  deinit { store.remove(id) }

  var contents: Contents { state.withLock { $0.contents } }
  var version: Int { state.withLock { $0.contents.version } }
  var byteCount: Int { state.withLock { $0.window.byteCount } }
  var frameBytes: Int { state.withLock { $0.window.frameBytes } }
  var changes: Int { state.withLock { $0.changes } }
  var buffering: FrameBuffering { state.withLock { $0.window.buffering } }

  func frame(at number: Int) -> Bitmap? { state.withLock { $0.frames[number] } }

  func error(at number: Int) -> PlaybackError? { state.withLock { $0.errors[number] } }

  func setBuffering(_ buffering: FrameBuffering) {
    replan { $0.window.buffering = buffering }
    reportDemand()
  }

  func setShare(_ bytes: Int, generation: Int) {
    replan { state in
      guard generation > state.generation else { return }
      state.generation = generation
      state.window.byteLimit = bytes
    }
  }

  /// Goes on with more of the file.
  ///
  /// `number` counts the sources that its owner has: an older one that comes late is ignored.
  func update(_ source: any FrameSource, _ number: Int? = nil) {
    let contents = Contents(source)
    let watchers = replan { state -> [CheckedContinuation<Void, Never>] in
      if let number {
        guard number > state.lastUpdate else { return [] }
        state.lastUpdate = number
      }
      let count = contents.info.frames.count
      guard count >= state.contents.info.frames.count else { return [] }
      let version = state.contents.version + 1
      state.contents = contents
      state.contents.version = version
      state.window.frameCount = count
      state.window.retryFailed()
      state.errors = [:]
      state.composer = nil
      return state.takeWatchers()
    }
    for watcher in watchers { watcher.resume() }
    reportDemand()
  }

  func makeViewerID() -> UInt64 {
    state.withLock { state in
      state.lastViewer += 1
      return state.lastViewer
    }
  }

  /// Says where a player is, and returns what it can show.
  func show(_ viewer: FrameWindow.Viewer, by id: UInt64) -> Showing {
    let (showing, isOther) = replan { state -> (Showing, Bool) in
      let isOther = state.window.viewer(id)?.isMoving != viewer.isMoving
      state.window.setViewer(viewer, of: id)
      let error = state.errors[viewer.order.frame(at: viewer.step)]
      guard let best = state.window.best(for: viewer) else {
        return (Showing(late: viewer.late, error: error), isOther)
      }
      // It is shown now; only a later one is of use.
      if best.late != viewer.late {
        var shown = viewer
        shown.late = best.late
        state.window.setViewer(shown, of: id)
      }
      let bitmap = state.frames[best.frame]
      return (Showing(frame: best.frame, bitmap: bitmap, late: best.late, error: error), isOther)
    }
    if isOther { reportDemand() }
    return showing
  }

  func hide(_ id: UInt64) {
    let wasShown = replan { $0.window.setViewer(nil, of: id) }
    if wasShown { reportDemand() }
  }

  /// Waits until a frame is decoded or more of the file has arrived, or the task is cancelled.
  func waitForChange(after seen: Int) async {
    let id = makeViewerID()
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let hasChanged = state.withLock { state in
          if state.changes == seen { state.watchers[id] = continuation }
          return state.changes != seen
        }
        if hasChanged { continuation.resume() } else if Task.isCancelled { stopWaiting(id) }
      }
    } onCancel: {
      stopWaiting(id)
    }
  }

  /// The same, for a while at most.
  func waitForChange(
    after seen: Int,
    orFor duration: Duration,
    on clock: some Clock<Duration>
  ) async {
    let deadline = clock.now.advanced(by: duration)
    await withTaskGroup { group in
      group.addTask { await self.waitForChange(after: seen) }
      // Cancelled: there was a change, or the caller ends.
      group.addTask { try? await clock.sleep(until: deadline, tolerance: nil) }
      await group.next()
      group.cancelAll()
    }
  }

  /// Lets those who wait for a change look again.
  func wake() {
    let watchers = state.withLock { $0.takeWatchers() }
    for watcher in watchers { watcher.resume() }
  }

  private func stopWaiting(_ id: UInt64) {
    state.withLock { $0.watchers.removeValue(forKey: id) }?.resume()
  }

  private func reportDemand() {
    let (demand, number) = state.withLock { state -> (BudgetShares.Demand, Int) in
      state.demands += 1
      return (Self.demand(of: state.window), state.demands)
    }
    store.set(demand, of: id, number)
  }

  private static func demand(of window: FrameWindow) -> BudgetShares.Demand {
    // What stands needs no frames ahead.
    let onlyShown = (window.viewers.count, window.viewers.count)
    let few = FrameWindow.automaticCount * max(1, window.viewers.count)
    let counts =
      switch window.buffering {
      case .none: onlyShown
      case _ where !window.isMoving: onlyShown
      case .automatic: (window.frameCount, few)
      case .all: (window.frameCount, window.frameCount)
      case .frames(let count): (max(1, count), max(1, count))
      case .bytes(let bytes):
        (max(0, bytes) / window.frameBytes, max(0, bytes) / window.frameBytes)
      }
    let (all, part) = (min(counts.0, window.frameCount), min(counts.1, window.frameCount))
    return BudgetShares.Demand(
      full: window.byteCountWithCanvas(of: all),
      reduced: window.byteCountWithCanvas(of: part),
      frame: window.frameBytes,
      isShown: !window.viewers.isEmpty
    )
  }

  /// Changes the state, and then releases and decodes what the window says.
  @discardableResult
  private func replan<R: Sendable>(_ change: (inout State) -> R) -> R {
    let (result, plan, dropped, composer, unwanted) = state.withLock { state in
      let result = change(&state)
      let plan = state.window.next()
      // Released after the lock.
      let dropped = plan.drop.compactMap { state.frames.removeValue(forKey: $0) }
      return (result, plan, dropped, state.takeIdleComposer(), state.takeUnwanted())
    }
    withExtendedLifetime((dropped, composer)) {}
    unwanted?.cancel()
    if let frame = plan.decode {
      store.run(isDue: plan.isDue) { self.decode(frame, workspace: $0) }
    }
    return result
  }

  /// Composes one frame, on the thread of a job.
  private func decode(_ frame: Int, workspace: Workspace) {
    let (contents, kept, seed) = state.withLock { state in
      let seed = style.keepsFrames ? state.seed(of: frame) : nil
      return (state.contents, state.composer, seed)
    }
    let box = kept ?? ComposerBox(contents.source)
    let cancellation = JobCancellation()
    let unwanted = state.withLock { state in
      // Another source may have arrived since: it has none yet.
      if state.contents.version == contents.version { state.composer = box }
      state.cancellation = cancellation
      return state.takeUnwanted()
    }
    unwanted?.cancel()
    let result = workspace.work(until: cancellation) {
      style.compose(
        frame,
        of: contents.info,
        with: box.composer,
        from: box.last == frame - 1 ? nil : seed,
        workspace: workspace
      )
    }
    // After an error it has no canvas.
    if case .success = result { box.last = frame } else { box.last = nil }
    finish(frame, result, version: contents.version)
  }

  private func finish(_ frame: Int, _ result: Result<Bitmap, PlaybackError>, version: Int) {
    let before = frameBytes
    let watchers = replan { state in
      state.cancellation = nil
      switch result {
      case .success(let bitmap):
        state.frames[frame] = bitmap
        state.window.finish(frame, bytes: bitmap.byteCount)
      case .failure where version != state.contents.version: state.window.abandon(frame)
      // No player wanted it; one that has come since does.
      case .failure(.decode(.isolated(_, .cancelled))): state.window.abandon(frame)
      case .failure(let error):
        state.errors[frame] = error
        state.window.finish(frame, bytes: nil)
      }
      return state.takeWatchers()
    }
    for watcher in watchers { watcher.resume() }
    if frameBytes != before { reportDemand() }
    store.countDecoded()
  }
}
