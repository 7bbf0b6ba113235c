import IkranStores
import Synchronization

/// The pauses that servers have asked for (`Retry-After`): for a source, and with 429 and 503 for
/// all of its host; the latest ones, up to a number (decision 59).
final class RetryTimes: Sendable {
  /// The pause that a server has asked for.
  struct Pause: Sendable, Hashable {
    let status: Int
    /// In microseconds since 1970.
    let until: Int64
  }

  private struct Entry: Sendable {
    let pause: Pause
    /// In microseconds since 1970; a clock that was set back ends the pause.
    let began: Int64
  }

  /// A longer pause is remembered for so long only: one response must not switch off a host for
  /// days.
  private static let longest = Duration.seconds(3600)
  static let maximumCount = 10_000

  private let sources = MemoryCache<SourceKey, Entry>(
    byteLimit: .max,
    countLimit: maximumCount
  )
  private let hosts = MemoryCache<String, Entry>(byteLimit: .max, countLimit: maximumCount)
  private let hasPauses = Atomic(false)

  /// The number of sources and hosts that are remembered.
  var count: Int { sources.statistics.count + hosts.statistics.count }

  /// The longer one of the pauses that a source and its host have asked for.
  ///
  /// - Parameters:
  ///   - source: The source; nil looks at the host alone.
  ///   - host: The host.
  ///   - now: Microseconds since 1970.
  /// - Returns: The pause; nil when neither has asked for one.
  func pause(of source: SourceKey?, host: String, at now: Int64) -> Pause? {
    guard hasPauses.load(ordering: .relaxed) else { return nil }
    return [source.flatMap { sources.value(for: $0) }, hosts.value(for: host)]
      .compactMap { $0 }
      .filter { $0.began <= now && now < $0.pause.until }
      .map(\.pause)
      .max { $0.until < $1.until }
  }

  /// Remembers the pause that a response asked for.
  func addPause(
    _ wait: Duration,
    status: Int,
    of source: SourceKey,
    host: String,
    at now: Int64
  ) {
    guard wait > .zero else { return }
    hasPauses.store(true, ordering: .relaxed)
    let until = now + min(wait, Self.longest).microseconds
    let entry = Entry(pause: Pause(status: status, until: until), began: now)
    sources.store(entry, cost: 1, for: source)
    if status == 429 || status == 503 { hosts.store(entry, cost: 1, for: host) }
  }

  func remove(_ source: SourceKey, host: String) {
    sources.remove(source)
    hosts.remove(host)
  }

  func removeAll() {
    sources.removeAll()
    hosts.removeAll()
  }
}

extension RetryTimes {
  /// The pause that a download has to wait for; nil when there is none.
  func pause(of download: NetworkStage.Download, at now: Int64) -> Pause? {
    // A reload asks a source that failed, but not a host that wants to be left alone.
    let source = download.isReload ? nil : download.source.failureKey
    return pause(of: source, host: download.host, at: now)
  }
}
