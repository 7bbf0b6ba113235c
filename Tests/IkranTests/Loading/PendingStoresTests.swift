import Testing

@testable import Ikran

@Suite struct PendingStoresTests {
  private func store(_ key: String, cost: Int = 1) -> PendingStores.Store {
    PendingStores.Store(key: key, extended: [], cost: cost) { nil }
  }

  /// The keys of each batch until none is left before the last fence.
  private func batches(_ pending: inout PendingStores) -> [[String]] {
    var batches: [[String]] = []
    let fence = pending.setFence()
    while case let batch = pending.takeBatch(before: fence), !batch.isEmpty {
      batches.append(batch.map(\.key))
    }
    return batches
  }

  private func add(_ keys: [String], to pending: inout PendingStores) {
    for key in keys { _ = pending.add(store(key)) }
  }

  @Test func storesAreTakenTogetherInTheirOrder() {
    var pending = PendingStores()
    add(["a", "b", "a", "c"], to: &pending)
    #expect(batches(&pending) == [["a", "b", "a", "c"]])
  }

  @Test func aBatchHoldsNoMoreThanSixteenStores() {
    var pending = PendingStores()
    add((0..<40).map { "\($0)" }, to: &pending)
    #expect(batches(&pending).map(\.count) == [16, 16, 8])
  }

  @Test func aBatchHoldsNoMoreThanEightMegabytesUnlessOneStoreIsLarger() {
    var pending = PendingStores()
    for (key, cost) in [("a", 5 << 20), ("b", 3 << 20), ("c", 1), ("d", 9 << 20), ("e", 1)] {
      _ = pending.add(store(key, cost: cost))
    }
    #expect(batches(&pending) == [["a", "b"], ["c"], ["d"], ["e"]])
  }

  @Test func whoComesBeforeAFenceTakesNothingFromBehindIt() {
    var pending = PendingStores()
    let before = pending.add(store("a"))
    let fence = pending.setFence()
    add(["b", "c"], to: &pending)
    #expect(pending.takeBatch(before: before).map(\.key) == ["a"])
    #expect(pending.takeBatch(before: fence).isEmpty)
    #expect(batches(&pending) == [["b", "c"]])
  }

  @Test func whoComesAfterAFenceTakesWhatIsLeftBeforeIt() {
    var pending = PendingStores()
    add(["a"], to: &pending)
    _ = pending.setFence()
    let after = pending.add(store("b"))
    #expect(pending.takeBatch(before: after).map(\.key) == ["a", "b"])
  }

  @Test func storesThatComeAfterABatchWasTakenFollowThoseThatWait() {
    var pending = PendingStores()
    add((0..<20).map { "\($0)" }, to: &pending)
    #expect(pending.takeBatch(before: 0).count == 16)
    add(["last"], to: &pending)
    #expect(batches(&pending) == [["16", "17", "18", "19", "last"]])
  }

  @Test func aKeyIsPendingUntilEachOfItsChangesIsDone() {
    var pending = PendingStores()
    add(["a"], to: &pending)
    pending.retain("a")
    pending.release("a")
    #expect(pending.contains("a"))
    pending.release("a")
    #expect(!pending.contains("a"))
  }
}
