import Synchronization

/// Counts what a pipeline does and passes the events on.
final class PipelineCounters: Sendable {
  private let onEvent: (@Sendable (PipelineEvent) -> Void)?
  private let downloads = Atomic(0)
  private let downloadedBytes = Atomic(0)
  private let earlyStops = Atomic(0)
  private let savedBytes = Atomic(0)
  private let confirmations = Atomic(0)
  private let retries = Atomic(0)
  private let diskHits = Atomic(0)
  private let decodes = Atomic(0)
  private let stylings = Atomic(0)
  private let diskFailures = Atomic(0)
  private let tableFailures = Atomic(0)

  init(onEvent: (@Sendable (PipelineEvent) -> Void)?) { self.onEvent = onEvent }

  /// Whether the program listens to events.
  var isObserved: Bool { onEvent != nil }

  /// The counts so far, each by itself; hits of memory and of tables are theirs to add.
  var statistics: PipelineStatistics {
    var totals = PipelineStatistics()
    totals.downloads = downloads.load(ordering: .relaxed)
    totals.downloadedBytes = downloadedBytes.load(ordering: .relaxed)
    totals.earlyStops = earlyStops.load(ordering: .relaxed)
    totals.savedBytes = savedBytes.load(ordering: .relaxed)
    totals.confirmations = confirmations.load(ordering: .relaxed)
    totals.retries = retries.load(ordering: .relaxed)
    totals.diskHits = diskHits.load(ordering: .relaxed)
    totals.decodes = decodes.load(ordering: .relaxed)
    totals.stylings = stylings.load(ordering: .relaxed)
    totals.diskFailures = diskFailures.load(ordering: .relaxed)
    totals.tableFailures = tableFailures.load(ordering: .relaxed)
    return totals
  }

  func count(_ event: PipelineEvent) {
    switch event {
    case .downloaded(let bytes, _):
      downloads.add(1, ordering: .relaxed)
      downloadedBytes.add(bytes, ordering: .relaxed)
    case .stoppedEarly(let bytes):
      earlyStops.add(1, ordering: .relaxed)
      savedBytes.add(bytes, ordering: .relaxed)
    case .confirmed: confirmations.add(1, ordering: .relaxed)
    case .retried: retries.add(1, ordering: .relaxed)
    case .readFromDisk: diskHits.add(1, ordering: .relaxed)
    case .decoded: decodes.add(1, ordering: .relaxed)
    case .styled: stylings.add(1, ordering: .relaxed)
    case .diskFailed: diskFailures.add(1, ordering: .relaxed)
    case .tableFailed: tableFailures.add(1, ordering: .relaxed)
    case .usedStale, .transferBegan, .responseBegan, .transferEnded, .avatarStorageFailed,
      .requestFinished:
      break
    }
    onEvent?(event)
  }

  /// Does `work` and counts it with the time it took.
  func measure<Value, E: Error>(
    _ work: () throws(E) -> Value,
    as event: (Duration) -> PipelineEvent
  ) throws(E) -> Value {
    let clock = ContinuousClock()
    let start = clock.now
    let value = try work()
    count(event(clock.now - start))
    return value
  }
}
