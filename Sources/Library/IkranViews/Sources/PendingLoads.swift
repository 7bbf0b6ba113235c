/// Loads that begin with the next frame, if they are still wanted then.
///
/// A list that scrolls fast binds its rows many times over: what it does not keep for a frame is
/// not loaded. It also binds rows out of sight: theirs begin another frame later, so that those in
/// sight are first in every queue.
@MainActor
package final class PendingLoads {
  /// A frame at 60 a second, in milliseconds.
  private static let delay = 16

  private typealias Load = (layer: PictureLayer, generation: Int)

  private var waiting: [Load] = []
  /// Those that were out of sight a frame ago.
  private var later: [Load] = []
  private var isScheduled = false

  package nonisolated init() {}

  func add(_ layer: PictureLayer, _ generation: Int, in loop: any ViewLoop) {
    waiting.append((layer, generation))
    schedule(in: loop)
  }

  private func schedule(in loop: any ViewLoop) {
    guard !isScheduled else { return }
    isScheduled = true
    loop.post(afterMilliseconds: Self.delay) { [weak loop] in
      if let loop { self.start(in: loop) }
    }
  }

  private func start(in loop: any ViewLoop) {
    let (new, old) = (waiting, later)
    (waiting, later, isScheduled) = ([], [], false)
    for load in new {
      if load.layer.isInSight { load.layer.start(load.generation) } else { later.append(load) }
    }
    for (layer, generation) in old { layer.start(generation) }
    if !later.isEmpty || !waiting.isEmpty { schedule(in: loop) }
  }
}
