/// A priority queue in one array, with the largest element on top.
package struct BinaryHeap<Element: Comparable> {
  /// All elements, in heap order.
  package private(set) var elements: [Element] = []

  package init() {}

  package var count: Int { elements.count }

  /// The largest element; nil when there is none.
  package var top: Element? { elements.first }

  /// Adds an element in O(log n).
  package mutating func insert(_ element: Element) {
    elements.append(element)
    var child = elements.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard elements[parent] < elements[child] else { return }
      elements.swapAt(child, parent)
      child = parent
    }
  }

  /// Adds an element, but keeps only the `limit` smallest ones.
  package mutating func insert(_ element: Element, keepingSmallest limit: Int) {
    if count < limit { return insert(element) }
    guard let top, element < top else { return }
    elements[0] = element
    siftDown()
  }

  /// Removes the largest element in O(log n); nil when there is none.
  @discardableResult
  package mutating func removeTop() -> Element? {
    guard let top else { return nil }
    let last = elements.removeLast()
    if !elements.isEmpty {
      elements[0] = last
      siftDown()
    }
    return top
  }

  /// Removes the elements that match in O(n log n).
  package mutating func removeAll(where isRemoved: (Element) -> Bool) {
    elements.removeAll(where: isRemoved)
    // An array in descending order is a heap.
    elements.sort(by: >)
  }

  private mutating func siftDown() {
    var parent = 0
    while true {
      var largest = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < elements.count && elements[largest] < elements[child] { largest = child }
      guard largest != parent else { return }
      elements.swapAt(parent, largest)
      parent = largest
    }
  }
}

extension BinaryHeap: Sendable where Element: Sendable {}
