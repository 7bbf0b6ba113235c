import Testing

@testable import IkranStores

@Suite struct EarlyWritebackTests {
  @Test func aTableThatIsNotSynchronizedWritesNothingEarly() {
    let writes = EarlyWriteback(slotByteCount: 128 << 10)
    #expect((0..<100).allSatisfy { writes.add($0) == nil })
  }

  @Test func neighboursAreWrittenTogether() {
    let writes = EarlyWriteback(slotByteCount: 128 << 10)
    writes.expectMore()
    let written = (3..<14).map(writes.add)
    #expect(written == [nil, nil, nil, 3..<7, nil, nil, nil, 7..<11, nil, nil, nil])
  }

  @Test func scatteredSlotsAreLeftToTheKernel() {
    let writes = EarlyWriteback(slotByteCount: 128 << 10)
    writes.expectMore()
    #expect([9, 3, 4, 5, 1, 2, 3, 8].allSatisfy { writes.add($0) == nil })
  }

  @Test func aLargeSlotIsWrittenAtOnce() {
    let writes = EarlyWriteback(slotByteCount: 8 << 20)
    writes.expectMore()
    #expect(writes.add(5) == 5..<6)
  }

  @Test func aTableThatIsNoLongerSynchronizedIsLeftToTheKernel() {
    let writes = EarlyWriteback(slotByteCount: 1 << 20)
    writes.expectMore()
    #expect((0..<4096).allSatisfy { writes.add($0) == $0..<$0 + 1 })
    #expect(writes.add(4096) == nil)
    writes.expectMore()
    #expect(writes.add(4097) != nil)
  }
}
