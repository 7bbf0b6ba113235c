/// A standard filter: its name, its parameters and what it does with them.
final class FilterDefinition: Sendable {
  let name: String
  /// What it does, in one line.
  let summary: String
  let version: Int
  let parameters: [FilterParameter]
  /// Values with which nothing changes, by parameter; those that are not named may be any.
  let neutral: [String: FilterValue]
  private let steps: @Sendable (FilterArguments) throws(FilterError) -> [FilterStep]

  init(
    _ name: String,
    _ summary: String,
    version: Int = 1,
    _ parameters: [FilterParameter],
    neutral: [String: FilterValue] = [:],
    steps: @escaping @Sendable (FilterArguments) throws(FilterError) -> [FilterStep]
  ) {
    self.name = name
    self.summary = summary
    self.version = version
    self.parameters = parameters
    self.neutral = neutral
    self.steps = steps
  }

  /// Refuses numbers that are not finite.
  func check(_ values: [FilterValue]) throws(FilterError) {
    for (parameter, value) in zip(parameters, values) where !value.isFinite {
      throw .notFinite(filter: name, parameter: parameter.name)
    }
  }

  /// The steps for these values at a scale; none where nothing changes.
  func steps(_ values: [FilterValue], scale: Double) throws(FilterError) -> [FilterStep] {
    try check(values)
    let isNeutral = zip(parameters, values).allSatisfy { parameter, value in
      neutral[parameter.name].map { $0 == value } ?? true
    }
    if isNeutral, !neutral.isEmpty { return [] }
    return try steps(FilterArguments(values: values, scale: scale))
  }
}

/// A parameter of a standard filter.
struct FilterParameter: Sendable {
  enum Kind: Sendable {
    case number(ClosedRange<Double>)
    case color
    case word([String])
    /// Numbers of a range, and how many.
    case list(ClosedRange<Double>, count: ClosedRange<Int>)
    case image
    case table
  }

  let name: String
  let kind: Kind
  /// Nil when a value must be given.
  let standard: FilterValue?

  static func number(
    _ name: String,
    _ range: ClosedRange<Double>,
    _ standard: Double
  ) -> FilterParameter {
    FilterParameter(name: name, kind: .number(range), standard: .number(standard))
  }

  static func color(_ name: String, _ standard: Color) -> FilterParameter {
    FilterParameter(name: name, kind: .color, standard: .color(standard))
  }

  static func word<Word: CaseIterable & RawRepresentable<String>>(
    _ name: String,
    _ standard: Word
  ) -> FilterParameter {
    let words = Word.allCases.map(\.rawValue)
    return FilterParameter(name: name, kind: .word(words), standard: .word(standard.rawValue))
  }

  /// The nearest value that is allowed.
  func clamped(_ value: FilterValue) -> FilterValue {
    switch (kind, value) {
    case (.number(let range), .number(let number)): .number(number.clamped(to: range))
    case (.list(let range, _), .list(let numbers)): .list(numbers.map { $0.clamped(to: range) })
    default: value
    }
  }
}

/// The value of a parameter; equal values have equal texts.
enum FilterValue: Sendable, Hashable {
  case number(FilterNumber)
  case color(Color)
  case word(String)
  case list([FilterNumber])
  case image(FilterImage)
  case table(LookupTable)

  static func number(_ value: Double) -> FilterValue { .number(FilterNumber(value)) }
  static func list(_ values: [Double]) -> FilterValue { .list(values.map(FilterNumber.init)) }

  var isFinite: Bool {
    switch self {
    case .number(let number): number.isFinite
    case .list(let numbers): numbers.allSatisfy(\.isFinite)
    default: true
    }
  }
}

/// A number in ten-thousandths, so that equal filters have equal keys on every machine.
struct FilterNumber: Sendable, Hashable {
  /// `Int.min` for what is not a finite number.
  private let parts: Int

  init(_ value: Double) {
    // Far beyond every range, so that no number overflows.
    parts = value.isFinite ? Int((min(max(value, -1e12), 1e12) * 10_000).rounded()) : Int.min
  }

  var isFinite: Bool { parts != Int.min }
  var value: Double { Double(parts) / 10_000 }

  func clamped(to range: ClosedRange<Double>) -> FilterNumber {
    isFinite ? FilterNumber(min(max(value, range.lowerBound), range.upperBound)) : self
  }
}

extension FilterNumber: CustomStringConvertible {
  /// The shortest decimal, such as `96`, `-0.5` or `0.0125`.
  var description: String {
    if parts == Int.min { return "nan" }
    let (whole, rest) = parts.magnitude.quotientAndRemainder(dividingBy: 10_000)
    let sign = parts < 0 ? "-" : ""
    if rest == 0 { return "\(sign)\(whole)" }
    var fraction = String(rest + 10_000).dropFirst()
    while fraction.last == "0" { fraction.removeLast() }
    return "\(sign)\(whole).\(fraction)"
  }
}

/// A picture that a filter uses, known by what is in it.
struct FilterImage: Sendable, Hashable {
  let picture: Bitmap
  let digest: PixelDigest

  init(_ picture: Bitmap) {
    self.picture = picture
    digest = PixelDigest(of: picture)
  }

  static func == (left: FilterImage, right: FilterImage) -> Bool { left.digest == right.digest }
  func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}

/// The values of a filter that is about to run, by their places; a definition names each kind itself.
struct FilterArguments {
  let values: [FilterValue]
  /// Pixels per point.
  let scale: Double

  func number(_ index: Int) -> Double {
    if case .number(let number) = values[index] { number.value } else { 0 }
  }

  /// A length in pixels, at most a million.
  func pixels(_ index: Int) -> Double { min(number(index) * scale, 1_000_000) }

  func color(_ index: Int) -> Color {
    if case .color(let color) = values[index] { color } else { .black }
  }

  func word<Word: RawRepresentable<String>>(_ index: Int, _ standard: Word) -> Word {
    if case .word(let text) = values[index] { Word(rawValue: text) ?? standard } else { standard }
  }

  func list(_ index: Int) -> [Double] {
    if case .list(let numbers) = values[index] { numbers.map(\.value) } else { [] }
  }

  func image(_ index: Int) -> Bitmap? {
    if case .image(let image) = values[index] { image.picture } else { nil }
  }

  func table(_ index: Int) -> LookupTable? {
    if case .table(let table) = values[index] { table } else { nil }
  }
}
