public import IkranCodecs
import IkranPixels
import IkranStores

extension Animation {
  /// The frames in the animation's style, in an animated file: GIF, PNG or WebP.
  ///
  /// The file has the frames that have arrived, with their durations, and plays as often as this
  /// animation's file. GIF rounds durations to hundredths of a second, none below 20 ms.
  ///
  /// Cost: composes every frame once, one after the other on the store's threads, and keeps the file
  /// and a few frames; frames that players have are neither used nor released.
  ///
  /// Cancellation: the call returns at once; a frame that has been started is finished.
  ///
  /// - Throws: ``PlaybackError``: ``PlaybackError/encode(_:)`` for a format without animations, a
  ///   size that the format cannot store, and frames of several sizes;
  ///   ``PlaybackError/decode(_:)`` when a frame is damaged or the file breaks off.
  public func encoded(as encoding: ImageEncoding) async throws(PlaybackError) -> [UInt8] {
    let source = core.contents.source
    if case .broken(let error) = source.info.end { throw .decode(error) }
    let run = EncodingRun(source, core.style, encoding, core.store)
    return try await run.result().get()
  }
}

/// Encodes one animation: a job on the store's threads for each frame, which starts the next one.
private final class EncodingRun: @unchecked Sendable {  // one job at a time
  private typealias Outcome = Result<[UInt8], PlaybackError>

  private enum State: Sendable {
    case ready
    case running(CheckedContinuation<Result<[UInt8], PlaybackError>, Never>)
    case ended
  }

  private let source: any FrameSource
  private let style: FrameStyle
  private let encoding: ImageEncoding
  private let store: AnimationStore
  private let state = Guarded(State.ready)
  private let composer: any FrameComposer
  private var encoder: AnimationEncoder?
  private var hasAlpha: Bool
  private var nextFrame = 0

  init(
    _ source: any FrameSource,
    _ style: FrameStyle,
    _ encoding: ImageEncoding,
    _ store: AnimationStore
  ) {
    (self.source, self.style, self.encoding, self.store) = (source, style, encoding, store)
    composer = source.makeComposer()
    hasAlpha = source.info.hasAlpha
  }

  /// Starts the first job and waits for the last, or for the task's cancellation.
  func result() async -> Result<[UInt8], PlaybackError> {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isCancelled = state.withLock { state in
          guard case .ready = state else { return true }
          state = .running(continuation)
          return false
        }
        if isCancelled { continuation.resume(returning: .failure(.cancelled)) } else { submit() }
      }
    } onCancel: {
      end(.failure(.cancelled))
    }
  }

  private func submit() { store.run(isDue: false) { self.encodeNext(workspace: $0) } }

  private func end(_ outcome: Result<[UInt8], PlaybackError>) {
    let waiting = state.withLock { state -> CheckedContinuation<Outcome, Never>? in
      defer { state = .ended }
      guard case .running(let continuation) = state else { return nil }
      return continuation
    }
    waiting?.resume(returning: outcome)
  }

  private var hasEnded: Bool {
    state.withLock { if case .ended = $0 { true } else { false } }
  }

  /// Composes and encodes a frame, on the thread of a job.
  private func encodeNext(workspace: Workspace) {
    guard !hasEnded else { return }
    do throws(PlaybackError) {
      let frame = try style.compose(
        nextFrame,
        of: source.info,
        with: composer,
        from: nil,
        workspace: workspace
      ).get()
      if let file = try encode(frame) { end(.success(file)) } else { submit() }
    } catch { end(.failure(error)) }
  }

  /// Adds a frame; returns the file after the last.
  private func encode(_ frame: Bitmap) throws(PlaybackError) -> [UInt8]? {
    if frame.format.hasAlpha, !hasAlpha {
      // A style's edges, or pixels that are missing in the file: PNG has to know from the start.
      hasAlpha = true
      if nextFrame > 0, encoding == .png {
        encoder = nil
        nextFrame = 0
        return nil
      }
    }
    do throws(EncodeError) {
      if encoder == nil { encoder = try makeEncoder(frame.size) }
      try encoder?.add(frame, duration: source.info.frames[nextFrame].duration)
      nextFrame += 1
      return nextFrame == source.info.frames.count ? try encoder?.finish() : nil
    } catch { throw .encode(error) }
  }

  private func makeEncoder(_ size: PixelSize) throws(EncodeError) -> AnimationEncoder {
    try AnimationEncoder(encoding, size: size, plays: source.info.plays, hasAlpha: hasAlpha)
  }
}
