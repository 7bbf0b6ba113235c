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
  let digest: ContentDigest

  init(_ picture: Bitmap) {
    self.picture = picture
    digest = ContentDigest(of: picture)
  }

  static func == (left: FilterImage, right: FilterImage) -> Bool { left.digest == right.digest }
  func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}

extension FilterValue: CustomStringConvertible {
  /// The canonical text of the value.
  var description: String {
    switch self {
    case .number(let number): "\(number)"
    case .color(let color): color.hexadecimal
    case .word(let word): word
    case .list(let numbers): numbers.map(\.description).joined(separator: "/")
    case .image(let image): "\(image.digest)"
    case .table(let table): table.digest
    }
  }
}
