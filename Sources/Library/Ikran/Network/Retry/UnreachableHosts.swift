import IkranSystem
import IkranTransport
import Synchronization

/// Hosts that could not be reached a moment ago.
///
/// Stale images of such a host are shown without trying again. After a few failures in a row the
/// rest of its downloads fails as well, so that a list of a dead host ends soon (decision 59):
/// - From the ``maximumFailures``th on, only the last try of a download is sent. The others fail
///   without being sent and are tried again like any that failed, so that a network that comes back
///   soon costs no image.
/// - Once a download has used up its tries, or when the failures are timeouts, all fail at once;
///   after a pause one is sent as a probe. Each probe that fails doubles the pause.
///
/// Any response of the host ends both.
final class UnreachableHosts: Sendable {
  /// What becomes of a download whose turn has come.
  enum Decision: Sendable, Equatable {
    case sends
    /// It is not sent, and may be tried again.
    case failsThisTry(TransportError)
    case fails(TransportError)
  }

  private struct Trouble {
    var error: TransportError
    var failures = 0
    /// How long it counts, in microseconds; a clock that was set back ends it.
    var lasts: Range<Int64>
    /// Whether all downloads fail; then `nextTry` is when one of them is sent.
    var isClosed = false
    var nextTry: Int64 = 0
    var pause = UnreachableHosts.pauses.first
  }

  /// How long a host is taken for unreachable after a failure.
  static let rememberedFor = Duration.seconds(30)
  /// The failures in a row after which downloads fail without being sent.
  static let maximumFailures = 5
  /// The first pause between two tries of a closed host, and the longest.
  private static let pauses = (first: Int64(1_000_000), longest: Int64(30_000_000))
  /// When so many hosts are in trouble, all are forgotten: that costs a few tries.
  private static let maximumHosts = 1_000

  private let hosts = Guarded<[String: Trouble]>([:])
  private let hasFailures = Atomic(false)

  /// Whether any host has failed so far.
  var hasAny: Bool { hasFailures.load(ordering: .relaxed) }

  /// The number of hosts that are remembered.
  var count: Int { hosts.withLock { $0.count } }

  /// Why a host could not be reached; nil when it could, or when that is long ago.
  func error(of host: String, at now: Int64) -> TransportError? {
    guard hasAny else { return nil }
    return hosts.withLock { hosts in
      hosts[host].flatMap { $0.lasts.contains(now) ? $0.error : nil }
    }
  }

  /// Whether a download of a host is to be sent now.
  ///
  /// - Parameters:
  ///   - host: The host.
  ///   - isLastTry: Whether the download is not tried again when it fails.
  ///   - isStarting: Whether it is sent at once if it may be: then others wait for the next pause.
  ///   - now: Microseconds since 1970.
  /// - Returns: Whether it is sent, or how it fails.
  func decision(
    of host: String,
    isLastTry: Bool,
    isStarting: Bool,
    at now: Int64
  ) -> Decision {
    guard hasAny else { return .sends }
    return hosts.withLock { hosts in
      guard let trouble = hosts[host], trouble.failures >= Self.maximumFailures,
        trouble.lasts.lowerBound <= now
      else { return .sends }
      if trouble.isClosed {
        if now < trouble.nextTry { return .fails(trouble.error) }
        if isStarting { hosts[host]?.nextTry = now + trouble.pause }
        return .sends
      }
      return isLastTry || !trouble.lasts.contains(now) ? .sends : .failsThisTry(trouble.error)
    }
  }

  /// Adds a failure, if it is the way to the host that failed.
  ///
  /// - Parameters:
  ///   - error: Why nothing arrived.
  ///   - host: The host.
  ///   - connectTimeout: The time limit of connections; a transfer that was given less says nothing
  ///     of the host.
  ///   - now: Microseconds since 1970.
  func add(
    _ error: ImageError,
    of host: String,
    connectTimeout: Duration,
    at now: Int64
  ) {
    guard case .transport(let reason, _) = error else { return }
    var isTimeout = true
    switch reason {
    case .hostNotFound, .cannotConnect: isTimeout = false
    case .timedOut(let limit) where limit >= connectTimeout: break
    case .tooSlow: break
    default: return
    }
    hasFailures.store(true, ordering: .relaxed)
    let lasts = now..<(now + Self.rememberedFor.microseconds)
    hosts.withLock { [isTimeout] hosts in
      if hosts[host] == nil, hosts.count >= Self.maximumHosts { hosts = [:] }
      var trouble = hosts[host] ?? Trouble(error: reason, lasts: lasts)
      (trouble.error, trouble.lasts) = (reason, lasts)
      trouble.failures += 1
      let wasClosed = trouble.isClosed
      if wasClosed { trouble.pause = min(2 * trouble.pause, Self.pauses.longest) }
      if isTimeout, trouble.failures >= Self.maximumFailures { trouble.isClosed = true }
      if trouble.isClosed { trouble.nextTry = now + trouble.pause }
      hosts[host] = trouble
    }
  }

  /// Closes the host: one of its downloads has used up its tries.
  func addLastFailure(of host: String, at now: Int64) {
    guard hasAny else { return }
    hosts.withLock { hosts in
      guard var trouble = hosts[host], trouble.failures >= Self.maximumFailures,
        !trouble.isClosed
      else { return }
      trouble.isClosed = true
      trouble.nextTry = now + trouble.pause
      hosts[host] = trouble
    }
  }

  func remove(_ host: String) {
    if hasAny { hosts.withLock { $0[host] = nil } }
  }

  func removeAll() { hosts.withLock { $0 = [:] } }
}
