import IkranStores
import Synchronization

/// Hosts that could not be reached a moment ago: their stale images are shown without trying again.
///
/// It says nothing of a source: what no cache has is asked for all the same.
final class UnreachableHosts: Sendable {
  private struct Failure: Sendable {
    let error: ImageError
    let until: Int64
  }

  private static let memory = Duration.seconds(30)

  private let failures = MemoryCache<String, Failure>(byteLimit: 1 << 20)
  private let noted = Atomic(false)

  /// Whether any host was noted so far.
  var hasAny: Bool { noted.load(ordering: .relaxed) }

  /// Why a host could not be reached; nil when it could, or when that is long ago.
  func error(of host: String, at now: Int64) -> ImageError? {
    guard hasAny, let failure = failures.value(for: host) else { return nil }
    if now < failure.until { return failure.error }
    failures.remove(host)
    return nil
  }

  /// Notes a failure, if it is the way to the host that failed.
  func note(_ error: ImageError, of host: String, at now: Int64) {
    guard case .transport(let reason, _) = error else { return }
    switch reason {
    case .hostNotFound, .cannotConnect, .timedOut:
      noted.store(true, ordering: .relaxed)
      let failure = Failure(error: error, until: now + Self.memory.microseconds)
      failures.store(failure, cost: 256 + host.utf8.count, for: host)
    default: break
    }
  }

  func remove(_ host: String) {
    if hasAny { failures.remove(host) }
  }
}
