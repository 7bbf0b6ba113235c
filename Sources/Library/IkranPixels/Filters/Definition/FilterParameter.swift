/// A parameter of a standard filter.
struct FilterParameter: Sendable {
  enum Kind: Sendable {
    case number(ClosedRange<Double>)
    case color
    case word([String])
    /// So many numbers of a range.
    case list(ClosedRange<Double>, count: Int)
    /// Two or more points x, y, x, y …, 0…1.
    case points
    case image
    case table
  }

  /// The most points of ``Kind/points``.
  static let pointLimit = 1024

  let name: String
  let kind: Kind
  /// Nil when a value must be given.
  let defaultValue: FilterValue?

  static func number(
    _ name: String,
    _ range: ClosedRange<Double>,
    _ standard: Double
  ) -> FilterParameter {
    FilterParameter(name: name, kind: .number(range), defaultValue: .number(standard))
  }

  static func color(_ name: String, _ standard: Color) -> FilterParameter {
    FilterParameter(name: name, kind: .color, defaultValue: .color(standard))
  }

  static func word<Word: CaseIterable & RawRepresentable<String>>(
    _ name: String,
    _ standard: Word
  ) -> FilterParameter {
    let words = Word.allCases.map(\.rawValue)
    return FilterParameter(name: name, kind: .word(words), defaultValue: .word(standard.rawValue))
  }

  /// Ready-made values, by default `none` of them.
  static func preset<Word: CaseIterable & RawRepresentable<String>>(
    _ words: Word.Type
  ) -> FilterParameter {
    FilterParameter(
      name: "preset",
      kind: .word(["none"] + words.allCases.map(\.rawValue)),
      defaultValue: .word("none")
    )
  }

  /// The nearest value that is allowed.
  func clamped(_ value: FilterValue) -> FilterValue {
    switch (kind, value) {
    case (.number(let range), .number(let number)): .number(number.clamped(to: range))
    case (.list(let range, _), .list(let numbers)): .list(numbers.map { $0.clamped(to: range) })
    case (.points, .list(let numbers)): .list(numbers.map { $0.clamped(to: 0...1) })
    default: value
    }
  }
}
