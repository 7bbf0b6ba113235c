extension Duration {
  /// Whole microseconds, clamped to what fits.
  package var microseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
    if overflow { return seconds < 0 ? .min : .max }
    let sum = whole.addingReportingOverflow(attoseconds / 1_000_000_000_000)
    return sum.overflow ? .max : sum.partialValue
  }
}
