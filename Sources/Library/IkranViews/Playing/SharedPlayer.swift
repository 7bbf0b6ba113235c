import Ikran
import IkranPlayback

/// Plays an animated image on all layers that show it, by the frames of their windows.
///
/// While none of them can be seen – scrolled away, or of a state that the view does not have – it
/// stands, and looks for them five times a second. A window that is drawn no more, such as one that
/// others hide, does not hold up the others. While nothing changes for longer than a few frames, it
/// asks for none.
@MainActor
final class SharedPlayer {
  let player: Player
  /// The frame that is shown.
  private(set) var picture: DrawableBitmap?

  private let options: PlaybackOptions
  private var layers: [PictureLayer] = []
  /// One for each window, by its frame clock.
  private var frames: [Int: any FrameCallback] = [:]
  /// The time of the latest frame, in microseconds.
  private var latest = 0
  /// When it was last looked which layers can be seen, in the time of frames.
  private var lookTime = 0
  /// Counts what it waits for: an earlier wait ends in nothing.
  private var wait = 0

  init(_ animation: Animation, _ options: PlaybackOptions) {
    self.options = options
    player = Player(animation, options: options)
    player.isVisible = false
    if options.playsAutomatically { player.play() }
    player.onWake = { [weak self] in self?.startFrames() }
  }

  /// Whether it is the player of an animation.
  func plays(_ animation: Animation, _ options: PlaybackOptions) -> Bool {
    player.animation.id == animation.id && self.options == options
  }

  /// A layer on display shows the image.
  func add(_ layer: PictureLayer) {
    guard !layers.contains(where: { $0 === layer }) else { return }
    layers.append(layer)
    startFrames()
  }

  /// A layer does not show it any more, or is not on display.
  func remove(_ layer: PictureLayer) {
    guard let index = layers.firstIndex(where: { $0 === layer }) else { return }
    layers.remove(at: index)
    // The frames may have been those of its view.
    stop()
    if layers.isEmpty { player.isVisible = false } else { startFrames() }
  }

  /// Follows the frames of one view in each window, of those that can be seen.
  func startFrames() {
    var isSeen = false
    for layer in layers {
      guard let host = layer.playingHost, let clock = host.frameClock else { continue }
      isSeen = true
      guard frames[clock] == nil else { continue }
      wait += 1
      frames[clock] = host.follow(every: player.animation.durations.min() ?? 0) { [weak self] in
        self?.step($0, clock) ?? false
      }
    }
    player.isVisible = isSeen
    if !isSeen, !layers.isEmpty { startFrames(after: Self.lookWait) }
  }

  /// Looks again after so many milliseconds.
  private func startFrames(after milliseconds: Int) {
    wait += 1
    let wait = wait
    let loop = layers.lazy.compactMap(\.loop).first
    loop?.post(afterMilliseconds: milliseconds) { [weak self] in
      if let self, self.wait == wait { self.startFrames() }
    }
  }

  /// Whether the views of a window that can be seen have one of its layers; looked at now and
  /// then.
  private func isStillSeen(_ clock: Int) -> Bool {
    guard latest - lookTime >= Self.lookWait * 1000 else { return true }
    lookTime = latest
    startFrames()
    return layers.contains { $0.playingHost?.frameClock == clock }
  }

  /// Those of pixels that the views draw: all are of one platform.
  private var formats: Set<PixelFormat> {
    layers.lazy.compactMap(\.host).first?.drawnFormats ?? DrawableBitmap.formats
  }

  private func stop() {
    wait += 1
    for callback in frames.values { callback.cancel() }
    frames = [:]
  }

  /// Shows what is due; whether it wants the clock's next frame.
  private func step(_ time: Int, _ clock: Int) -> Bool {
    // Windows draw in turn; their times may lie a little behind each other's.
    latest = max(latest, time)
    guard isStillSeen(clock) else {
      frames[clock] = nil
      return false
    }
    if player.advance(to: .microseconds(latest)), let image = player.image,
      let picture = try? DrawableBitmap(image, as: formats)
    {
      self.picture = picture
      for layer in layers { layer.show(picture) }
    }
    let next = player.untilNextChange
    if let next, next < .milliseconds(Self.shortWait) { return true }
    frames[clock] = nil
    var milliseconds = next.map { Int($0 / .milliseconds(1)) - Self.lead }
    // A file that is arriving may bring more.
    if player.animation.info.end == .arriving {
      milliseconds = min(milliseconds ?? .max, Self.arrivalWait)
    }
    if let milliseconds { startFrames(after: milliseconds) } else { wait += 1 }
    return false
  }

  /// How often it is looked whether layers can be seen, in milliseconds.
  private static let lookWait = 200
  /// Waits shorter than this are frames, in milliseconds.
  private static let shortWait = 50
  /// How long before a change the frames begin again, in milliseconds: two of them at 60 a second.
  private static let lead = 34
  /// How often a file that is arriving is looked at, in milliseconds.
  private static let arrivalWait = 250
}
