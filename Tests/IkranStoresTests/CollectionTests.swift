import IkranStores
import Support
import Testing

@Suite("Heap and percent-encoding") struct CollectionTests {
  @Test func theLargestElementIsAlwaysOnTop() {
    var random = SeededGenerator(seed: 1)
    var heap = BinaryHeap<Int>()
    var model: [Int] = []
    for _ in 0..<2000 {
      switch Int.random(in: 0..<4, using: &random) {
      case 0: #expect(heap.removeTop() == model.popLast())
      case 1 where model.count > 100:
        heap.removeAll { $0 % 3 == 0 }
        model.removeAll { $0 % 3 == 0 }
      default:
        let number = Int.random(in: 0..<500, using: &random)
        heap.insert(number)
        model.append(number)
        model.sort()
      }
      #expect(heap.top == model.last)
    }
  }

  @Test func aBoundedHeapKeepsTheSmallestElements() {
    var heap = BinaryHeap<Int>()
    for number in [5, 1, 9, 3, 7, 2, 8] { heap.insert(number, keepingSmallest: 3) }
    #expect(heap.elements.sorted() == [1, 2, 3])
    var none = BinaryHeap<Int>()
    none.insert(1, keepingSmallest: 0)
    #expect(none.count == 0)
  }

  @Test func everyByteButTheKeptOnesIsEncoded() {
    #expect(PercentEncoding.encoded("aZ09-_.~/ ä%", keeping: "-_") == "aZ09-_%2E%7E%2F%20%C3%A4%25")
    #expect(PercentEncoding.encoded("ä/", keeping: "/", uppercase: false) == "%c3%a4/")
    #expect(PercentEncoding.encoded("", keeping: "") == "")
  }
}
