/// The rules of sharing work, with no task, clock or lock in them: events in, actions out.
///
/// One load per key. Joiners share it and raise it; the last one to leave cancels it.
struct CoalescerTable<Key: Hashable, Waiter> {
  enum JoinAction: Equatable {
    case start(load: Int)
    case wait(load: Int)
  }

  enum LeaveAction {
    /// This waiter ends; the load goes on.
    case end(Waiter)
    /// This waiter ends, and the load with it.
    case endAndCancel(Waiter, load: Int)
    case ignore
  }

  private struct Load {
    let id: Int
    var waiters: [Int: Waiter]
    var priorities: [Int: ImagePriority]
  }

  private var loads: [Key: Load] = [:]
  private var lastLoad = 0

  /// The number of loads under way.
  var count: Int { loads.count }

  /// The number of waiters of all keys.
  var callers: Int { loads.values.reduce(0) { $0 + $1.waiters.count } }

  /// The number of waiters of one key.
  func waiting(for key: Key) -> Int { loads[key]?.waiters.count ?? 0 }

  mutating func join(
    _ key: Key,
    waiter: Waiter,
    id: Int,
    priority: ImagePriority
  ) -> JoinAction {
    if let load = loads[key] {
      loads[key]?.waiters[id] = waiter
      loads[key]?.priorities[id] = priority
      return .wait(load: load.id)
    }
    lastLoad += 1
    loads[key] = Load(id: lastLoad, waiters: [id: waiter], priorities: [id: priority])
    return .start(load: lastLoad)
  }

  /// Changes the priority of a waiter.
  mutating func change(_ key: Key, id: Int, to priority: ImagePriority) {
    guard loads[key]?.waiters[id] != nil else { return }
    loads[key]?.priorities[id] = priority
  }

  mutating func leave(_ key: Key, id: Int) -> LeaveAction {
    guard let load = loads[key]?.id, let waiter = loads[key]?.waiters[id] else {
      return .ignore
    }
    guard waiting(for: key) > 1 else {
      loads[key] = nil
      return .endAndCancel(waiter, load: load)
    }
    loads[key]?.waiters[id] = nil
    loads[key]?.priorities[id] = nil
    return .end(waiter)
  }

  /// Ends a load, whose waiters get the outcome; one that was cancelled has none.
  mutating func finish(_ key: Key, load: Int) -> [Waiter] {
    guard let ended = loads[key], ended.id == load else { return [] }
    loads[key] = nil
    return Array(ended.waiters.values)
  }

  /// Ends every load and hands out all waiters.
  mutating func clear() -> (waiters: [Waiter], loads: [Int]) {
    defer { loads = [:] }
    return (loads.values.flatMap(\.waiters.values), loads.values.map(\.id))
  }

  /// Calls `body` with each waiter of a load.
  func forEachWaiter(of key: Key, load: Int, _ body: (Waiter) -> Void) {
    guard let found = loads[key], found.id == load else { return }
    for waiter in found.waiters.values { body(waiter) }
  }

  /// The highest priority among a load's waiters; nil when it is over.
  func priority(of key: Key) -> (load: Int, priority: ImagePriority)? {
    guard let load = loads[key], let highest = load.priorities.values.max() else {
      return nil
    }
    return (load.id, highest)
  }
}
