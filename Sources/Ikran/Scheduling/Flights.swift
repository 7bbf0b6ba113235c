import IkranStores

/// Shares one running piece of work between everyone who asks for the same key.
///
/// Every caller gets exactly one ending. A cancelled caller returns at once; the work goes on while
/// anyone else waits for it and is cancelled when the last one leaves. Its priority is the highest
/// of its waiters', at every moment.
final class Flights<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  typealias Work = @Sendable (Interest) async throws(ImageError) -> Value

  private struct Waiter {
    let continuation: CheckedContinuation<Result<Value, ImageError>, Never>
    let interest: Interest
  }

  private struct Running {
    let interest: Interest
    /// Nil until the work waits for something.
    var task: Task<Void, Never>?
    var progress: TransferProgress?
  }

  private struct State {
    var table = FlightTable<Key, Waiter>()
    var running: [Int: Running] = [:]
    var lastWaiter = 0
  }

  private let state = Guarded(State())

  /// The number of flights under way.
  var count: Int { state.withLock { $0.table.count } }

  /// The number of callers that wait.
  var callers: Int { state.withLock { $0.table.callers } }

  /// The number of callers that wait for `key`.
  func waiting(for key: Key) -> Int { state.withLock { $0.table.waiting(for: key) } }

  /// Runs `work` once per key and hands every caller its outcome.
  ///
  /// - Throws: What `work` throws, or ``ImageError/cancelled`` when the caller's task is cancelled.
  func value(
    for key: Key,
    interest: Interest,
    _ work: @escaping Work
  ) async throws(ImageError) -> Value {
    let id = state.withLock { state in
      state.lastWaiter += 1
      return state.lastWaiter
    }
    let observer = interest.observe { self.priorityChanged(key, id, interest) }
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        join(key, Waiter(continuation: continuation, interest: interest), id, work)
      }
    } onCancel: {
      leave(key, id)
    }
    interest.stopObserving(observer)
    return try result.get()
  }

  /// Ends every flight: each waiter gets ``ImageError/cancelled``.
  func cancelAll() {
    let (waiters, tasks) = state.withLock { state in
      let (waiters, flights) = state.table.clear()
      return (waiters, flights.compactMap { state.running.removeValue(forKey: $0)?.task })
    }
    for task in tasks { task.cancel() }
    for waiter in waiters { waiter.continuation.resume(returning: .failure(.cancelled)) }
  }

  private func join(_ key: Key, _ waiter: Waiter, _ id: Int, _ work: @escaping Work) {
    guard !Task.isCancelled else {
      return waiter.continuation.resume(returning: .failure(.cancelled))
    }
    let priority = waiter.interest.priority
    var seen: TransferProgress?
    var launched: (flight: Int, interest: Interest)?
    state.withLock { state in
      switch state.table.join(key, waiter: waiter, id: id, priority: priority) {
      case .wait(let flight): seen = state.running[flight]?.progress
      case .launch(let flight):
        let interest = Interest(priority) { self.report($0, key, flight) }
        state.running[flight] = Running(interest: interest)
        launched = (flight, interest)
      }
    }
    if let (flight, interest) = launched { launch(key, flight, interest, work) }
    if let seen { waiter.interest.report(seen) }
    priorityChanged(key, id, waiter.interest)
    // Cancellation may have come between the check and the join.
    if Task.isCancelled { leave(key, id) }
  }

  /// Begins a flight on this thread, unless that is an actor's: until the work waits for something,
  /// no other thread has to be woken.
  private func launch(_ key: Key, _ flight: Int, _ interest: Interest, _ work: @escaping Work) {
    let task =
      if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
        Task.immediate { await self.fly(key, flight, interest, work) }
      } else {
        Task { await self.fly(key, flight, interest, work) }
      }
    let isOver = state.withLock { state in
      state.running[flight]?.task = task
      return state.running[flight] == nil
    }
    // Its last waiter may have left before there was a task to cancel.
    if isOver { task.cancel() }
  }

  @concurrent
  private func fly(_ key: Key, _ flight: Int, _ interest: Interest, _ work: Work) async {
    let result: Result<Value, ImageError>
    do throws(ImageError) {
      result = .success(try await work(interest))
    } catch {
      result = .failure(error)
    }
    let waiters = state.withLock { state in
      state.running[flight] = nil
      return state.table.land(key, flight: flight)
    }
    for waiter in waiters { waiter.continuation.resume(returning: result) }
  }

  private func leave(_ key: Key, _ id: Int) {
    let (action, task) = state.withLock { state in
      let action = state.table.leave(key, id: id)
      guard case .endAndCancel(_, let flight) = action else {
        return (action, Task<Void, Never>?.none)
      }
      return (action, state.running.removeValue(forKey: flight)?.task)
    }
    task?.cancel()
    switch action {
    case .end(let waiter, _):
      waiter.continuation.resume(returning: .failure(.cancelled))
      retune(key)
    case .endAndCancel(let waiter, _):
      waiter.continuation.resume(returning: .failure(.cancelled))
    case .ignore: break
    }
  }

  private func priorityChanged(_ key: Key, _ id: Int, _ interest: Interest) {
    state.withLock { $0.table.change(key, id: id, to: interest.priority) }
    retune(key)
  }

  /// Gives the flight the highest priority among its waiters.
  private func retune(_ key: Key) {
    // Another thread may retune between the look and the change; the last to change looks again.
    while let (interest, priority) = change(of: key) { interest.change(to: priority) }
  }

  /// The change a flight's priority needs, or nil when it is right.
  private func change(of key: Key) -> (Interest, ImagePriority)? {
    state.withLock { state in
      guard let (flight, priority) = state.table.priority(of: key),
        let interest = state.running[flight]?.interest, interest.priority != priority
      else { return nil }
      return (interest, priority)
    }
  }

  private func report(_ progress: TransferProgress, _ key: Key, _ flight: Int) {
    // Nearly always there is one: no list is made for it.
    var first: Interest?
    var others: [Interest] = []
    state.withLock { state in
      state.running[flight]?.progress = progress
      state.table.forEachWaiter(of: key, flight: flight) { waiter in
        if first == nil { first = waiter.interest } else { others.append(waiter.interest) }
      }
    }
    first?.report(progress)
    for other in others { other.report(progress) }
  }
}
