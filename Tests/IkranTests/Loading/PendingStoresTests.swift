import Testing

@testable import Ikran

@Suite struct PendingStoresTests {
  private func store(_ key: String, cost: Int = 1) -> PendingStores.Store {
    PendingStores.Store(key: key, extended: [], cost: cost) { nil }
  }

  /// The keys of each batch until none is left.
  private func batches(_ pending: inout PendingStores) -> [[String]] {
    var batches: [[String]] = []
    while case let batch = pending.takeBatch(), !batch.isEmpty { batches.append(batch.map(\.key)) }
    return batches
  }

  @Test func storesAreTakenTogetherInTheirOrder() {
    var pending = PendingStores()
    for key in ["a", "b", "a", "c"] { pending.add(store(key)) }
    #expect(batches(&pending) == [["a", "b", "a", "c"]])
  }

  @Test func aBatchHoldsNoMoreThanSixteenStores() {
    var pending = PendingStores()
    for number in 0..<40 { pending.add(store("\(number)")) }
    #expect(batches(&pending).map(\.count) == [16, 16, 8])
  }

  @Test func aBatchHoldsNoMoreThanEightMegabytesUnlessOneStoreIsLarger() {
    var pending = PendingStores()
    for (key, cost) in [("a", 5 << 20), ("b", 3 << 20), ("c", 1), ("d", 9 << 20), ("e", 1)] {
      pending.add(store(key, cost: cost))
    }
    #expect(batches(&pending) == [["a", "b"], ["c"], ["d"], ["e"]])
  }

  @Test func anotherChangeKeepsTheStoresBeforeItApartFromThoseAfterIt() {
    var pending = PendingStores()
    pending.add(store("a"))
    pending.endBatch()
    for key in ["b", "c"] { pending.add(store(key)) }
    #expect(batches(&pending) == [["a"], ["b", "c"]])
  }

  @Test func storesThatComeAfterABatchWasTakenFollowThoseThatWait() {
    var pending = PendingStores()
    for number in 0..<20 { pending.add(store("\(number)")) }
    #expect(pending.takeBatch().count == 16)
    pending.add(store("last"))
    #expect(batches(&pending) == [["16", "17", "18", "19", "last"]])
  }

  @Test func aKeyIsPendingUntilEachOfItsChangesIsDone() {
    var pending = PendingStores()
    pending.add(store("a"))
    pending.note("a")
    pending.release("a")
    #expect(pending.contains("a"))
    pending.release("a")
    #expect(!pending.contains("a"))
  }
}
