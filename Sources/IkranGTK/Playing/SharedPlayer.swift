import Ikran
import IkranPlayback

/// Plays an animated image on all layers that show it, by the frames of one of their windows.
///
/// While nothing changes for longer than a few frames, it asks for none.
@MainActor
final class SharedPlayer {
  let player: Player
  /// The frame that is shown.
  private(set) var picture: PictureHandle?

  private let options: PlaybackOptions
  private var layers: [PictureLayer] = []
  private var ticks: TickHandle?
  /// Counts what it waits for: an earlier wait ends in nothing.
  private var wait = 0

  init(_ animation: Animation, _ options: PlaybackOptions) {
    self.options = options
    player = Player(animation, options: options)
    player.isVisible = false
    player.play()
  }

  /// Whether it is the player of an animation.
  func plays(_ animation: Animation, _ options: PlaybackOptions) -> Bool {
    player.animation.id == animation.id && self.options == options
  }

  /// A layer on display shows the image.
  func add(_ layer: PictureLayer) {
    guard !layers.contains(where: { $0 === layer }) else { return }
    layers.append(layer)
    player.isVisible = true
    follow()
  }

  /// A layer does not show it any more, or is not on display.
  func remove(_ layer: PictureLayer) {
    guard let index = layers.firstIndex(where: { $0 === layer }) else { return }
    layers.remove(at: index)
    // The ticks may have been those of its widget.
    stop()
    if layers.isEmpty { player.isVisible = false } else { follow() }
  }

  /// Follows the frames of the first widget.
  private func follow() {
    guard ticks == nil, let widget = layers.lazy.compactMap(\.playingWidget).first else { return }
    wait += 1
    ticks = TickHandle(widget) { [weak self] time in self?.step(time) ?? false }
  }

  private func stop() {
    wait += 1
    ticks?.cancel()
    ticks = nil
  }

  /// Shows what is due; whether it wants the next frame.
  private func step(_ time: Int) -> Bool {
    if player.advance(to: .microseconds(time)), let image = player.image,
      let picture = try? PictureHandle(image)
    {
      self.picture = picture
      for layer in layers { layer.show(picture) }
    }
    let next = player.untilNextChange
    if let next, next < .milliseconds(Self.shortWait) { return true }
    ticks = nil
    wait += 1
    // A player that stands may be asked to play.
    let milliseconds = next.map { Int($0 / .milliseconds(1)) - Self.lead } ?? Self.idleWait
    let wait = wait
    MainQueue.shared.post(afterMilliseconds: CUnsignedInt(min(milliseconds, Self.idleWait))) {
      [weak self] in
      if let self, self.wait == wait { self.follow() }
    }
    return false
  }

  /// Waits shorter than this are frames, in milliseconds.
  private static let shortWait = 50
  /// How long before a change the frames begin again, in milliseconds: two of them at 60 a second.
  private static let lead = 34
  /// How often a player that stands is looked at, in milliseconds.
  private static let idleWait = 250
}
