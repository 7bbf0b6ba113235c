extension Color {
  /// The relative luminance without alpha, 0 (black) … 1 (white), as WCAG 2.2 defines it.
  package var luminance: Double {
    0.2126 * LinearLight.value(of: red) + 0.7152 * LinearLight.value(of: green)
      + 0.0722 * LinearLight.value(of: blue)
  }

  /// The contrast to another colour, 1 (none) … 21 (black on white), as WCAG 2.2 defines it.
  package func contrast(with other: Color) -> Double {
    let (one, two) = (luminance + 0.05, other.luminance + 0.05)
    return max(one, two) / min(one, two)
  }
}
