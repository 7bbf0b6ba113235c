import IkranSystem
import IkranTransport

/// Shares one running piece of work between all callers that want the same key.
///
/// Every caller gets exactly one ending. A cancelled caller returns at once; the work goes on while
/// other callers wait for it and is cancelled when the last one leaves. Its priority is the highest
/// of its waiters', at every moment.
package final class Coalescer<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  package typealias Work = @Sendable (Subscription) async throws(ImageError) -> Value

  private struct Waiter {
    let continuation: CheckedContinuation<Result<Value, ImageError>, Never>
    let subscription: Subscription
  }

  private struct Running {
    let subscription: Subscription
    /// Nil until the work waits for something.
    var task: Task<Void, Never>?
    var progress: TransferProgress?
  }

  private struct State {
    var table = CoalescerTable<Key, Waiter>()
    var running: [Int: Running] = [:]
    var lastWaiter = 0
  }

  private let state = Guarded(State())

  /// Creates one without work.
  package init() {}

  /// The number of loads under way.
  var count: Int { state.withLock { $0.table.count } }

  /// The number of callers that wait.
  var callers: Int { state.withLock { $0.table.callers } }

  /// The number of callers that wait for `key`.
  func waiting(for key: Key) -> Int { state.withLock { $0.table.waiting(for: key) } }

  /// Runs `work` once per key and hands every caller its outcome.
  ///
  /// - Throws: What `work` throws, or ``ImageError/cancelled`` when the caller's task is cancelled.
  package func value(
    for key: Key,
    subscription: Subscription,
    _ work: @escaping Work
  ) async throws(ImageError) -> Value {
    let id = state.withLock { state in
      state.lastWaiter += 1
      return state.lastWaiter
    }
    let observer = subscription.observe {
      self.updatePriority(of: id, for: key, from: subscription)
    }
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let waiter = Waiter(continuation: continuation, subscription: subscription)
        join(waiter, id: id, for: key, work)
      }
    } onCancel: {
      leave(key, id: id)
    }
    subscription.stopObserving(observer)
    return try result.get()
  }

  /// Ends every load: each waiter gets ``ImageError/cancelled``.
  func cancelAll() {
    let (waiters, tasks) = state.withLock { state in
      let (waiters, loads) = state.table.clear()
      return (waiters, loads.compactMap { state.running.removeValue(forKey: $0)?.task })
    }
    for task in tasks { task.cancel() }
    for waiter in waiters { waiter.continuation.resume(returning: .failure(.cancelled)) }
  }

  private func join(_ waiter: Waiter, id: Int, for key: Key, _ work: @escaping Work) {
    guard !Task.isCancelled else {
      return waiter.continuation.resume(returning: .failure(.cancelled))
    }
    let priority = waiter.subscription.priority
    var seen: TransferProgress?
    var started: (load: Int, subscription: Subscription)?
    state.withLock { state in
      switch state.table.join(key, waiter: waiter, id: id, priority: priority) {
      case .wait(let load): seen = state.running[load]?.progress
      case .start(let load):
        let subscription = Subscription(priority) {
          self.report($0, of: load, for: key)
        }
        state.running[load] = Running(subscription: subscription)
        started = (load, subscription)
      }
    }
    if let (load, subscription) = started {
      start(load, for: key, subscription: subscription, work)
    }
    if let seen { waiter.subscription.report(seen) }
    updatePriority(of: id, for: key, from: waiter.subscription)
    // Cancellation may have come between the check and the join.
    if Task.isCancelled { leave(key, id: id) }
  }

  /// Begins a load on this thread, unless that is an actor's: until the work waits for something,
  /// no other thread has to be woken.
  private func start(
    _ load: Int,
    for key: Key,
    subscription: Subscription,
    _ work: @escaping Work
  ) {
    let task =
      if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
        Task.immediate { await self.run(load, for: key, subscription: subscription, work) }
      } else {
        Task { await self.run(load, for: key, subscription: subscription, work) }
      }
    let isOver = state.withLock { state in
      state.running[load]?.task = task
      return state.running[load] == nil
    }
    // Its last waiter may have left before there was a task to cancel.
    if isOver { task.cancel() }
  }

  @concurrent
  private func run(
    _ load: Int,
    for key: Key,
    subscription: Subscription,
    _ work: Work
  ) async {
    let result: Result<Value, ImageError>
    do throws(ImageError) {
      result = .success(try await work(subscription))
    } catch {
      result = .failure(error)
    }
    let waiters = state.withLock { state in
      state.running[load] = nil
      return state.table.finish(key, load: load)
    }
    for waiter in waiters { waiter.continuation.resume(returning: result) }
  }

  private func leave(_ key: Key, id: Int) {
    let (action, task) = state.withLock { state in
      let action = state.table.leave(key, id: id)
      guard case .endAndCancel(_, let load) = action else {
        return (action, Task<Void, Never>?.none)
      }
      return (action, state.running.removeValue(forKey: load)?.task)
    }
    task?.cancel()
    switch action {
    case .end(let waiter):
      waiter.continuation.resume(returning: .failure(.cancelled))
      retune(key)
    case .endAndCancel(let waiter, _):
      waiter.continuation.resume(returning: .failure(.cancelled))
    case .ignore: break
    }
  }

  private func updatePriority(of id: Int, for key: Key, from subscription: Subscription) {
    state.withLock { $0.table.change(key, id: id, to: subscription.priority) }
    retune(key)
  }

  /// Gives the load the highest priority among its waiters.
  private func retune(_ key: Key) {
    // Another thread may retune between the two calls; the last to change reads the table again.
    while let (subscription, priority) = change(of: key) { subscription.change(to: priority) }
  }

  /// The priority that a load should have; nil when it has it.
  private func change(of key: Key) -> (Subscription, ImagePriority)? {
    state.withLock { state in
      guard let (load, priority) = state.table.priority(of: key),
        let subscription = state.running[load]?.subscription, subscription.priority != priority
      else { return nil }
      return (subscription, priority)
    }
  }

  private func report(_ progress: TransferProgress, of load: Int, for key: Key) {
    // Nearly always there is one: no list is made for it.
    var first: Subscription?
    var others: [Subscription] = []
    state.withLock { state in
      state.running[load]?.progress = progress
      state.table.forEachWaiter(of: key, load: load) { waiter in
        if first == nil { first = waiter.subscription } else { others.append(waiter.subscription) }
      }
    }
    first?.report(progress)
    for other in others { other.report(progress) }
  }
}
