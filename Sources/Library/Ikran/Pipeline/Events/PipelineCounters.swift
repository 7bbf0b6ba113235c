import IkranSystem

/// Counts what a pipeline does and passes the events on.
final class PipelineCounters: Sendable {
  private let totals = Guarded(PipelineStatistics())
  private let onEvent: (@Sendable (PipelineEvent) -> Void)?

  init(onEvent: (@Sendable (PipelineEvent) -> Void)?) { self.onEvent = onEvent }

  /// Whether the program listens to events.
  var isObserved: Bool { onEvent != nil }

  /// The counts so far; hits of memory and of tables are theirs to add.
  var statistics: PipelineStatistics { totals.withLock { $0 } }

  func record(_ event: PipelineEvent) {
    totals.withLock { totals in
      switch event {
      case .downloaded(let bytes, _):
        totals.downloads += 1
        totals.downloadedBytes += bytes
      case .stoppedEarly(let savedBytes):
        totals.earlyStops += 1
        totals.savedBytes += savedBytes
      case .confirmed: totals.confirmations += 1
      case .retried: totals.retries += 1
      case .usedStale, .transferBegan, .transferEnded: break
      case .readFromDisk: totals.diskHits += 1
      case .decoded: totals.decodes += 1
      case .styled: totals.stylings += 1
      case .diskFailed: totals.diskFailures += 1
      case .tableFailed: totals.tableFailures += 1
      case .avatarStorageFailed, .requestFinished: break
      }
    }
    onEvent?(event)
  }

  /// Does `work` and records it with the time it took.
  func measure<Value, E: Error>(
    _ work: () throws(E) -> Value,
    as event: (Duration) -> PipelineEvent
  ) throws(E) -> Value {
    let clock = ContinuousClock()
    let start = clock.now
    let value = try work()
    record(event(clock.now - start))
    return value
  }
}
