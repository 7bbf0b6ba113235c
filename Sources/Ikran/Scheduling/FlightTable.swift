/// The rules of sharing work, with no task, clock or lock in them: events in, actions out.
///
/// One flight per key. Joiners share it and raise it; the last one to leave cancels it.
struct FlightTable<Key: Hashable, Waiter> {
  enum JoinAction: Equatable {
    case launch(flight: Int)
    case wait(flight: Int)
  }

  enum LeaveAction {
    /// This waiter ends; the flight goes on.
    case end(Waiter, flight: Int)
    /// This waiter ends, and the flight with it.
    case endAndCancel(Waiter, flight: Int)
    case ignore
  }

  private struct Flight {
    let id: Int
    var waiters: [Int: Waiter]
    var priorities: [Int: ImagePriority]
  }

  private var flights: [Key: Flight] = [:]
  private var lastFlight = 0

  /// The number of flights under way.
  var count: Int { flights.count }

  /// The number of waiters of all keys.
  var callers: Int { flights.values.reduce(0) { $0 + $1.waiters.count } }

  /// The number of waiters of one key.
  func waiting(for key: Key) -> Int { flights[key]?.waiters.count ?? 0 }

  mutating func join(
    _ key: Key,
    waiter: Waiter,
    id: Int,
    priority: ImagePriority
  ) -> JoinAction {
    if let flight = flights[key] {
      flights[key]?.waiters[id] = waiter
      flights[key]?.priorities[id] = priority
      return .wait(flight: flight.id)
    }
    lastFlight += 1
    flights[key] = Flight(id: lastFlight, waiters: [id: waiter], priorities: [id: priority])
    return .launch(flight: lastFlight)
  }

  /// Takes note of a waiter's new priority.
  mutating func change(_ key: Key, id: Int, to priority: ImagePriority) {
    guard flights[key]?.waiters[id] != nil else { return }
    flights[key]?.priorities[id] = priority
  }

  mutating func leave(_ key: Key, id: Int) -> LeaveAction {
    guard let flight = flights[key]?.id, let waiter = flights[key]?.waiters[id] else {
      return .ignore
    }
    guard waiting(for: key) > 1 else {
      flights[key] = nil
      return .endAndCancel(waiter, flight: flight)
    }
    flights[key]?.waiters[id] = nil
    flights[key]?.priorities[id] = nil
    return .end(waiter, flight: flight)
  }

  /// Ends a flight, whose waiters get the outcome; one that was cancelled has none.
  mutating func land(_ key: Key, flight: Int) -> [Waiter] {
    guard let landed = flights[key], landed.id == flight else { return [] }
    flights[key] = nil
    return Array(landed.waiters.values)
  }

  /// Ends every flight and hands out all waiters.
  mutating func clear() -> (waiters: [Waiter], flights: [Int]) {
    defer { flights = [:] }
    return (flights.values.flatMap(\.waiters.values), flights.values.map(\.id))
  }

  /// Calls `body` with each who waits for a flight.
  func forEachWaiter(of key: Key, flight: Int, _ body: (Waiter) -> Void) {
    guard let found = flights[key], found.id == flight else { return }
    for waiter in found.waiters.values { body(waiter) }
  }

  /// The highest priority among a flight's waiters; nil when it is over.
  func priority(of key: Key) -> (flight: Int, priority: ImagePriority)? {
    guard let flight = flights[key], let highest = flight.priorities.values.max() else {
      return nil
    }
    return (flight.id, highest)
  }
}
