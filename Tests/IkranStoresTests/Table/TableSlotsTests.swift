import Support
import Testing

@testable import IkranStores

@Suite struct TableSlotsTests {
  @Test(arguments: [0, 1, 3, 64, 1000, .max])
  func theLeastRecentlyUsedSlotsAreKeptInOrder(limit: Int) {
    var random = SeededGenerator(seed: 1)
    let uses = (0..<500).shuffled(using: &random).map {
      TableSlots.Use(lastUse: UInt64($0), slot: 1000 - $0)
    }
    var slots = TableSlots()
    for use in uses { slots.add(use, keepingOldest: limit) }
    slots.trimOldest(to: limit)
    #expect(slots.oldest.map(\.lastUse) == (0..<UInt64(min(limit, 500))).reversed())
  }

  @Test func ofEqualUsesOnlyTheLimitIsKept() {
    var slots = TableSlots()
    for slot in 0..<20 { slots.add(.init(lastUse: .max, slot: slot), keepingOldest: 3) }
    slots.trimOldest(to: 3)
    #expect(slots.oldest.count == 3)
  }
}
