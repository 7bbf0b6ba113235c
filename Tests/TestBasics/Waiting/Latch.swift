import IkranSystem

/// A door that tests hold shut: callers wait until it is opened.
public final class Latch: Sendable {
  private struct State {
    var isOpen = false
    var arrived = 0
    var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]
    var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    var last = 0
  }

  private let state = Guarded(State())

  /// Creates a shut door.
  public init() {}

  /// Waits until the door opens; false when the waiting task was cancelled.
  public func wait() async -> Bool {
    let id = state.withLock { state in
      state.last += 1
      return state.last
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (isOpen, watchers) = state.withLock { state in
          state.arrived += 1
          let ready = state.watchers.filter { $0.count <= state.arrived }
          state.watchers.removeAll { $0.count <= state.arrived }
          if !state.isOpen { state.waiting[id] = continuation }
          return (state.isOpen, ready)
        }
        for watcher in watchers { watcher.continuation.resume() }
        if isOpen { return continuation.resume(returning: true) }
        if Task.isCancelled { turnAway(id) }
      }
    } onCancel: {
      turnAway(id)
    }
  }

  /// Opens the door for good.
  public func open() {
    let waiting = state.withLock { state in
      defer { state.waiting = [:] }
      state.isOpen = true
      return state.waiting.values.map { $0 }
    }
    for continuation in waiting { continuation.resume(returning: true) }
  }

  /// Waits until `count` callers have come to the door, turned away ones included.
  public func arrivals(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isReached = state.withLock { state in
        if state.arrived < count { state.watchers.append((count, continuation)) }
        return state.arrived >= count
      }
      if isReached { continuation.resume() }
    }
  }

  private func turnAway(_ id: Int) {
    state.withLock { $0.waiting.removeValue(forKey: id) }?.resume(returning: false)
  }
}
