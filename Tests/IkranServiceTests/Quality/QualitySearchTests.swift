import Testing

@testable import IkranService

/// The search for a quality between two bounds.
@Suite("Search for a quality")
struct QualitySearchTests {
  @Test(arguments: [1...100, 70...80, 60...65, 1...2, 5...5, 3...99])
  func theNearestThatPassesIsFoundInSevenTrials(bounds: ClosedRange<Int>) throws {
    for edge in bounds {
      var (tried, passed) = (0, Set<Int>())
      func trial(_ quality: Int, _ passes: Bool) -> QualitySearch.Verdict {
        tried += 1
        if passes { passed.insert(quality) }
        return passes ? .passes : .fails
      }
      let lowest = QualitySearch(bounds: bounds, goal: .lowest)
      #expect(try lowest.result { trial($0, $0 >= edge) } == edge)
      // One that was not tried costs a trial more.
      #expect(tried + (passed.contains(edge) ? 0 : 1) <= 7)
      (tried, passed) = (0, [])
      let highest = QualitySearch(bounds: bounds, goal: .highest)
      #expect(try highest.result { trial($0, $0 <= edge) } == edge)
      #expect(tried + (passed.contains(edge) ? 0 : 1) <= 7)
    }
  }

  @Test func whereNonePassesTheOtherEndIsTaken() throws {
    #expect(try QualitySearch(bounds: 10...80, goal: .lowest).result { _ in .fails } == 80)
    #expect(try QualitySearch(bounds: 10...80, goal: .highest).result { _ in .fails } == 10)
  }

  @Test func theFirstThatIsRightEndsTheSearch() throws {
    var tried: [Int] = []
    let found = try QualitySearch(bounds: 1...100, goal: .lowest).result { quality in
      tried.append(quality)
      return tried.count == 2 ? .isRight : .passes
    }
    #expect(tried == [50, 25] && found == 25)
  }

  @Test func anErrorEndsTheSearch() {
    #expect(throws: RenderError.cancelled) {
      try QualitySearch(bounds: 1...100, goal: .lowest).result { _ throws(RenderError) in
        throw .cancelled
      }
    }
  }
}
