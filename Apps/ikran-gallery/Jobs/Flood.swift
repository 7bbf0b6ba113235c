import Ikran
import IkranGTK

/// Frames while many results arrive at once.
@MainActor
final class Flood {
  private let gallery: Gallery
  private var arrived = 0
  private var frames = 0

  private init(_ gallery: Gallery) { self.gallery = gallery }

  /// Brings so many results to the main thread, from four threads, each of which brings the
  /// numbers of the window up to date.
  ///
  /// - Returns: How many frames were drawn a second until the last had arrived.
  static func run(_ gallery: Gallery, results: Int) async -> Double {
    await Flood(gallery).run(results)
  }

  private func run(_ results: Int) async -> Double {
    let threads = 4
    gallery.afterFrame = { _ in self.frames += 1 }
    gallery.window.frames?.run(true)
    let start = FrameClock.now
    for _ in 0..<threads {
      Self.send(results / threads) { self.receive() }
    }
    while arrived < results / threads * threads {
      try? await Task.sleep(for: .milliseconds(1))
    }
    let seconds = (FrameClock.now - start) / 1000
    gallery.window.frames?.run(false)
    gallery.afterFrame = nil
    return Double(frames) / seconds
  }

  private nonisolated static func send(
    _ count: Int,
    _ body: @escaping @MainActor @Sendable () -> Void
  ) {
    Task.detached { for _ in 0..<count { MainLoop.post(body) } }
  }

  private func receive() {
    arrived += 1
    gallery.updateNumbers()
  }
}
