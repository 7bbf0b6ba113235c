import Ikran
import IkranPlayback

/// The players of the images that are shown, one for all views of an image.
@MainActor
final class PlayerCache {
  static let shared = PlayerCache()

  private struct Key: Hashable {
    let animation: ObjectIdentifier
    let options: PlaybackOptions
  }

  private final class Entry {
    weak var player: SharedPlayer?
    init(_ player: SharedPlayer) { self.player = player }
  }

  private var entries: [Key: Entry] = [:]

  /// The player of an animation; it lives as long as a layer holds it.
  func player(of animation: Animation, _ options: PlaybackOptions) -> SharedPlayer {
    let key = Key(animation: animation.id, options: options)
    if let player = entries[key]?.player { return player }
    // Players without views are dropped once in a while.
    if entries.count >= 64 { entries = entries.filter { $0.value.player != nil } }
    let player = SharedPlayer(animation, options)
    entries[key] = Entry(player)
    return player
  }
}
