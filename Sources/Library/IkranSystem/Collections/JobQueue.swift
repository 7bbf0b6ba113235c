/// A queue in the order of priority; equal priorities in the order of arrival.
///
/// A value without locks or threads. Priorities may change while an element waits, and an
/// element may leave; both cost O(log n), amortised.
package struct JobQueue<Element> {
  private var elements: [UInt64: Element] = [:]
  private var heap = PriorityHeap()

  package init() {}

  /// The number of elements that wait.
  package var count: Int { elements.count }

  /// Adds an element; of equals the lowest `id` is first, and no two have the same.
  package mutating func add(_ element: Element, id: UInt64, priority: Int) {
    elements[id] = element
    heap.add(id, priority: priority)
  }

  /// Moves an element to another priority; one that already left is ignored.
  package mutating func move(_ id: UInt64, to priority: Int) { heap.move(id, to: priority) }

  /// Removes an element before it is next; nil when it already left.
  package mutating func remove(_ id: UInt64) -> Element? {
    heap.remove(id)
    return elements.removeValue(forKey: id)
  }

  /// Takes out the element whose turn it is; nil when none waits.
  package mutating func next() -> Element? {
    heap.next().flatMap { elements.removeValue(forKey: $0) }
  }
}
