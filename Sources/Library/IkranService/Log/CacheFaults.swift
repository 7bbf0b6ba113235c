import IkranStores
import IkranSystem

/// Counts what the caches on the disk could not do, and says it in the log once in a while.
///
/// A full disk fails each write: pictures are sent all the same, and are made again.
final class CacheFaults: Sendable {
  /// Which cache it was.
  enum Cache: String, Sendable, CaseIterable {
    case results, sources
  }

  private struct State {
    var counts: [Cache: Int] = [:]
    /// Those that no line has said.
    var unsaid: [Cache: Int] = [:]
    var saidAt: [Cache: ContinuousClock.Instant] = [:]
  }

  /// Between two lines about one cache.
  static let pause = Duration.seconds(60)

  private let state = Guarded(State())
  private let now: @Sendable () -> ContinuousClock.Instant
  private let say: @Sendable (String) -> Void

  /// Creates a count of none.
  ///
  /// - Parameters:
  ///   - now: The time.
  ///   - say: Called with a sentence.
  init(
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
    say: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    (self.now, self.say) = (now, say)
  }

  /// How often a cache could not do what it had to.
  func count(of cache: Cache) -> Int { state.withLock { $0.counts[cache, default: 0] } }

  /// Does what a cache has to, and counts it where it throws.
  func watch(_ cache: Cache, _ work: () throws(DiskCacheError) -> Void) {
    do throws(DiskCacheError) { try work() } catch { count(cache, "\(error)") }
  }

  /// Counts a fault, whose sentence says why.
  func count(_ cache: Cache, _ reason: String) {
    let time = now()
    let unsaid = state.withLock { state -> Int? in
      state.counts[cache, default: 0] += 1
      state.unsaid[cache, default: 0] += 1
      if let said = state.saidAt[cache], time - said < Self.pause { return nil }
      state.saidAt[cache] = time
      return state.unsaid.removeValue(forKey: cache)
    }
    guard let unsaid else { return }
    let often = unsaid == 1 ? "once" : "\(unsaid) times"
    say("The cache of \(cache.rawValue) on the disk failed \(often). \(reason)")
  }
}
