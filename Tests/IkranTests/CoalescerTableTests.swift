import Testing

@testable import Ikran

@Suite struct CoalescerTableTests {
  private typealias Table = CoalescerTable<String, Int>

  @Test func theFirstToJoinLaunchesAndTheNextWaits() {
    var table = Table()
    #expect(table.join("a", waiter: 10, id: 1, priority: .normal) == .start(load: 1))
    #expect(table.join("a", waiter: 20, id: 2, priority: .normal) == .wait(load: 1))
    #expect(Set(table.finish("a", load: 1)) == [10, 20])
    #expect(table.count == 0)
  }

  @Test func otherKeysFlyAlone() {
    var table = Table()
    _ = table.join("a", waiter: 10, id: 1, priority: .normal)
    #expect(table.join("b", waiter: 20, id: 2, priority: .normal) == .start(load: 2))
  }

  @Test func theLastToLeaveCancelsTheFlight() {
    var table = Table()
    _ = table.join("a", waiter: 10, id: 1, priority: .normal)
    _ = table.join("a", waiter: 20, id: 2, priority: .normal)
    guard case .end(10) = table.leave("a", id: 1) else {
      Issue.record("the first to leave must not cancel")
      return
    }
    guard case .endAndCancel(20, load: 1) = table.leave("a", id: 2) else {
      Issue.record("the last to leave must cancel")
      return
    }
    #expect(table.finish("a", load: 1).isEmpty)
  }

  @Test func nobodyLeavesTwice() {
    var table = Table()
    _ = table.join("a", waiter: 10, id: 1, priority: .normal)
    _ = table.leave("a", id: 1)
    guard case .ignore = table.leave("a", id: 1) else {
      Issue.record("a second leave must be ignored")
      return
    }
  }

  @Test func aStaleLandingServesNobodyOfTheNextFlight() {
    var table = Table()
    _ = table.join("a", waiter: 10, id: 1, priority: .normal)
    _ = table.leave("a", id: 1)
    _ = table.join("a", waiter: 20, id: 2, priority: .normal)
    #expect(table.finish("a", load: 1).isEmpty)
    #expect(table.finish("a", load: 2) == [20])
  }

  @Test func aFlightIsAsUrgentAsItsMostUrgentWaiter() {
    var table = Table()
    _ = table.join("a", waiter: 10, id: 1, priority: .low)
    _ = table.join("a", waiter: 20, id: 2, priority: .high)
    #expect(table.priority(of: "a")?.priority == .high)
    _ = table.leave("a", id: 2)
    #expect(table.priority(of: "a")?.priority == .low)
    table.change("a", id: 1, to: .normal)
    #expect(table.priority(of: "a")?.priority == .normal)
  }

  @Test func clearingHandsOutEveryWaiterOnce() {
    var table = Table()
    _ = table.join("a", waiter: 10, id: 1, priority: .low)
    _ = table.join("b", waiter: 20, id: 2, priority: .low)
    #expect(Set(table.clear().waiters) == [10, 20])
    #expect(table.clear().waiters.isEmpty)
  }
}
