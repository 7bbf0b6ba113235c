/// What waits its turn: highest priority first, then first come first served.
///
/// A value with no lock or thread in it. Priorities may change while an element waits, and an
/// element may leave; both cost O(log n), amortised.
package struct JobQueue<Element> {
  private struct Waiting {
    var turn: Turn
    var element: Element
  }

  struct Turn: Hashable {
    let priority: Int
    let id: UInt64
    /// Tells the newest turn of an element from older ones of the same priority.
    let serial: UInt64

    func comes(before other: Turn) -> Bool {
      priority != other.priority ? priority > other.priority : id < other.id
    }
  }

  private var waiting: [UInt64: Waiting] = [:]
  /// A binary heap; turns whose element left or moved to another priority are skipped when met.
  private(set) var turns: [Turn] = []
  private var lastSerial: UInt64 = 0

  package init() {}

  /// The number of elements that wait.
  package var count: Int { waiting.count }

  /// Adds an element; of equals the lowest `id` is first, and no two have the same.
  package mutating func add(_ element: Element, id: UInt64, priority: Int) {
    let turn = newTurn(id, priority)
    waiting[id] = Waiting(turn: turn, element: element)
    push(turn)
  }

  /// Moves an element to another priority; one that already left is ignored.
  package mutating func move(_ id: UInt64, to priority: Int) {
    guard let entry = waiting[id], entry.turn.priority != priority else { return }
    let turn = newTurn(id, priority)
    waiting[id]?.turn = turn
    push(turn)
  }

  /// Takes an element out before its turn; nil when it already left.
  package mutating func remove(_ id: UInt64) -> Element? {
    waiting.removeValue(forKey: id)?.element
  }

  /// Takes out the element whose turn it is; nil when none waits.
  package mutating func next() -> Element? { nextWithID()?.element }

  /// The same, with the id that the element was added under.
  package mutating func nextWithID() -> (id: UInt64, element: Element)? {
    guard let turn = first(), let entry = waiting.removeValue(forKey: turn.id) else { return nil }
    _ = pop()
    return (turn.id, entry.element)
  }

  /// The element whose turn is next; it stays.
  package mutating func first() -> (id: UInt64, priority: Int)? {
    while let turn = turns.first {
      if waiting[turn.id]?.turn == turn { return (turn.id, turn.priority) }
      _ = pop()
    }
    return nil
  }

  private mutating func newTurn(_ id: UInt64, _ priority: Int) -> Turn {
    lastSerial += 1
    return Turn(priority: priority, id: id, serial: lastSerial)
  }

  private mutating func push(_ turn: Turn) {
    // Stale turns must not pile up when priorities flap.
    if turns.count > 2 * waiting.count + 64 {
      turns = turns.filter { waiting[$0.id]?.turn == $0 }
      turns.sort { $0.comes(before: $1) }
    }
    turns.append(turn)
    var child = turns.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard turns[child].comes(before: turns[parent]) else { break }
      turns.swapAt(child, parent)
      child = parent
    }
  }

  private mutating func pop() -> Turn? {
    guard let first = turns.first else { return nil }
    let last = turns.removeLast()
    guard !turns.isEmpty else { return first }
    turns[0] = last
    var parent = 0
    while true {
      var best = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < turns.count && turns[child].comes(before: turns[best]) {
        best = child
      }
      guard best != parent else { return first }
      turns.swapAt(parent, best)
      parent = best
    }
  }
}
