import IkranCodecs
package import IkranPixels
import IkranSystem

/// Composes the frames of an animation one after the other, for a file or a sheet.
///
/// It has its own canvas: frames that players keep are neither used nor released.
package final class FrameReader: @unchecked Sendable {  // `turn` guards the composer
  private let source: any FrameSource
  private let style: FrameStyle
  private let store: AnimationStore
  private let composer: any FrameComposer
  private let turn = Guarded(())

  /// Reads the frames that have arrived, in the animation's style.
  package init(_ animation: Animation) {
    source = animation.core.contents.source
    style = animation.core.style
    store = animation.core.store
    composer = source.makeComposer()
  }

  /// What the file says about the frames.
  var info: AnimationInfo { source.info }

  /// A frame of the file, in its style; cheapest in their order.
  ///
  /// - Throws: ``PlaybackError``.
  package func frame(at number: Int) async throws(PlaybackError) -> Bitmap {
    try await read(number) { .success($0) }
  }

  /// Composes a frame and hands it to `use`, both on a thread of the store.
  ///
  /// Cancellation: the call returns at once; what has been started is finished, but for a wait for
  /// a decoder in another process.
  func read<Value: Sendable>(
    _ number: Int,
    _ use: @escaping @Sendable (Bitmap) -> Result<Value, PlaybackError>
  ) async throws(PlaybackError) -> Value {
    let (results, outlet) = AsyncStream.makeStream(of: Result<Value, PlaybackError>.self)
    let cancellation = JobCancellation()
    outlet.onTermination = { _ in cancellation.cancel() }
    if Task.isCancelled { throw .cancelled }
    store.run(isDue: false) { workspace in
      guard !cancellation.isCancelled else { return }
      let result = self.turn.withLock { _ in
        workspace.work(until: cancellation) { self.compose(number, workspace: workspace) }
      }
      outlet.yield(result.flatMap(use))
    }
    // It ends without a result when the task is cancelled.
    for await result in results { return try result.get() }
    throw .cancelled
  }

  private func compose(_ number: Int, workspace: Workspace) -> Result<Bitmap, PlaybackError> {
    style.compose(number, of: source.info, with: composer, from: nil, workspace: workspace)
  }
}
