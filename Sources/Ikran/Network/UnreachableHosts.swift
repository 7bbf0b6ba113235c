import IkranStores
import IkranTransport
import Synchronization

/// Hosts that could not be reached a moment ago: their stale images are shown without trying again.
///
/// It says nothing of a source: what no cache has is asked for all the same.
final class UnreachableHosts: Sendable {
  /// How long a host is taken for unreachable.
  static let memory = Duration.seconds(30)

  private let failures = ErrorMemory<String>(.none, byteLimit: 1 << 20) { _ in memory }
  private let noted = Atomic(false)

  /// Whether any host was noted so far.
  var hasAny: Bool { noted.load(ordering: .relaxed) }

  /// Why a host could not be reached; nil when it could, or when that is long ago.
  func error(of host: String, at now: Int64) -> ImageError? {
    hasAny ? failures.error(for: host, at: now) : nil
  }

  /// Notes a failure, if it is the way to the host that failed.
  ///
  /// - Parameters:
  ///   - error: Why nothing arrived.
  ///   - host: The host.
  ///   - connectTimeout: What a connection is given; a transfer that was given less says nothing of
  ///     the host.
  ///   - now: Microseconds since 1970.
  func note(
    _ error: ImageError,
    of host: String,
    _ connectTimeout: Duration,
    at now: Int64
  ) {
    guard case .transport(let reason, _) = error else { return }
    switch reason {
    case .hostNotFound, .cannotConnect: break
    case .timedOut(let limit) where limit >= connectTimeout: break
    default: return
    }
    noted.store(true, ordering: .relaxed)
    failures.note(error, for: host, at: now)
  }

  func remove(_ host: String) {
    if hasAny { failures.remove(host) }
  }
}

extension NetworkStage {
  /// With an older image to show, a host that could not be reached a moment ago is not waited for.
  func refuse(_ download: Download, unreachable host: String) throws(ImageError) {
    guard !download.mayRetry, let error = unreachableHosts.error(of: host, at: clock.now()) else {
      return
    }
    throw error
  }

  /// Why the host of a URL could not be reached a moment ago; nil when it could, or was not tried.
  func unreachable(_ url: String) -> ImageError? {
    guard unreachableHosts.hasAny, let host = (try? HTTPAddress(url))?.origin else { return nil }
    return unreachableHosts.error(of: host, at: clock.now())
  }
}
