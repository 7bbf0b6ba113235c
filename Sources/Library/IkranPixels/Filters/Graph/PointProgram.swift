/// Point steps that run in one pass: products of matrices are formed here, once.
struct PointProgram: Sendable {
  let steps: [PointStep]

  init(_ steps: [PointStep]) {
    var merged: [PointStep] = []
    for step in steps {
      // Only where the first clamps nothing are two matrices one.
      if case .matrix(let next) = step, case .matrix(let last) = merged.last, last.staysInRange {
        merged[merged.count - 1] = .matrix(last.followed(by: next))
      } else if case .opacity(let next) = step, case .opacity(let last) = merged.last {
        merged[merged.count - 1] = .opacity(last * next)
      } else {
        merged.append(step)
      }
    }
    self.steps = merged
  }

  /// How many of the first steps treat each channel by itself: one table of bytes is all of them.
  var tabled: Int { steps.prefix { $0.isPerChannel }.count }
  var changesAlpha: Bool { steps.contains { $0.changesAlpha } }
}
