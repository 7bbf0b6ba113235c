/// The order in which one loop shows the frames of an animation, as steps from 0.
package struct PlayingOrder: Sendable, Hashable {
  /// The number of frames, at least 1.
  package let frameCount: Int
  /// Whether the loop begins with the last frame.
  package let isMirrored: Bool
  /// Whether the loop also plays back to its beginning.
  package let bounces: Bool

  package init(frameCount: Int, direction: PlaybackOptions.Direction) {
    self.frameCount = max(1, frameCount)
    isMirrored = direction == .reverse || direction == .reversedBounce
    bounces = direction == .bounce || direction == .reversedBounce
  }

  /// The number of steps in one loop.
  package var count: Int { bounces && frameCount > 1 ? 2 * frameCount - 2 : frameCount }

  /// The frame that a step shows.
  package func frame(at step: Int) -> Int {
    let position = position(at: step)
    return isMirrored ? frameCount - 1 - position : position
  }

  /// How far from the loop's beginning a step is, in frames.
  func position(at step: Int) -> Int { step < frameCount ? step : 2 * frameCount - 2 - step }

  /// Whether a step leads towards the first frame.
  package func isBackward(at step: Int) -> Bool { isMirrored != (step >= frameCount) }

  /// The step that shows a frame, on the way towards the first frame or away from it if the loop
  /// has one there.
  package func step(of frame: Int, backward: Bool) -> Int {
    let position = isMirrored ? frameCount - 1 - frame : frame
    let isReturning = bounces && backward != isMirrored
    let isBetween = position > 0 && position < frameCount - 1
    return isReturning && isBetween ? 2 * frameCount - 2 - position : position
  }

  /// The frame that is left when the last loop has ended.
  package var finalFrame: Int { isMirrored == bounces ? frameCount - 1 : 0 }
}
