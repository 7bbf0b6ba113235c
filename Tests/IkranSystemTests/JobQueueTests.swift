import TestBasics
import Testing

@testable import IkranSystem

@Suite struct JobQueueTests {
  @Test func theHighestPriorityIsNextThenTheFirstToArrive() {
    var queue = JobQueue<String>()
    queue.add("a", id: 1, priority: 0)
    queue.add("b", id: 2, priority: 1)
    queue.add("c", id: 3, priority: 1)
    #expect(Self.drain(&queue) == ["b", "c", "a"])
  }

  @Test func aChangedPriorityChangesTheOrder() {
    var queue = JobQueue<String>()
    for (id, name) in ["a", "b", "c"].enumerated() {
      queue.add(name, id: UInt64(id), priority: 1)
    }
    queue.move(2, to: 2)
    queue.move(0, to: 0)
    #expect(Self.drain(&queue) == ["c", "b", "a"])
  }

  @Test func aRemovedElementIsNeverNext() {
    var queue = JobQueue<String>()
    queue.add("a", id: 1, priority: 0)
    queue.add("b", id: 2, priority: 0)
    #expect(queue.remove(1) == "a")
    #expect(queue.remove(1) == nil)
    #expect(queue.count == 1)
    #expect(Self.drain(&queue) == ["b"])
  }

  @Test func anIDThatComesBackTakesNoMemory() {
    var heap = PriorityHeap()
    heap.add(2, priority: 0)
    for round in 1...10_000 {
      heap.add(1, priority: 0)
      heap.move(1, to: round % 3)
      let wasThere = heap.remove(1)
      #expect(wasThere)
    }
    let isThere = heap.remove(1)
    #expect(!isThere)
    #expect(heap.entryCount < 100)
    let order = [heap.next(), heap.next()]
    #expect(order == [2, nil])
  }

  @Test func randomOperationsGiveTheOrderOfASortedList() {
    let seed = UInt64.random(in: 0 ... .max)
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var queue = JobQueue<UInt64>()
    var model: [(id: UInt64, priority: Int)] = []
    for id in 0..<UInt64(Rounds.fewer(20_000)) {
      switch Int.random(in: 0..<4, using: &random) {
      case 0, 1:
        let priority = Int.random(in: 0..<3, using: &random)
        queue.add(id, id: id, priority: priority)
        model.append((id, priority))
      case 2 where !model.isEmpty:
        let index = Int.random(in: 0..<model.count, using: &random)
        let priority = Int.random(in: 0..<3, using: &random)
        queue.move(model[index].id, to: priority)
        model[index].priority = priority
      default:
        let next = model.min {
          $0.priority != $1.priority ? $0.priority > $1.priority : $0.id < $1.id
        }
        model.removeAll { $0.id == next?.id }
        #expect(queue.next() == next?.id)
      }
      if model.count > 200 { model.removeAll { queue.remove($0.id) != nil } }
    }
    #expect(queue.count == model.count)
  }

  private static func drain(_ queue: inout JobQueue<String>) -> [String] {
    var order: [String] = []
    while let next = queue.next() { order.append(next) }
    return order
  }
}
