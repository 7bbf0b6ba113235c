import Ikran
import IkranSystem

/// Where pictures came from, counted on every thread.
final class SourceCounts: Sendable {
  /// The numbers at one moment.
  struct Snapshot: Sendable {
    var sources: [ImageSource: Int] = [:]
    var failures = 0

    /// What the request of the picture that is shown large cost.
    var watched: (url: String, metrics: RequestMetrics)?

    /// Those that the plot shows, in its order; local files and `data:` URLs count as the disk.
    var mix: [(source: ImageSource, count: Int)] {
      [
        (.memory, count(.memory)), (.table, count(.table)),
        (.disk, count(.disk) + count(.file) + count(.data)), (.network, count(.network)),
      ]
    }

    private func count(_ source: ImageSource) -> Int { sources[source, default: 0] }
  }

  private let state = Guarded(Snapshot())

  var snapshot: Snapshot { state.withLock { $0 } }

  func record(_ event: PipelineEvent) {
    guard case .requestFinished(let summary) = event else { return }
    state.withLock { state in
      if state.watched?.url == summary.url { state.watched?.metrics = summary.metrics }
      switch summary.result {
      case .success(let source): state.sources[source, default: 0] += 1
      case .failure(.cancelled): break
      case .failure: state.failures += 1
      }
    }
  }

  /// Keeps what the next request for a URL costs.
  func watch(_ url: String) { state.withLock { $0.watched = (url, RequestMetrics()) } }

  func reset() { state.withLock { $0 = Snapshot() } }
}
