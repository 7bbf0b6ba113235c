import CPeers
import Ikran
import IkranPlayback

/// A frame of a transition between two photos of 1000 × 1000 pixels, on one thread.
struct TransitionBenchmarks {
  private static let size = PixelSize(width: 1000, height: 1000)
  private static let rows: [(name: String, transition: Transition)] = [
    ("transition.fade", .fade(.seconds(1))), ("transition.slide", .slide(from: .left, .seconds(1))),
    ("transition.wipe", .wipe(from: .left, .seconds(1))),
    ("transition.flip.left", .flip(from: .left, .seconds(1))),
    ("transition.flip.top", .flip(from: .top, .seconds(1))),
    ("transition.zoom", zoom(from: 0.5)), ("transition.zoom.large", zoom(from: 1.5)),
  ]

  /// The new picture grows from its middle, or gets smaller, as it appears.
  private static func zoom(from scale: Double) -> Transition {
    .custom(id: "zoom \(scale)", .seconds(1)) { progress in
      let scale = scale + (1 - scale) * progress
      return Transition.Moment(new: Transition.Placement(opacity: progress, scale: scale))
    }
  }

  /// Runs the rows whose names begin with `prefix`.
  static func run(prefix: String, into report: inout Report) async throws {
    let wanted = rows.filter { $0.name.hasPrefix(prefix) }
    guard !wanted.isEmpty else { return }
    let from = try Photo.draw(size, seed: 3)
    let to = try Photo.draw(size, seed: 4)
    for row in wanted {
      let store = AnimationStore(threads: 1)
      let animation = try Animation(
        from: from,
        to: to,
        transition: row.transition,
        buffering: .none,
        store: store
      )
      // No frame is kept until it is asked for again.
      let frames = 8..<32
      let round = DownloadRound("Ikran") {
        for frame in frames {
          let picture = try await animation.decodedFrame(at: frame)
          picture.withBytes { $0.withUnsafeBufferPointer { peers_consume($0.baseAddress) } }
        }
      }
      let times = try await DownloadRound.measure([round], count: frames.count, samples: 15)
      report.add(row.name, times.walls, unit: "ms", scale: 1e-6)
    }
  }
}
