import Ikran
import IkranStores

/// Where pictures came from, counted on every thread.
final class SourceCounts: Sendable {
  /// The numbers at one moment.
  struct Snapshot: Sendable, Equatable {
    var sources: [ImageSource: Int] = [:]
    var failures = 0

    /// Those that the plot shows, in its order; local files count as the disk.
    var mix: [(source: ImageSource, count: Int)] {
      [
        (.memory, count(.memory)), (.table, count(.table)), (.disk, count(.disk) + count(.file)),
        (.network, count(.network) + count(.data)),
      ]
    }

    private func count(_ source: ImageSource) -> Int { sources[source, default: 0] }
  }

  private let state = Guarded(Snapshot())

  var snapshot: Snapshot { state.withLock { $0 } }

  func record(_ event: PipelineEvent) {
    guard case .requestFinished(let summary) = event else { return }
    state.withLock { state in
      switch summary.result {
      case .success(let source): state.sources[source, default: 0] += 1
      case .failure(.cancelled): break
      case .failure: state.failures += 1
      }
    }
  }

  func reset() { state.withLock { $0 = Snapshot() } }
}
