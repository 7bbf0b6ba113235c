#if canImport(Darwin)
import Dispatch
import IkranSystem
import Network

/// Asks the system for the network that is used now.
package struct NetworkMonitor: Sendable {
  /// What follows it for the whole process, from the first question on.
  private static let follower = PathFollower()

  /// A monitor; all of them ask the same.
  package init() {}

  /// Whether the network is expensive, such as a mobile one, or the user saves data on it; nil where
  /// the system has said nothing within a second.
  @Sendable package func isNetworkMetered() -> Bool? { Self.follower.isMetered() }
}

/// Follows the network that is used.
private final class PathFollower: Sendable {
  private let last = Guarded<Bool?>(nil)
  private let monitor = NWPathMonitor()

  init() {
    let last = last
    monitor.pathUpdateHandler = { path in
      last.withLock { $0 = path.isExpensive || path.isConstrained }
    }
    monitor.start(queue: DispatchQueue(label: "ikran-network"))
  }

  /// The last word of the system; waits a second for the first one.
  func isMetered() -> Bool? {
    for _ in 0..<100 {
      if let isMetered = last.withLock({ $0 }) { return isMetered }
      BackgroundThread.sleep(nanoseconds: 10_000_000)
    }
    return nil
  }
}
#endif
