/// How many composed frames of an animation are kept, so that they are there when they are due.
///
/// The budget of the ``AnimationStore`` is an upper bound in every mode.
public enum FrameBuffering: Sendable, Hashable {
  /// Only the frames that are shown; each is decoded when it is due, and so appears late.
  case none
  /// All frames when they fit into the animation's share of the budget, and each is decoded once.
  /// Otherwise eight for each player, the one that is shown and those that follow.
  case automatic
  /// At most so many frames for all players together; less than 1 means 1.
  case frames(Int)
  /// At most so many bytes, but at least the frames that are shown.
  case bytes(Int)
  /// All frames, or as many as the budget allows.
  case all
}
