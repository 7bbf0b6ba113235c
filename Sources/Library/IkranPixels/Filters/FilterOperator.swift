/// Filters with `|>`: below arithmetic and `??`, above comparisons, from left to right.
precedencegroup FilterPrecedence {
  associativity: left
  higherThan: ComparisonPrecedence
  lowerThan: NilCoalescingPrecedence
}

// `|` itself has so many meanings that more of them make long sums of bits slow to compile.
infix operator |> : FilterPrecedence

extension Bitmap {
  /// The picture after a filter, at one pixel per point.
  ///
  /// ```swift
  /// let poster = try photo |> .contrast(1.3) |> .posterize(levels: 6)
  /// ```
  /// Cost: a pass for each filter. ``filtered(_:scale:workspace:)`` takes all of them at once, in
  /// fewer passes.
  ///
  /// - Throws: ``FilterError``, as ``filtered(_:scale:workspace:)``.
  public static func |> (picture: Bitmap, filter: Filter) throws(FilterError) -> Bitmap {
    try picture.filtered([filter])
  }
}

extension Style {
  /// This style with one more filter, after those it has.
  ///
  /// ```swift
  /// let badge = Style.circle(48) |> .saturation(0) |> .vignette()
  /// ```
  public static func |> (style: Style, filter: Filter) -> Style { style.filtered([filter]) }
}
