import Testing

@testable import Ikran

/// What becomes of what is available, over the whole product of what decides it.
@Suite(.timeLimit(.minutes(10))) struct VisitDecisionTests {
  private static let demands: [SourceLoad.Demand] = [.cached, .fresh, .revalidated, .reloaded]
  private static let validities: [SourceLoad.Validity?] = [
    .fresh, .staleWhileRevalidate, .stale(usableOnError: true), .stale(usableOnError: false), nil,
  ]

  /// Every combination, with its decision.
  private func forEach(
    _ body: (
      _ demand: SourceLoad.Demand,
      _ validity: SourceLoad.Validity?,
      _ isReachable: Bool,
      _ decision: SourceVisit.Decision
    ) -> Void
  ) {
    for demand in Self.demands {
      for validity in Self.validities {
        for isReachable in [true, false] {
          let decision = SourceVisit.decision(
            demand: demand,
            validity: validity,
            unreachable: isReachable ? nil : .unreachable
          )
          body(demand, validity, isReachable, decision)
        }
      }
    }
  }

  @Test func whatTheCachesHaveIsUsedWhereThatIsAllThatIsWanted() {
    forEach { demand, _, _, decision in
      if demand == .cached { #expect(decision == .use) }
    }
  }

  @Test func anOriginIsAskedWhereAnAnswerIsWanted() {
    forEach { demand, _, _, decision in
      if demand == .revalidated || demand == .reloaded { #expect(decision == .ask) }
    }
  }

  @Test func whatIsFreshIsUsedUnasked() {
    forEach { demand, validity, _, decision in
      if demand == .fresh, validity == .fresh { #expect(decision == .use) }
    }
  }

  @Test func whatMayBeStaleForAWhileIsUsedAndAskedAbout() {
    forEach { demand, validity, _, decision in
      let isExpected = demand == .fresh && validity == .staleWhileRevalidate
      #expect((decision == .useAndRevalidate) == isExpected)
    }
  }

  @Test func whatIsStaleIsUsedOnlyWhereItsOriginCannotBeAskedAndErrorsAllowIt() {
    forEach { demand, validity, isReachable, decision in
      let isExpected =
        demand == .fresh && validity == .stale(usableOnError: true) && !isReachable
      #expect((decision == .useUnreachable(.unreachable)) == isExpected)
    }
  }

  @Test func whatIsNotKnownToBeValidIsAskedAbout() {
    forEach { demand, validity, isReachable, decision in
      guard demand == .fresh else { return }
      switch validity {
      case .stale(usableOnError: false), nil: #expect(decision == .ask)
      case .stale(usableOnError: true): #expect(!isReachable || decision == .ask)
      case .fresh, .staleWhileRevalidate: #expect(decision != .ask)
      }
    }
  }
}
