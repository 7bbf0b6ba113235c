/// Loads that begin with the next frame, if they are still wanted then.
///
/// A list that scrolls fast binds its rows many times over: what it does not keep for a frame is not
/// loaded.
@MainActor
final class PendingLoads {
  static let shared = PendingLoads()

  /// A frame at 60 a second, in milliseconds.
  private static let delay: CUnsignedInt = 16

  private var waiting: [(layer: PictureLayer, generation: Int)] = []

  func add(_ layer: PictureLayer, _ generation: Int) {
    waiting.append((layer, generation))
    guard waiting.count == 1 else { return }
    MainQueue.shared.post(afterMilliseconds: Self.delay) { PendingLoads.shared.start() }
  }

  private func start() {
    let all = waiting
    waiting = []
    for (layer, generation) in all { layer.start(generation) }
  }
}
