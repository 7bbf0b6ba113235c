/// Looks for a quality between two bounds by halving: at most seven trials of 100 qualities.
struct QualitySearch: Sendable, Hashable {
  /// What a trial says of a quality.
  enum Verdict: Sendable {
    /// It will not do, nor will those that are further from ``goal``.
    case fails
    /// It will do, and one that is further from the other end may, too.
    case passes
    /// No other is looked for.
    case isRight
  }

  /// The end of the bounds from which the nearest quality that passes is wanted.
  enum Goal: Sendable {
    case lowest, highest
  }

  let bounds: ClosedRange<Int>
  let goal: Goal

  /// Searches.
  ///
  /// - Parameter judge: Tries a quality.
  /// - Returns: The quality that is right, or the first from ``goal`` that passes; the other end of
  ///   the bounds, which may not have been tried, where none does.
  /// - Throws: What `judge` throws.
  func result(
    _ judge: (Int) throws(RenderError) -> Verdict
  ) throws(RenderError) -> Int {
    var (least, most) = (0, bounds.upperBound - bounds.lowerBound)
    while least < most {
      let middle = (least + most) / 2
      switch try judge(quality(at: middle)) {
      case .isRight: return quality(at: middle)
      case .passes: most = middle
      case .fails: least = middle + 1
      }
    }
    return quality(at: least)
  }

  private func quality(at steps: Int) -> Int {
    goal == .lowest ? bounds.lowerBound + steps : bounds.upperBound - steps
  }
}
