import IkranSystem

/// Counts of a service, as Prometheus reads them.
final class ServiceMetrics: Sendable {
  /// Where a result came from.
  enum Origin: String, Sendable, CaseIterable {
    case memory, disk, shared, revalidated, made
  }

  private struct State {
    var requests = 0
    var inProgress = 0
    var statuses: [Int: Int] = [:]
    var errors: [String: Int] = [:]
    var origins: [Origin: Int] = [:]
    var buckets = [Int](repeating: 0, count: ServiceMetrics.bounds.count)
    var seconds = 0.0
  }

  /// The upper bounds of a request's duration, in seconds; Prometheus' own.
  private static let bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

  private let prefix: String
  private let state = Guarded(State())

  init(namespace: String?) { prefix = namespace.map { $0 + "_" } ?? "" }

  /// A request has arrived.
  func begin() {
    state.withLock { state in
      state.requests += 1
      state.inProgress += 1
    }
  }

  /// A request has ended with a status; 0 for a client that left.
  func end(status: Int, after duration: Duration) {
    let (seconds, attoseconds) = duration.components
    let time = Double(seconds) + Double(attoseconds) / 1e18
    state.withLock { state in
      state.inProgress -= 1
      state.statuses[status, default: 0] += 1
      state.seconds += time
      for (index, bound) in Self.bounds.enumerated() where time <= bound {
        state.buckets[index] += 1
      }
    }
  }

  /// How many requests are open.
  var inProgress: Int { state.withLock { $0.inProgress } }

  /// A result was found, or made.
  func count(_ origin: Origin) { state.withLock { $0.origins[origin, default: 0] += 1 } }

  /// A request gets no picture.
  func count(_ error: ServiceError) { state.withLock { $0.errors[error.kind, default: 0] += 1 } }

  /// Everything counted, in the text format 0.0.4 of Prometheus.
  func text(connections: Int, tiers: [GuardedTier] = []) -> String {
    let state = state.withLock { $0 }
    var text = metric(
      "requests_total",
      type: "counter",
      help: "requests",
      [("", "\(state.requests)")]
    )
    text += metric(
      "status_codes_total",
      type: "counter",
      help: "responses by status",
      state.statuses.sorted { $0.key < $1.key }.map { ("{status=\"\($0.key)\"}", "\($0.value)") }
    )
    text += metric(
      "errors_total",
      type: "counter",
      help: "errors by kind",
      state.errors.sorted { $0.key < $1.key }.map { ("{type=\"\($0.key)\"}", "\($0.value)") }
    )
    text += metric(
      "results_total",
      type: "counter",
      help: "pictures by where they came from",
      Origin.allCases.map { ("{from=\"\($0.rawValue)\"}", "\(state.origins[$0] ?? 0)") }
    )
    if !tiers.isEmpty { text += self.text(of: tiers) }
    text += durations(state)
    text += metric(
      "requests_in_progress",
      type: "gauge",
      help: "open requests",
      [("", "\(state.inProgress)")]
    )
    return text
      + metric(
        "connections",
        type: "gauge",
        help: "open connections",
        [("", "\(connections)")]
      )
  }

  private func durations(_ state: State) -> String {
    let name = "request_duration_seconds"
    var text = head(name, type: "histogram", help: "durations of requests")
    let total = state.statuses.values.reduce(0, +)
    for (bound, count) in zip(Self.bounds, state.buckets) {
      text += "\(prefix)\(name)_bucket{le=\"\(bound)\"} \(count)\n"
    }
    text += "\(prefix)\(name)_bucket{le=\"+Inf\"} \(total)\n"
    return text + "\(prefix)\(name)_sum \(state.seconds)\n\(prefix)\(name)_count \(total)\n"
  }

  private func text(of tiers: [GuardedTier]) -> String {
    let values = tiers.flatMap { tier in
      GuardedTier.Outcome.allCases.map { outcome in
        (
          "{tier=\"\(tier.tier.name)\",outcome=\"\(outcome.rawValue)\"}",
          "\(tier.count(of: outcome))"
        )
      }
    }
    return metric(
      "tier_calls_total",
      type: "counter",
      help: "calls of shared stores by their ends",
      values
    )
  }

  private func head(_ name: String, type: String, help: String) -> String {
    "# HELP \(prefix)\(name) \(help)\n# TYPE \(prefix)\(name) \(type)\n"
  }

  private func metric(
    _ name: String,
    type: String,
    help: String,
    _ values: [(labels: String, value: String)]
  ) -> String {
    head(name, type: type, help: help)
      + values.map { "\(prefix)\(name)\($0.labels) \($0.value)\n" }.joined()
  }
}
