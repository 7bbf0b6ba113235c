import IkranCodecs

/// Keeps the first frames of an animation decoded before anything shows it, for as long as it
/// lives.
///
/// ```swift
/// let ahead = animation.preload()
/// // Later, when its view appears:
/// player.play()
/// ```
/// It counts as a player that is about to begin: it gets a share of the store's budget, all frames
/// or a few as ``FrameBuffering`` says, and they are decoded one after the other on the store's
/// threads. Keep it until a player shows the animation, then release it.
public final class FramePreload: Sendable {
  private let core: AnimationCore
  private let id: UInt64

  fileprivate init(_ core: AnimationCore) {
    (self.core, id) = (core, core.makeViewerID())
    let order = PlayingOrder(frameCount: core.contents.info.frames.count, direction: .normal)
    _ = core.show(FrameWindow.Viewer(order: order, step: 0), by: id)
  }

  deinit { core.hide(id) }
}

extension Animation {
  /// Begins to decode its first frames, though no player shows it yet.
  ///
  /// Cost: one lock; it does not wait.
  ///
  /// - Returns: What keeps them; once it is released, they are kept for players alone.
  public func preload() -> FramePreload { FramePreload(core) }
}
