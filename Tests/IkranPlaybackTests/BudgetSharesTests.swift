import IkranPlayback
import Support
import Testing

@Suite(.timeLimit(.minutes(10))) struct BudgetSharesTests {
  @Test func thoseThatWantLittleGetItAndTheOthersShareTheRest() {
    let shares = shares(limit: 100, [(10, 10, true), (500, 80, true), (500, 30, true)])
    #expect(shares == [1: 10, 2: 45, 3: 30])
  }

  @Test func hiddenAnimationsGetWhatIsLeft() {
    let shares = shares(limit: 25, [(10, 10, true), (80, 80, false), (80, 80, false)])
    #expect(shares == [1: 10, 2: 5, 3: 5])
  }

  @Test func scarceMemoryDividesTheBudgetUntilEnoughFramesWereDecoded() {
    var budget = BudgetShares(byteLimit: 800)
    _ = budget.set(BudgetShares.Demand(full: 800, reduced: 800, frame: 1, isShown: true), of: 1)
    budget.relieve(isCritical: true)
    #expect(budget.shares() == [1: 100])
    let growths = (0..<2000).count { _ in budget.countDecoded() }
    #expect(growths == 3)
    #expect(budget.shares() == [1: 800])
  }

  @Test func randomDemandsNeverGetMoreThanTheBudget() {
    let seed = UInt64.random(in: 0 ... .max)
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for _ in 0..<Rounds.fewer(1000) {
      let limit = Int.random(in: -10...2000, using: &random)
      let demands = (0..<Int.random(in: 0...12, using: &random)).map { _ in
        (
          Int.random(in: 0...800, using: &random), Int.random(in: 0...300, using: &random),
          Bool.random(using: &random)
        )
      }
      let shares = shares(limit: limit, demands)
      #expect(shares.values.reduce(0, +) <= max(0, limit), "seed \(seed)")
      #expect(shares.values.allSatisfy { $0 >= 0 }, "seed \(seed)")
    }
  }

  private func shares(limit: Int, _ demands: [(Int, Int, Bool)]) -> [UInt64: Int] {
    var budget = BudgetShares(byteLimit: limit)
    for (index, (full, reduced, isShown)) in demands.enumerated() {
      _ = budget.set(
        BudgetShares.Demand(full: full, reduced: reduced, frame: 5, isShown: isShown),
        of: UInt64(index + 1)
      )
    }
    return budget.shares()
  }
}
