import IkranSystem
package import IkranTransport
import Synchronization

/// A caller's part in shared work: its priority, and where progress goes.
///
/// Priority flows down, from the caller through shared work to the queues; progress flows back up.
package final class Subscription: Sendable {
  private struct State {
    var observers: [Int: @Sendable () -> Void] = [:]
    var nextObserver = 0
    var start: Int64?
    var response: ResponseHead?
  }

  private let state = Guarded(State())
  /// Changed with the lock held, read without.
  private let rank: Atomic<Int>
  private let onProgress: (@Sendable (TransferProgress) -> Void)?
  private let onPreview: (@Sendable (ImageResponse) -> Void)?

  /// Begins with a priority.
  package init(
    _ priority: ImagePriority,
    onProgress: (@Sendable (TransferProgress) -> Void)? = nil,
    onPreview: (@Sendable (ImageResponse) -> Void)? = nil
  ) {
    self.onPreview = onPreview
    rank = Atomic(priority.rawValue)
    self.onProgress = onProgress
  }

  var priority: ImagePriority {
    ImagePriority(rawValue: rank.load(ordering: .acquiring)) ?? .normal
  }

  /// Changes the priority and calls the observers.
  func change(to priority: ImagePriority) {
    if set(priority) { tellObservers() }
  }

  /// Changes the priority alone; whether it was another one.
  ///
  /// ``tellObservers()`` is called next, without the locks that the caller holds.
  func set(_ priority: ImagePriority) -> Bool {
    state.withLock { _ in
      guard self.priority != priority else { return false }
      rank.store(priority.rawValue, ordering: .releasing)
      return true
    }
  }

  /// Calls the observers; each reads ``priority`` for the newest value.
  func tellObservers() {
    for observer in state.withLock({ Array($0.observers.values) }) { observer() }
  }

  /// Raises the priority and calls the observers; does nothing when it is as high.
  func raise(to priority: ImagePriority) {
    let observers = state.withLock { state -> [@Sendable () -> Void] in
      guard self.priority < priority else { return [] }
      rank.store(priority.rawValue, ordering: .releasing)
      return Array(state.observers.values)
    }
    for observer in observers { observer() }
  }

  /// Calls `changed` after each change, on the thread that made it; read ``priority`` for the
  /// newest value.
  func observe(_ changed: @escaping @Sendable () -> Void) -> Int {
    state.withLock { state in
      state.nextObserver += 1
      state.observers[state.nextObserver] = changed
      return state.nextObserver
    }
  }

  func stopObserving(_ id: Int) { state.withLock { _ = $0.observers.removeValue(forKey: id) } }

  /// When the wait began, in microseconds since 1970; nil as long as there was nothing to wait for.
  var start: Int64? { state.withLock { $0.start } }

  /// Sets when the wait began; the first time counts.
  func startWaiting(at now: Int64) {
    state.withLock { state in if state.start == nil { state.start = now } }
  }

  /// The last response that brought bytes for it, or confirmed what the caches have; nil without
  /// one.
  var response: ResponseHead? { state.withLock { $0.response } }

  /// Keeps the response that brought bytes for it, or confirmed what the caches have.
  func keep(_ response: ResponseHead) { state.withLock { $0.response = response } }

  /// Forgets the response: what its origin brought is not what is shown.
  func forgetResponse() { state.withLock { $0.response = nil } }

  /// Whether progress goes anywhere.
  var listens: Bool { onProgress != nil }

  func report(_ progress: TransferProgress) { onProgress?(progress) }

  /// Whether what can be shown of a file that is arriving goes anywhere.
  var wantsPreviews: Bool { onPreview != nil }

  func report(_ preview: ImageResponse) { onPreview?(preview) }
}
